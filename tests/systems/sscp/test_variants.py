"""Every variant of SSCP's objective and encoders: what it computes, how it is cut, saved and learnt."""

from pathlib import Path

import numpy as np
import pytest
import torch

from pipeline.core.params import Encoder, load_all
from pipeline.systems.base import Batch, registry
from pipeline.systems.sscp.model import System
from tests.systems.synsem.test_synsem_model import BATCH

DEFAULTS = load_all(Path(__file__).parents[3] / "params.yaml")
TRAIN = DEFAULTS.train.model_copy(update={"precision": "fp32"})


VARIANTS: dict[str, dict[str, object]] = {
    "default": {},
    "linear": {"bias": "linear"},
    "mismatched": {"bias": "mismatched"},
    "shuffled": {"bias": "shuffled"},
    "negatives": {"hard_negatives": True},
    "no positions": {"position": "none"},
}


def create(folder: Path, **changed: object) -> System:
    torch.manual_seed(0)
    params = DEFAULTS.sscp.model_copy(update=changed)
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
        Batch(BATCH.anchors[2:], BATCH.positives[2:], BATCH.negatives[2:], [0]),
    ]
    with torch.no_grad():
        whole = system.encode(BATCH)
        parts = [system.encode(half) for half in halves]
        joined = {name: torch.cat([part[name] for part in parts]) for name in whole}
        for name, rows in whole.items():
            torch.testing.assert_close(joined[name], rows, rtol=0, atol=1e-5)
        expected, found = system.loss(BATCH), system.loss_from_embeddings(joined)
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
    learning = {
        name for name, p in system.named_parameters() if p.grad is not None and p.grad.abs().sum() > 0
    }
    assert "syntactic.bias.table" in learning
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


@pytest.mark.parametrize("symmetric", [True, False])
def test_the_contrast_is_the_papers_equation_across_the_views(symmetric: bool, tiny_backbone: Path) -> None:
    """Eq. 4 and 5 in float64, of the views that ``embed`` gives: h_sem of anchors, h_syn of all others."""
    system = create(tiny_backbone, symmetric=symmetric, hard_negatives=True).eval()
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
    assert losses["loss"].item() == pytest.approx(expected, rel=1e-4)
