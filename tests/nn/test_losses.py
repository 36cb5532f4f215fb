import math

import numpy as np
import pytest
import torch

from pipeline.nn.encoder import pool
from pipeline.nn.losses import info_nce


def vectors(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    return float(a @ b / math.sqrt((a @ a) * (b @ b)))


def by_the_book(a: np.ndarray, b: np.ndarray, negatives: np.ndarray, tau: float, symmetric: bool) -> float:
    """Equations 4 and 5, literally."""
    total = 0.0
    for i in range(len(a)):
        forth = [math.exp(cosine(a[i], other) / tau) for other in [*b, *negatives]]
        total -= math.log(math.exp(cosine(a[i], b[i]) / tau) / sum(forth))
        if symmetric:
            back = [math.exp(cosine(b[i], other) / tau) for other in a]
            total -= math.log(math.exp(cosine(b[i], a[i]) / tau) / sum(back))
    return total / len(a)


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("hard", [0, 3])
def test_info_nce_is_the_papers_equation(symmetric: bool, hard: int) -> None:
    a, b, negatives = vectors(5, 8), vectors(5, 8, seed=1), vectors(hard, 8, seed=2)
    expected = by_the_book(a.numpy(), b.numpy(), negatives.numpy(), 0.3, symmetric)
    assert info_nce(a, b, 0.3, negatives, symmetric).item() == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("symmetric", [True, False])
def test_pairs_that_do_not_count_are_as_if_they_were_not_there(symmetric: bool) -> None:
    a, b, negatives = vectors(5, 8), vectors(5, 8, seed=1), vectors(3, 8, seed=2)
    pairs = torch.tensor([True, False, True, True, False])
    a.requires_grad_()
    found = info_nce(a, b, 0.3, negatives, symmetric, pairs)
    expected = info_nce(a[pairs], b[pairs], 0.3, negatives, symmetric)
    assert found.item() == pytest.approx(expected.item(), rel=1e-6)
    [gradient], [wanted] = (torch.autograd.grad(loss, a) for loss in (found, expected))
    torch.testing.assert_close(gradient, wanted)


@pytest.mark.parametrize("hard", [0, 3])
def test_a_batch_of_which_no_pair_counts_has_no_loss_and_no_gradient(hard: int) -> None:
    a, b, negatives = vectors(4, 8).requires_grad_(), vectors(4, 8, seed=1), vectors(hard, 8, seed=2)
    loss = info_nce(a, b, 0.1, negatives, pairs=torch.zeros(4, dtype=torch.bool))
    loss.backward()
    assert loss.item() == 0
    assert torch.equal(a.grad, torch.zeros(4, 8))


def test_pooling_ignores_padding() -> None:
    states = vectors(2, 3, 4)
    mask = torch.tensor([[True, True, True], [True, True, False]])
    torch.testing.assert_close(pool(states, mask, "mean")[1], states[1, :2].mean(dim=0))
    assert torch.equal(pool(states, mask, "cls"), states[:, 0])
