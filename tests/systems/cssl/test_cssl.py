"""The parser: what it learns, what it refuses, and that its trees are trees."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import (
    AutoModel,
    AutoTokenizer,
    ModernBertConfig,
    PretrainedConfig,
)

from pipeline.core.errors import SynsemError
from pipeline.core.params import Encoder, load_all
from pipeline.nn.encoder import pool
from pipeline.syntax.attachment_scores import compare
from pipeline.syntax.sentence import Sentence
from pipeline.syntax.tree import is_tree
from pipeline.systems.base import Batch, registry
from pipeline.systems.cssl import model
from pipeline.systems.cssl.model import System

pytestmark = pytest.mark.slow
NEEDS_GPU = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
DEFAULTS = load_all(Path(__file__).parents[3] / "params.yaml")
TRAIN = DEFAULTS.train.model_copy(update={"precision": "fp32"})
SMALL = {"_ARC": 24, "_LABEL": 16, "_MOST_TOKENS": 48, "_DROPOUT": 0.0, "_VOCABULARY": 120, "_WIDTH": 32}


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, size in SMALL.items():
        monkeypatch.setattr(model, name, size)


def side(words: str, heads: list[int], deprels: str, upos: str) -> Sentence:
    return Sentence(words, words.split(), heads, deprels.split(), upos.split())


TREES = [
    side("the cat sat .", [2, 3, 0, 3], "det nsubj root punct", "DET NOUN VERB PUNCT"),
    side(
        "old dogs bark loudly .", [2, 3, 0, 3, 3], "amod nsubj root advmod punct", "ADJ NOUN VERB ADV PUNCT"
    ),
    side("rain fell .", [2, 0, 2], "nsubj root punct", "NOUN VERB PUNCT"),
    side("she wrote the letter .", [2, 0, 4, 2, 2], "nsubj root det obj punct", "PRON VERB DET NOUN PUNCT"),
]
PERMUTED = [
    side("sat the cat .", [0, 3, 1, 1], "root det nsubj punct", "VERB DET NOUN PUNCT"),
    side(
        "bark loudly old dogs .", [0, 1, 4, 1, 1], "root advmod amod nsubj punct", "VERB ADV ADJ NOUN PUNCT"
    ),
    side("fell rain .", [0, 1, 1], "root nsubj punct", "VERB NOUN PUNCT"),
    side("the letter wrote she .", [2, 3, 0, 3, 3], "det obj root nsubj punct", "DET NOUN VERB PRON PUNCT"),
]
BATCH = Batch(TREES, PERMUTED, [PERMUTED[0]], [0])


def create(folder: Path, prepared: bool = True, **changed: object) -> System:
    torch.manual_seed(0)
    encoder = Encoder(model=str(folder), max_tokens=32, pooling="mean")
    system = registry.create("cssl", encoder, TRAIN, DEFAULTS.cssl.model_copy(update=changed))
    assert isinstance(system, System)
    if prepared:
        system.prepare(TREES)
    return system


def of_family(folder: Path, tokens: Path, config: PretrainedConfig) -> Path:
    """A folder with a random encoder of that configuration and the tokenizer of another folder."""
    AutoTokenizer.from_pretrained(str(tokens)).save_pretrained(str(folder))
    AutoModel.from_config(config).save_pretrained(str(folder))
    return folder


TINY = {
    "vocab_size": 6000, "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 4,
    "intermediate_size": 32, "max_position_embeddings": 80,
}  # fmt: skip


def test_a_second_pass_needs_an_encoder_that_takes_its_bias(tmp_path: Path, tiny_backbone: Path) -> None:
    """A bias in place of the family's own mask would show words beyond its window."""
    config = ModernBertConfig(**TINY, pad_token_id=0, local_attention=8, cls_token_id=1, sep_token_id=2)
    folder = of_family(tmp_path / "modern", tiny_backbone, config)
    with pytest.raises(SynsemError, match=r"modernbert takes no attention bias; set cssl\.refinements: 0"):
        create(folder, refinements=1).loss(BATCH)
    assert create(folder).loss(BATCH)["loss"].isfinite()


def learn(system: System, steps: int, batch: Batch = BATCH) -> dict[str, float]:
    optimizer = torch.optim.AdamW(system.parameters(), lr=5e-3)
    system.train()
    for _ in range(steps):
        loss = system.loss(batch)["loss"]
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    system.eval()
    with torch.no_grad():
        return {name: value.item() for name, value in system.loss(batch).items()}


def las(gold: Sequence[Sentence], found: Sequence[Sentence]) -> float:
    return compare(gold, found).score().las


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"contrast": "none"},
        {"refinements": 1},
        {"refinements": 1, "encoder": "scratch"},
    ],
)
def test_it_learns_the_trees_it_is_shown(changed: dict[str, object], tiny_backbone: Path) -> None:
    system = create(tiny_backbone, **changed)
    values = learn(system, 60)
    assert values["las"] == values["uas"] == 1
    found = system.parse(TREES)
    assert las(TREES, found) == 100
    assert [tree.upos for tree in found] == [tree.upos for tree in TREES]
    assert ("contrast" in values) == (changed.get("contrast") != "none")


def test_the_given_tree_is_not_read_and_order_of_sentences_does_not_matter(tiny_backbone: Path) -> None:
    system = create(tiny_backbone, refinements=1)
    learn(system, 10)
    bare = [Sentence(tree.text, tree.words, ()) for tree in TREES]
    assert system.parse(TREES) == system.parse(bare) == system.parse(bare[::-1])[::-1]
    assert [system.parse([tree])[0].heads for tree in bare] == [tree.heads for tree in system.parse(bare)]


def test_every_tree_is_a_tree_with_one_root_that_alone_is_called_root(tiny_backbone: Path) -> None:
    system = create(tiny_backbone)
    torch.nn.init.normal_(system.scorers.arc.weight, std=9)
    torch.nn.init.normal_(system.scorers.label.weight, std=9)
    rng = np.random.default_rng(0)
    vocabulary = [word for tree in TREES for word in tree.words]
    sentences = [Sentence("", rng.choice(vocabulary, n).tolist(), ()) for n in (1, 2, 3, 9, 40, 90)]
    for given, tree in zip(sentences, system.parse(sentences), strict=True):
        assert tree.words == given.words
        assert is_tree(tree.heads)
        roots = [head == 0 for head in tree.heads]
        assert [relation == "root" for relation in tree.deprels] == roots
    assert system.parse([Sentence("")]) == [Sentence("")]
    assert system.parse([]) == []


@pytest.mark.parametrize("encoder", ["backbone", "scratch"])
def test_the_contrast_is_info_nce_of_the_view(encoder: str, tiny_backbone: Path) -> None:
    """Oracle: the loss in float64, of the view of the sentences and of their mined permutations."""
    system = create(tiny_backbone, encoder=encoder).eval()
    with torch.no_grad():
        losses = system.loss(BATCH)
    a, b = (system.embed(trees)["semantic"].astype(np.float64) for trees in (TREES, PERMUTED))
    logits = a @ b.T / TRAIN.tau
    expected = np.mean(np.log(np.exp(logits).sum(axis=1)) - np.diag(logits))
    assert losses["contrast"].item() == pytest.approx(expected, rel=1e-3, abs=1e-5)
    whole = losses["arc"] + losses["relation"] + losses["upos"] + losses["contrast"]
    torch.testing.assert_close(losses["loss"], whole)


def read(system: System, monkeypatch: pytest.MonkeyPatch, seed: int) -> list[list[str]]:
    """The words of the positives that one loss reads."""
    seen: list[list[str]] = []
    encode = system.words.encode

    def spy(sentences: Sequence[Sentence]) -> object:
        seen.extend(list(each.words) for each in sentences)
        return encode(sentences)

    monkeypatch.setattr(system.words, "encode", spy)
    torch.manual_seed(seed)
    system.loss(BATCH)
    monkeypatch.undo()
    return seen[len(TREES) :]


def test_training_draws_a_permutation_each_time_and_development_keeps_the_mined_one(
    tiny_backbone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = create(tiny_backbone).train()
    drawn = [read(system, monkeypatch, seed) for seed in range(8)]
    for positives in drawn:
        assert [sorted(words) for words in positives] == [sorted(tree.words) for tree in TREES]
        assert all(words != tree.words for words, tree in zip(positives, TREES, strict=True))
    assert len({" ".join(positives[3]) for positives in drawn}) > 3
    assert read(system, monkeypatch, 3) == drawn[3]
    own, mined = ([list(tree.words) for tree in trees] for trees in (TREES, PERMUTED))
    assert [read(system.eval(), monkeypatch, seed) for seed in (0, 1)] == [mined, mined]
    assert read(create(tiny_backbone, contrast="dropout").train(), monkeypatch, 0) == own


def test_a_loss_is_the_same_whatever_a_sentence_is_padded_to(tiny_backbone: Path) -> None:
    system = create(tiny_backbone, contrast="none").eval()
    torch.nn.init.normal_(system.scorers.arc.weight)
    together = system.loss(Batch(TREES, PERMUTED, []))
    alone = [system.loss(Batch([tree], [tree], [])) for tree in TREES]
    words = torch.tensor([float(len(tree.words)) for tree in TREES])
    for name in ("arc", "relation"):
        each = torch.stack([losses[name] for losses in alone])
        torch.testing.assert_close(together[name], (each * words).sum() / words.sum())


@pytest.mark.parametrize("encoder", ["backbone", "scratch"])
def test_without_positions_nothing_sees_the_order(encoder: str, tiny_backbone: Path) -> None:
    system = create(tiny_backbone, position="none", encoder=encoder).eval()
    tokens = system.words([TREES[0], PERMUTED[0]])
    pooled = pool(system.semantic.states(tokens), tokens.mask, "mean")
    torch.testing.assert_close(pooled[0], pooled[1], rtol=1e-4, atol=1e-5)
    a, b = system.embed([TREES[0], PERMUTED[0]])["semantic"]
    np.testing.assert_allclose(a, b, atol=1e-5)


@pytest.mark.parametrize("encoder", ["backbone", "scratch"])
def test_a_saved_parser_is_the_same_parser(encoder: str, tiny_backbone: Path, tmp_path: Path) -> None:
    system = create(tiny_backbone, encoder=encoder, refinements=1)
    learn(system, 5)
    registry.save(system, tmp_path / "model")
    loaded = registry.load(tmp_path / "model")
    assert isinstance(loaded, System)
    assert loaded.labels == system.labels
    assert loaded.parse(TREES) == system.parse(TREES)
    expected = system.embed(TREES)["semantic"]
    np.testing.assert_array_equal(loaded.embed(TREES)["semantic"], expected)
    embed, _ = loaded.embedder({"semantic"}, "exact")
    np.testing.assert_allclose(embed(TREES)["semantic"], expected, atol=1e-5)


def test_a_resumed_run_keeps_the_parameters_that_the_optimiser_holds(tiny_backbone: Path) -> None:
    system = create(tiny_backbone)
    held = [id(parameter) for parameter in system.parameters()]
    system.load_state_dict(system.state_dict())
    assert [id(parameter) for parameter in system.parameters()] == held


def test_every_parameter_is_in_one_group_and_gets_a_gradient(tiny_backbone: Path) -> None:
    system = create(tiny_backbone, refinements=1)
    learn(system, 1)
    groups = system.parameter_groups()
    grouped = [id(parameter) for group in groups for parameter in group["params"]]
    assert sorted(grouped) == sorted(id(parameter) for parameter in system.parameters())
    assert [group["lr"] for group in groups] == [
        DEFAULTS.cssl.learning_rate,
        DEFAULTS.cssl.parser_learning_rate,
    ]
    system.loss(BATCH)["loss"].backward()
    assert [name for name, parameter in system.named_parameters() if parameter.grad is None] == []
