"""Every variant of SSCP's objective and encoders: what it computes, how it is cut, saved and learnt."""

from pathlib import Path

import numpy as np
import pytest
import torch

from pipeline.core.errors import SynsemError
from pipeline.nn.losses import info_nce, similarity_distillation
from pipeline.params import Encoder, load_all
from pipeline.syntax.sentence import Side
from pipeline.systems import registry
from pipeline.systems.base import Batch
from pipeline.systems.sscp.model import System

DEFAULTS = load_all(Path(__file__).parents[3] / "params.yaml")
TRAIN = DEFAULTS.train.model_copy(update={"precision": "fp32"})


def side(subject: str, verb: str, thing: str) -> Side:
    words = ["The", subject, verb, "the", thing, "."]
    deprels, upos = (
        ["det", "nsubj", "root", "det", "obj", "punct"],
        ["DET", "NOUN", "VERB", "DET", "NOUN", "PUNCT"],
    )
    return Side(" ".join(words), words, [2, 3, 0, 5, 3, 3], deprels, upos)


def embedded(subject: str, thing: str) -> Side:
    words = ["They", "say", "the", subject, "saw", thing]
    deprels = ["nsubj", "root", "det", "nsubj", "ccomp", "obj"]
    return Side(
        " ".join(words), words, [2, 0, 4, 5, 2, 5], deprels, ["PRON", "VERB", "DET", "NOUN", "VERB", "NOUN"]
    )


NAMES = [("cat", "dog"), ("king", "queen"), ("ship", "river"), ("man", "horse"), ("child", "book")]
BATCH = Batch(
    anchors=[side(a, "saw", b) for a, b in NAMES],
    positives=[embedded(a, b) for a, b in NAMES],
    negatives=[side(b, "saw", a) for a, b in NAMES[:3]] + [side("man", "saw", "book")],
    owners=[0, 1, 2, 3],
)
VARIANTS: dict[str, dict[str, object]] = {
    "default": {},
    "in_view": {"in_view": 0.5},
    "late": {"late": 0.5},
    "one view": {"views": "one"},
    "one view, late": {"views": "one", "late": 1.0, "in_view": 1.0},
    "view-specific": {"across": 0.0, "in_view": 1.0},
    "directed": {"directed": True},
    "edge types": {"edge_types": True},
    "random, late": {"bias": "random", "late": 1.0, "edge_types": True},
    "other": {"bias": "other"},
    "shuffled, late": {"bias": "shuffled", "late": 1.0, "edge_types": True},
    "no negatives": {"hard_negatives": False, "late": 1.0},
}


def create(folder: Path, **changed: object) -> System:
    torch.manual_seed(0)
    params = DEFAULTS.sscp.model_copy(update={"max_distance": 4, **changed})
    encoder = Encoder(model=str(folder), max_tokens=32, pooling="mean")
    system = registry.create("sscp", encoder, TRAIN, params)
    assert isinstance(system, System)
    return system


@pytest.mark.parametrize("variant", VARIANTS)
def test_parts_of_a_batch_put_end_to_end_are_the_batch(variant: str, tiny_backbone: Path) -> None:
    system = create(tiny_backbone, **VARIANTS[variant]).eval()
    system.begin_training()
    halves = [
        Batch(BATCH.anchors[:2], BATCH.positives[:2], BATCH.negatives[:2], [0, 1]),
        Batch(BATCH.anchors[2:], BATCH.positives[2:], BATCH.negatives[2:], [0, 1]),
    ]
    with torch.no_grad():
        whole = system.encode(BATCH)
        parts = [system.encode(half) for half in halves]
        assert set(parts[0]) == set(parts[1]) == set(whole)
        joined = {name: torch.cat([part[name] for part in parts]) for name in whole}
        for name, rows in whole.items():
            torch.testing.assert_close(joined[name], rows, rtol=0, atol=1e-5)
        expected, found = system.loss(BATCH), system.loss_from_embeddings(joined)
    assert set(expected) == set(found)
    for name, value in expected.items():
        assert found[name].item() == pytest.approx(value.item(), abs=1e-5)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_variant_learns_and_is_the_same_after_a_save(
    variant: str, tiny_backbone: Path, tmp_path: Path
) -> None:
    system = create(tiny_backbone, **VARIANTS[variant])
    system.begin_training()
    members = [id(p) for group in system.parameter_groups() for p in group["params"]]
    assert sorted(members) == sorted({id(p) for p in system.parameters()})
    losses = system.loss(BATCH)
    losses["loss"].backward()
    params = system.params
    terms = {
        "contrast": params.across,
        "distillation": params.distillation,
        "in_view": params.in_view,
        "late": params.late,
    }
    total = sum(weight * losses[name].item() for name, weight in terms.items() if weight)
    assert losses["loss"].item() == pytest.approx(total, rel=1e-5)
    learning = {
        name for name, p in system.named_parameters() if p.grad is not None and p.grad.abs().sum() > 0
    }
    assert "syntactic.bias.table" in learning
    assert ("syntactic.bias.edges" in learning) == params.edge_types
    assert ("late_interaction.mixture" in learning) == (params.late > 0)
    with torch.no_grad():
        for parameter in system.parameters():
            parameter += 0.02 * torch.randn_like(parameter)
    system.eval()
    registry.save(system, tmp_path / "model")
    loaded = registry.load(tmp_path / "model")
    assert isinstance(loaded, System)
    before, after = system.embed(BATCH.anchors), loaded.embed(BATCH.anchors)
    for view, matrix in before.items():
        np.testing.assert_array_equal(matrix, after[view])
    first, second = (each.late_scores(BATCH.anchors, BATCH.positives) for each in (system, loaded))
    np.testing.assert_array_equal(first, second)


def test_the_teacher_is_the_encoder_as_it_was_when_training_began(tiny_backbone: Path) -> None:
    system = create(tiny_backbone, distillation=1.0).eval()
    system.begin_training()
    before = system.encode(BATCH)
    with torch.no_grad():
        for parameter in system.semantic.parameters():
            parameter += 0.1 * torch.randn_like(parameter)
    after = system.train().encode(BATCH)
    for side in ("anchor", "positive"):
        assert torch.equal(before[f"known.{side}"], after[f"known.{side}"])
        assert not after[f"known.{side}"].requires_grad
    assert not torch.allclose(before["semantic.anchor"], after["semantic.anchor"])


def test_the_distillation_is_the_mean_over_anchors_and_positives(tiny_backbone: Path) -> None:
    system = create(tiny_backbone, distillation=0.5, across=0.0).eval()
    random = torch.Generator().manual_seed(0)
    names = ("semantic.anchor", "syntactic.positive", "syntactic.negative", "known.anchor", "known.positive")
    found = {name: torch.randn(5, 8, generator=random) for name in names}
    anchors, positives = (
        similarity_distillation(found[student], found[teacher], TRAIN.tau)
        for student, teacher in ((names[0], names[3]), (names[1], names[4]))
    )
    losses = system.loss_from_embeddings(found)
    torch.testing.assert_close(losses["distillation"], (anchors + positives) / 2)
    torch.testing.assert_close(losses["loss"], (anchors + positives) / 4)


@pytest.mark.parametrize("symmetric", [True, False])
def test_the_contrast_is_the_papers_equation_across_the_views(symmetric: bool, tiny_backbone: Path) -> None:
    """Eq. 4 and 5 in float64, of the views that ``embed`` gives: h_sem of anchors, h_syn of all others."""
    system = create(tiny_backbone, symmetric=symmetric, distillation=0.0).eval()
    torch.nn.init.normal_(system.get_parameter("syntactic.bias.table"), std=9)
    with torch.no_grad():
        losses = system.loss(BATCH)
    anchors = system.embed(BATCH.anchors)["semantic"].astype(np.float64)
    positives, negatives = (
        system.embed(each)["syntactic"].astype(np.float64) for each in (BATCH.positives, BATCH.negatives)
    )
    expected = 0.0
    for i in range(len(anchors)):
        near = np.exp(anchors[i] @ positives[i] / TRAIN.tau)
        forth = np.exp(np.concatenate([positives, negatives]) @ anchors[i] / TRAIN.tau)
        expected -= np.log(near / forth.sum()) / len(anchors)
        if symmetric:
            expected -= np.log(near / np.exp(anchors @ positives[i] / TRAIN.tau).sum()) / len(anchors)
    assert losses["contrast"].item() == pytest.approx(expected, rel=1e-4)
    assert losses["loss"] == losses["contrast"]


@pytest.mark.parametrize("symmetric", [True, False])
def test_a_one_way_loss_is_one_way_within_the_views_too(symmetric: bool, tiny_backbone: Path) -> None:
    system = create(tiny_backbone, in_view=1.0, symmetric=symmetric, distillation=0.0).eval()
    with torch.no_grad():
        found, vectors = system.loss(BATCH), system.encode(BATCH)
    within = [
        info_nce(*(vectors[f"{view}.{side}"] for side in ("anchor", "positive")), TRAIN.tau,
                 vectors[f"{view}.negative"], symmetric)
        for view in ("semantic", "syntactic")
    ]  # fmt: skip
    torch.testing.assert_close(found["in_view"], (within[0] + within[1]) / 2)


def test_an_objective_of_nothing_is_refused(tiny_backbone: Path) -> None:
    nothing = dict.fromkeys(("across", "in_view", "late", "distillation"), 0.0)
    for name in nothing:
        create(tiny_backbone, **nothing | {name: 1.0})
    with pytest.raises(SynsemError, match=r"^sscp: across, in_view, late and distillation are all 0; give"):
        create(tiny_backbone, **nothing)


@pytest.mark.parametrize("wanted", ["directed", "edge_types"])
def test_a_control_without_a_tree_takes_nothing_from_one(wanted: str, tiny_backbone: Path) -> None:
    """Edges would tell it the tree, and it has no steps up and down."""
    with pytest.raises(
        SynsemError, match=rf"^sscp\.{wanted}: .* reads no tree; set it to false, or sscp.bias"
    ):
        create(tiny_backbone, bias="linear", **{wanted: True})
    create(tiny_backbone, bias="none", **{wanted: True})


@pytest.mark.parametrize("bias", [3.0, 1.0])
def test_new_parameters_alone_have_a_rate_of_their_own_and_no_weight_decay(
    tiny_backbone: Path, bias: float
) -> None:
    rates = {"bias_learning_rate": bias, "position_learning_rate": 5.0, "late_learning_rate": 7.0}
    system = create(tiny_backbone, position="both", learning_rate=1.0, **rates)
    group_of = {id(each): group for group in system.parameter_groups() for each in group["params"]}
    groups = {name: group_of[id(each)] for name, each in system.named_parameters()}
    new = ("syntactic.bias.", "syntactic.position.", "late_interaction.")
    for name, group in groups.items():
        assert group.get("weight_decay") == (0.0 if name.startswith(new) else None)
    assert {group["lr"] for group in groups.values()} == {1.0, bias, 5.0, 7.0}
    assert {group["lr"] for name, group in groups.items() if not name.startswith(new)} == {1.0}


def test_one_view_has_one_set_of_weights(tiny_backbone: Path, tmp_path: Path) -> None:
    sizes = {}
    for views in ("two", "one"):
        registry.save(create(tiny_backbone, views=views), tmp_path / views)
        sizes[views] = (tmp_path / views / "model.safetensors").stat().st_size
    assert sizes["one"] < 0.6 * sizes["two"]


def test_with_one_view_the_anchor_is_read_with_its_tree(tiny_backbone: Path) -> None:
    system = create(tiny_backbone, views="one", distillation=0.0).eval()
    torch.nn.init.normal_(system.get_parameter("syntactic.bias.table"), std=9)
    with torch.no_grad():
        loss = system.loss(BATCH)["loss"].item()
    views = [
        torch.from_numpy(system.embed(sides)["syntactic"])
        for sides in (BATCH.anchors, BATCH.positives, BATCH.negatives)
    ]
    assert loss == pytest.approx(info_nce(views[0], views[1], TRAIN.tau, views[2]).item(), rel=1e-4)


def test_late_interaction_knows_who_did_it(tiny_backbone: Path) -> None:
    """The same words in the same and in exchanged roles, untrained, in both orders of the pair."""
    system = create(tiny_backbone).eval()
    a, swapped = BATCH.anchors[:3], BATCH.negatives[:3]
    same, other, back = (system.late_scores(x, y) for x, y in ((a, a), (a, swapped), (swapped, a)))
    assert (same > other).all()
    np.testing.assert_allclose(other, back, atol=1e-5)
    with pytest.raises(SynsemError, match="carries no relations or tags"):
        system.late_scores([Side("Rain fell.", ["Rain", "fell", "."], [2, 0, 2])], a[:1])


def test_the_untouched_backbone_scores_pairs_as_sscp_does_before_training(tiny_backbone: Path) -> None:
    encoder = Encoder(model=str(tiny_backbone), max_tokens=32, pooling="mean")
    assert not hasattr(registry.backbone(encoder), "late_scores")  # it reads no trees
    reader = registry.backbone(encoder.model_copy(update={"sketch": DEFAULTS.encoder.sketch}))
    assert hasattr(reader, "late_scores")
    found = reader.late_scores(BATCH.anchors, BATCH.positives)
    expected = create(tiny_backbone).eval().late_scores(BATCH.anchors, BATCH.positives)
    np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("position", ["absolute", "graph"])
def test_a_text_without_a_word_is_the_same_alone_as_beside_others(tiny_backbone: Path, position: str) -> None:
    system = create(tiny_backbone, position=position, bias="tree" if position == "absolute" else "none")
    blank = Side("", (), ())
    beside = system.embed([blank, side("cat", "saw", "dog")])
    for view, vectors in system.embed([blank]).items():
        np.testing.assert_allclose(vectors[0], beside[view][0], atol=1e-6)
    assert np.isfinite(system.late_scores([blank], [blank])).all()
