"""Encoders compute in the precision asked for; objectives in float32, on every path, close to float64."""

from pathlib import Path
from typing import Any

import pytest
import torch

from pipeline.nn import compute as amp
from pipeline.systems.base import Batch, System, objective
from pipeline.training.batches import Examples
from pipeline.training.checkpoint import Progress
from pipeline.training.loop import forward_backward, validate
from tests.training.conftest import Build

CPU = torch.device("cpu")


@pytest.fixture(autouse=True)
def bf16_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """A CPU without bf16 instructions emulates them, so that the test says the same everywhere."""
    monkeypatch.setattr(amp, "effective_precision", lambda device, kind: kind)


@pytest.fixture
def make(build: Build) -> Build:
    def made(name: str, precision: str = "bf16", chunk: int | None = None, **own: Any) -> System:
        system = build(name, {"precision": precision, "chunk": chunk}, **own)
        system.begin_training()
        return system

    return made


def near(rows: torch.Tensor, distance: float, seed: int) -> torch.Tensor:
    noise = torch.randn(rows.shape, generator=torch.Generator().manual_seed(seed))
    return rows + distance * noise


def info_nce_in_float64(
    a: torch.Tensor, b: torch.Tensor, negatives: torch.Tensor, tau: float, symmetric: bool
) -> float:
    a, b, negatives = (torch.nn.functional.normalize(each.double(), dim=1) for each in (a, b, negatives))
    forth = torch.cat([a @ b.T, a @ negatives.T], dim=1) / tau
    loss = (forth.logsumexp(dim=1) - forth.diagonal()).mean()
    if symmetric:
        back = b @ a.T / tau
        loss = loss + (back.logsumexp(dim=1) - back.diagonal()).mean()
    return loss.item()


def test_variants_at_cosines_near_one_are_told_apart(make: Build) -> None:
    # Positive and negative are both nearly the anchor, as rule-made variants are. In bf16 both cosines are 1.
    anchor = torch.randn(6, 384, generator=torch.Generator().manual_seed(1))
    positive, negative = near(anchor, 0.02, 2), near(anchor, 0.06, 3)
    for name, symmetric in (("simcse", False), ("sscp", True)):
        system = make(name)
        rows = {"anchor": anchor, "positive": positive, "negative": negative}
        expected = info_nce_in_float64(anchor, positive, negative, 0.05, symmetric)
        with amp.autocast(CPU, "bf16"):
            found = objective(system, rows)["loss"].item()
        assert found == pytest.approx(expected, abs=1e-5)
        assert abs(expected - (1 + symmetric) * torch.tensor(2.0).log().item()) > 0.01


@pytest.mark.parametrize("name", ["sscp", "simcse", "synsem"])
@pytest.mark.parametrize("path", ["whole", "chunks", "validation"])
def test_encoders_run_under_autocast_and_objectives_do_not(
    name: str, path: str, make: Build, triplets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = make(name, chunk=5 if path == "chunks" else None)
    encode, loss = system.encode, system.loss_from_embeddings
    called: list[str] = []

    def watched_encode(batch: Batch) -> dict[str, torch.Tensor]:
        called.append("encode")
        assert torch.is_autocast_enabled("cpu")
        found = encode(batch)
        return {key: rows.bfloat16() if rows.is_floating_point() else rows for key, rows in found.items()}

    def watched_loss(embeddings: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        called.append("loss")
        assert not torch.is_autocast_enabled("cpu")
        assert {rows.dtype for rows in embeddings.values()} <= {torch.float32, torch.int64}
        return loss(embeddings)

    monkeypatch.setattr(system, "encode", watched_encode)
    monkeypatch.setattr(system, "loss_from_embeddings", watched_loss)
    if path == "validation":
        numbers = [range(8), range(8, 12)]
        validate(system, Examples(triplets, "dev"), numbers, Progress(), lambda step, values: None)
        assert called == ["encode", "loss"] * 2
        return
    forward_backward(system, Examples(triplets, "train").batch(range(12)))
    assert called == (["encode", "loss"] if path == "whole" else ["encode"] * 3 + ["loss"] + ["encode"] * 3)
    assert all(torch.isfinite(p.grad).all() for p in system.parameters() if p.grad is not None)
