"""Chunks against the whole: the same loss, the same gradients, the same dropout."""

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from pipeline.nn.gradcache import RandomState, backward_in_chunks
from pipeline.systems.base import Batch, System
from pipeline.training.batches import Examples, chunks
from pipeline.training.loop import forward_backward
from tests.training.conftest import Build


@pytest.fixture
def make(build: Build) -> Build:
    """Build a system as its first step finds it."""

    def made(name: str, chunk: int | None = None, **own: Any) -> System:
        system = build(name, {"chunk": chunk}, **own)
        system.begin_training()
        for parameter in system.parameters():  # off the zeros, at which a table has no gradient
            if not parameter.any():
                nn.init.normal_(parameter, std=0.1)
        return system

    return made


def gradients(system: System) -> dict[str, torch.Tensor]:
    found = {name: p.grad.clone() for name, p in system.named_parameters() if p.grad is not None}
    system.zero_grad()
    return found


def assert_close(a: dict[str, torch.Tensor], b: dict[str, torch.Tensor]) -> None:
    assert a.keys() == b.keys()
    for name in a:
        torch.testing.assert_close(a[name], b[name], atol=1e-5, rtol=1e-5, msg=lambda m, n=name: f"{n}: {m}")


@pytest.fixture
def batch(triplets: Path) -> Batch:
    return Examples(triplets, "train").batch(range(21))


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("sscp", {}),
        ("sscp", {"in_view": 0.5, "late": 0.3}),
        ("simcse", {}),
        ("synsem", {}),
    ],
)
@pytest.mark.parametrize("chunk", [1, 8, 50])
def test_chunks_give_the_loss_and_the_gradients_of_the_whole_batch(
    name: str, changed: dict[str, Any], chunk: int, make: Build, batch: Batch
) -> None:
    torch.manual_seed(0)
    system = make(name, **changed).eval()  # without dropout the two ways are comparable directly
    expected = forward_backward(system, batch)
    assert name != "synsem" or expected["contrast"].item() > 0  # a step of its second half
    expected_gradients = gradients(system)
    assert any(gradient.abs().max() > 1e-3 for gradient in expected_gradients.values())

    system.settings = type(system.settings)(
        system.settings.encoder,
        system.settings.train.model_copy(update={"chunk": chunk}),
        system.settings.system,
    )
    found = forward_backward(system, batch)
    assert_close(found, expected)
    assert_close(gradients(system), expected_gradients)


@pytest.mark.parametrize("name", ["sscp", "simcse"])  # synsem has no dropout
def test_dropout_is_active_and_the_same_in_both_passes(name: str, make: Build, batch: Batch) -> None:
    system = make(name, 8).train()
    first, second = system.encode(batch), system.encode(batch)
    for key in first:
        if first[key].requires_grad and len(first[key]):
            assert not torch.allclose(first[key], second[key]), key  # dropout acts

    torch.manual_seed(3)
    found = forward_backward(system, batch)
    after = torch.rand(1)
    found_gradients = gradients(system)
    torch.manual_seed(3)  # the oracle: the same chunks under the same chance, with every activation held
    parts = [system.encode(each) for each in chunks(batch, 8)]
    expected = system.loss_from_embeddings(
        {key: torch.cat([each[key] for each in parts]) for key in parts[0]}
    )
    expected["loss"].backward()
    assert_close(found, expected)
    assert_close(found_gradients, gradients(system))
    assert torch.equal(after, torch.rand(1))  # and chance goes on as if there had been one pass


def test_a_parameter_of_the_objective_and_the_scale_get_their_gradient() -> None:
    torch.manual_seed(0)
    layer, temperature = nn.Linear(4, 3), nn.Parameter(torch.tensor(0.5))
    rows = torch.randn(10, 4)

    def loss_from_embeddings(found: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        return {"loss": (found["x"] @ found["x"].T / temperature).logsumexp(1).mean() + found["key"].sum()}

    def encode(chunk: torch.Tensor) -> dict[str, torch.Tensor]:
        return {"x": layer(chunk), "key": torch.ones(len(chunk), dtype=torch.int64)}

    backward_in_chunks(rows.split(3), encode, loss_from_embeddings, lambda loss: 4 * loss, nullcontext)
    found = [layer.weight.grad, layer.bias.grad, temperature.grad]
    expected = torch.autograd.grad(
        4 * loss_from_embeddings(encode(rows))["loss"], [layer.weight, layer.bias, temperature]
    )
    torch.testing.assert_close(found, list(expected))


def test_the_random_state_is_played_again_and_then_left_alone() -> None:
    state = RandomState()
    first = torch.rand(3)
    with state.replayed():
        assert torch.equal(torch.rand(3), first)
    assert not torch.equal(torch.rand(3), first)
