"""The parser: what it learns, what it refuses, and that its trees are trees."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch

from pipeline.core.errors import SynsemError
from pipeline.nn import amp
from pipeline.nn.encoder import pool
from pipeline.nn.losses import info_nce
from pipeline.params import Encoder, load_all
from pipeline.syntax.attachment_scores import compare
from pipeline.syntax.sentence import Side
from pipeline.syntax.tree import is_tree
from pipeline.systems import registry
from pipeline.systems.base import Batch
from pipeline.systems.cssl.model import System

DEFAULTS = load_all(Path(__file__).parents[3] / "params.yaml")
TRAIN = DEFAULTS.train.model_copy(update={"precision": "fp32"})
SMALL = DEFAULTS.cssl.model_copy(
    update={
        "arc_size": 24,
        "label_size": 16,
        "max_tokens": 48,
        "dropout": 0.0,
        "scratch": DEFAULTS.cssl.scratch.model_copy(update={"vocabulary": 120, "width": 32, "layers": 1}),
    }
)


def side(words: str, heads: list[int], deprels: str, upos: str) -> Side:
    return Side(words, words.split(), heads, deprels.split(), upos.split())


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
    system = registry.create("cssl", encoder, TRAIN, SMALL.model_copy(update=changed))
    assert isinstance(system, System)
    if prepared:
        system.prepare(TREES)
    return system


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


def las(gold: Sequence[Side], found: Sequence[Side]) -> float:
    return compare(gold, found).score().las


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"encoder": "scratch", "lstm_layers": 1},
        {"refinements": 1},
        {"contrast": 0.0, "subwords": "first"},
        {"refinements": 2, "encoder": "scratch"},
        {"refinements": 1, "layers": "mix"},
    ],
)
def test_it_learns_the_trees_it_is_shown(changed: dict[str, object], tiny_backbone: Path) -> None:
    system = create(tiny_backbone, **changed)
    values = learn(system, 60)
    assert values["las"] == values["uas"] == 1
    found = system.parse(TREES)
    assert las(TREES, found) == 100
    assert [tree.upos for tree in found] == [tree.upos for tree in TREES]
    assert ("contrast" in values) == (changed.get("contrast") != 0.0)


def test_the_given_tree_is_not_read_and_order_of_sentences_does_not_matter(tiny_backbone: Path) -> None:
    system = create(tiny_backbone, refinements=1)
    learn(system, 10)
    bare = [Side(tree.text, tree.words, ()) for tree in TREES]
    assert system.parse(TREES) == system.parse(bare) == system.parse(bare[::-1])[::-1]
    assert [system.parse([tree])[0].heads for tree in bare] == [tree.heads for tree in system.parse(bare)]


def test_mixed_precision_finds_the_same_trees(tiny_backbone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    system = create(tiny_backbone, layers="mix", encoder="scratch", lstm_layers=1)
    learn(system, 60)
    found = []
    for native in (False, True):
        monkeypatch.setattr(amp, "has_native_fp16", lambda device, native=native: native)
        found.append(system.parse(TREES))
    assert found[0] == found[1]
    assert las(TREES, found[1]) == 100


def test_every_tree_is_a_tree_with_one_root_that_alone_is_called_root(tiny_backbone: Path) -> None:
    system = create(tiny_backbone)
    torch.nn.init.normal_(system.scorers.arc.weight, std=9)
    torch.nn.init.normal_(system.scorers.label.weight, std=9)
    rng = np.random.default_rng(0)
    vocabulary = [word for tree in TREES for word in tree.words]
    sentences = [Side("", rng.choice(vocabulary, n).tolist(), ()) for n in (1, 2, 3, 9, 40, 90)]
    for given, tree in zip(sentences, system.parse(sentences), strict=True):
        assert tree.words == given.words
        assert is_tree(tree.heads)
        roots = [head == 0 for head in tree.heads]
        assert [relation == "root" for relation in tree.deprels] == roots
    assert system.parse([Side("", (), ())]) == [Side("", (), ())]
    assert system.parse([]) == []


def test_the_contrast_is_info_nce_of_the_pooled_states_of_sentence_and_permutation(
    tiny_backbone: Path,
) -> None:
    system = create(tiny_backbone, contrast=0.5).eval()
    losses = system.loss(BATCH)
    vectors = []
    for trees in (TREES, PERMUTED):
        tokens = system.words([tree.words for tree in trees])
        vectors.append(pool(system.semantic.states(tokens), tokens.mask, "mean"))
    torch.testing.assert_close(
        losses["contrast"], info_nce(*vectors, TRAIN.tau, symmetric=False), rtol=1e-4, atol=1e-5
    )
    whole = losses["arc"] + losses["relation"] + losses["upos"] + 0.5 * losses["contrast"]
    torch.testing.assert_close(losses["loss"], whole)


def test_a_loss_is_the_same_whatever_a_sentence_is_padded_to(tiny_backbone: Path) -> None:
    system = create(tiny_backbone, contrast=0.0).eval()
    torch.nn.init.normal_(system.scorers.arc.weight)
    together = system.loss(Batch(TREES, PERMUTED, []))
    alone = [system.loss(Batch([tree], [tree], [])) for tree in TREES]
    words = torch.tensor([float(len(tree.words)) for tree in TREES])
    for name in ("arc", "relation"):
        each = torch.stack([losses[name] for losses in alone])
        torch.testing.assert_close(together[name], (each * words).sum() / words.sum())


def test_without_positions_word_order_is_invisible(tiny_backbone: Path) -> None:
    system = create(tiny_backbone, position="none", lstm_layers=2)
    assert system.lstm is None
    torch.nn.init.normal_(system.scorers.arc.weight)
    tokens = system.words([tree.words for tree in (TREES[0], PERMUTED[0])])
    pooled = pool(system.semantic.eval().states(tokens), tokens.mask, "mean")
    torch.testing.assert_close(pooled[0], pooled[1], rtol=1e-4, atol=1e-5)


def test_the_first_pass_of_a_refining_parser_feeds_the_second(tiny_backbone: Path) -> None:
    system = create(tiny_backbone, refinements=1).eval()
    assert system.bias is not None
    before = system.loss(BATCH)["arc"]
    torch.nn.init.normal_(system.bias.table, std=5)
    torch.nn.init.normal_(system.scorers.arc.weight)
    changed = system.loss(BATCH)["arc"]
    torch.nn.init.zeros_(system.bias.table)
    assert not torch.allclose(system.loss(BATCH)["arc"], changed)
    assert torch.isfinite(before)


@pytest.mark.parametrize("encoder", ["backbone", "scratch"])
def test_a_saved_parser_is_the_same_parser(encoder: str, tiny_backbone: Path, tmp_path: Path) -> None:
    system = create(tiny_backbone, encoder=encoder, refinements=1, lstm_layers=1)
    learn(system, 5)
    registry.save(system, tmp_path / "model")
    loaded = registry.load(tmp_path / "model")
    assert isinstance(loaded, System)
    assert loaded.labels == system.labels
    assert loaded.parse(TREES) == system.parse(TREES)
    np.testing.assert_array_equal(loaded.embed(TREES)["semantic"], system.embed(TREES)["semantic"])


def test_a_resumed_run_keeps_the_parameters_that_the_optimiser_holds(tiny_backbone: Path) -> None:
    system = create(tiny_backbone)
    held = [id(parameter) for parameter in system.parameters()]
    system.load_state_dict(system.state_dict())
    assert [id(parameter) for parameter in system.parameters()] == held


def test_every_parameter_is_in_one_group_and_gets_a_gradient(tiny_backbone: Path) -> None:
    system = create(tiny_backbone, refinements=1, lstm_layers=1)
    learn(system, 1)
    groups = system.parameter_groups()
    grouped = [id(parameter) for group in groups for parameter in group["params"]]
    assert sorted(grouped) == sorted(id(parameter) for parameter in system.parameters())
    assert [group["lr_scale"] for group in groups] == [1.0, SMALL.head_lr_scale]
    system.loss(BATCH)["loss"].backward()
    assert [name for name, parameter in system.named_parameters() if parameter.grad is None] == []


def test_examples_without_relations_are_refused(tiny_backbone: Path) -> None:
    system = create(tiny_backbone, prepared=False)
    with pytest.raises(SynsemError, match="relations"):
        system.prepare([Side("a b", ["a", "b"], [0, 1])])
