"""The structural probe: its parts against brute force, and states in which a tree was planted."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr
from small_world import PARAMS, BagOfHashes, folders

from pipeline import trees
from pipeline.errors import SynsemError
from pipeline.evaluation import structural
from pipeline.evaluation.embedders import open_model
from pipeline.evaluation.run import Subject, evaluate
from pipeline.evaluation.structural import Case
from pipeline.evaluation.word_states import States, word_states
from pipeline.nn.embedding import embed
from pipeline.nn.encoder import Encoder
from pipeline.nn.tokens import Tokeniser
from pipeline.sentences import HasTree, Side


def random_tree(rng: np.random.Generator, n: int) -> list[int]:
    """Each word hangs on one before it, under shuffled names."""
    names = rng.permutation(n) + 1
    heads = [0] * n
    for position in range(1, n):
        heads[names[position] - 1] = int(names[rng.integers(position)])
    return heads


def planted(heads: Sequence[int], width: int = 40) -> np.ndarray:
    """States whose squared distances are the tree's: a word is the sum of one axis an edge from the root."""
    closure = trees.ancestors(heads).astype(np.float32)
    closure[:, [word for word, head in enumerate(heads) if head == 0]] = 0
    return np.pad(closure, ((0, 0), (0, width - len(heads))))


def test_a_planted_tree_is_found_under_a_linear_disguise() -> None:
    rng = np.random.default_rng(0)
    disguise = np.linalg.qr(rng.normal(size=(40, 40)))[0] * rng.uniform(0.5, 3, size=40)
    cases = []
    for _ in range(150):
        heads = random_tree(rng, int(rng.integers(5, 20)))
        noise = 0.01 * rng.normal(size=(len(heads), 40))
        cases.append(Case((planted(heads) @ disguise + noise).astype(np.float32), trees.distances(heads)))
    projection = structural.fit(cases[:100], cases[100:120], seed=1, rank=40)
    found = total = 0
    predicted = [structural.predict(case, projection) for case in cases[120:]]
    for case, distances in zip(cases[120:], predicted, strict=True):
        gold = {(int(i), int(j)) for i, j in np.argwhere(np.triu(case.distances == 1))}
        words = np.arange(len(case.distances))
        found += len(gold & structural.edges(distances, words))
        total += len(gold)
    assert found / total > 0.9
    pairs = [(x, case.distances) for x, case in zip(predicted, cases[120:], strict=True)]
    assert structural.spearman(pairs) > 90


def test_the_spanning_tree_of_true_distances_is_the_tree() -> None:
    rng = np.random.default_rng(2)
    for _ in range(20):
        heads = random_tree(rng, 12)
        expected = {(min(w, h - 1), max(w, h - 1)) for w, h in enumerate(heads) if h}
        assert structural.edges(trees.distances(heads), np.arange(12)) == expected
    chain = np.abs(np.subtract.outer(np.arange(5), np.arange(5)))
    assert structural.edges(chain, np.array([0, 2, 3])) == {(0, 2), (2, 3)}
    assert (
        len(structural.edges(np.zeros((4, 4)), np.arange(4))) == 3
    )  # equal distances are edges all the same


def test_spearman_is_averaged_by_word_sentence_and_length() -> None:
    rng = np.random.default_rng(3)
    pairs = []
    for n in (6, 6, 9, 4, 60):  # too short and too long are left out
        true = trees.distances(random_tree(rng, n))
        pairs.append((rng.random((n, n)), true))
    by_hand = [np.mean([spearmanr(x[i], y[i]).statistic for i in range(len(y))]) for x, y in pairs[:3]]
    expected = 100 * np.mean([np.mean(by_hand[:2]), by_hand[2]])
    assert structural.spearman(pairs) == pytest.approx(expected)
    assert np.isnan(structural.spearman(pairs[3:]))


TEXT = Side("The unbelievable dogs sleep.", ["The", "unbelievable", "dogs", "sleep", "."], [3, 3, 4, 0, 4])


def test_word_states_are_means_of_pieces_in_every_layer(tiny_backbone: Path) -> None:
    import torch
    from transformers import AutoModel, AutoTokenizer

    model = open_model(str(tiny_backbone), "mean")
    other = Side("Dogs sleep.", ["Dogs", "sleep", "."], [2, 0, 2])
    before = model.embed([TEXT, other])["semantic"]
    layers = word_states(model, [TEXT, other])["semantic"]
    np.testing.assert_array_equal(
        model.embed([TEXT, other])["semantic"], before
    )  # no dropout was switched on
    tokenizer = AutoTokenizer.from_pretrained(str(tiny_backbone))
    plain = AutoModel.from_pretrained(str(tiny_backbone)).eval()
    for row, side in enumerate((TEXT, other)):
        tokens = tokenizer(side.text, return_tensors="pt", return_offsets_mapping=True)
        offsets = tokens.pop("offset_mapping")[0]
        with torch.no_grad():
            hidden = plain(**tokens, output_hidden_states=True).hidden_states[1:]
        assert len(layers) == len(hidden) == 2
        place = 0
        for number, word in enumerate(side.words):
            place = side.text.index(word, place)
            inside = (offsets[:, 0] >= place) & (offsets[:, 1] <= place + len(word)) & (offsets[:, 1] > 0)
            for layer, states in zip(layers, hidden, strict=True):
                mean = states[0, inside].mean(0).numpy()
                np.testing.assert_allclose(layer[row][number], mean, atol=2e-3)


def test_a_system_shows_its_encoders_and_a_cut_word_is_nan(tiny_backbone: Path) -> None:
    from pipeline.nn import backbone

    class System:
        def __init__(self) -> None:
            found = backbone.load(str(tiny_backbone))
            self.tokeniser = Tokeniser(found.tokenizer, 6)
            self.encoder, self.syntactic = Encoder(found.model), Encoder(found.model, position="none")

        def embed(self, sentences: Sequence[HasTree]) -> dict[str, np.ndarray]:
            return embed({"semantic": self.encoder}, self.tokeniser, sentences)

    found = word_states(System(), [TEXT])
    assert set(found) == {"semantic", "syntactic"}
    last = found["semantic"][-1][0]
    assert last.shape == (5, 32)
    assert np.isfinite(last[0]).all()
    assert np.isnan(last[-1]).all()
    with pytest.raises(SynsemError, match="shows no states of words"):
        word_states(BagOfHashes(), [TEXT])


def test_both_encoders_of_a_trainable_system_are_read(
    tiny_backbone: Path, world: Path, tmp_path: Path
) -> None:
    from pipeline.params import load
    from pipeline.systems import registry

    section = load(Path(__file__).parents[2] / "params.yaml", "encoder", "train", "sscp")
    encoder = section.encoder.model_copy(update={"model": str(tiny_backbone), "max_tokens": 32})
    system = registry.create("sscp", encoder, section.train, section.sscp).eval()
    done = evaluate(Subject("sscp", system), folders(world, tmp_path), PARAMS, ["structural_probe"])
    assert done.failures == {}
    for view in ("semantic", "syntactic"):
        found = done.outcome.metrics[view]["structural_probe"]
        assert set(found) == {"test", "layer_1", "layer_2"}
        assert found["test"]["uuas"] == found[f"layer_{found['test']['layer']}"]["uuas"]


class Knowing(BagOfHashes):
    """Two layers: the first holds the tree, the second nothing."""

    def word_states(self, sentences: Sequence[HasTree]) -> dict[str, list[States]]:
        tree = [planted(sentence.heads) for sentence in sentences]
        return {"semantic": [tree, [np.ones_like(each) for each in tree]]}


def test_the_task_finds_the_layer_and_has_its_controls(world: Path, tmp_path: Path) -> None:
    subject = Subject("knowing", Knowing(), baselines=True)
    done = evaluate(subject, folders(world, tmp_path), PARAMS, ["structural_probe"])
    assert done.failures == {}
    found = done.outcome.metrics["semantic"]["structural_probe"]
    assert found["test"]["layer"] == 1
    assert found["test"]["uuas"] == found["layer_1"]["uuas"] == 100
    assert found["layer_2"]["uuas"] < 100
    # the king sees the dog: of the edges the-king, king-sees, sees-dog, the-dog, the chain has three
    assert found["test"]["uuas_chain"] == 75
    assert found["test"]["uuas_random_trees"] < 100
    kept = [row["score"] for row in done.outcome.examples if row["view"] == "semantic"]
    assert 100 * np.mean(kept) == pytest.approx(found["test"]["uuas_mean"], abs=0.01)
    assert len(kept) == found["test"]["sentences"]
    assert "word_types" in done.outcome.metrics
