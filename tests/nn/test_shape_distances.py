import numpy as np
import pytest
import torch

from pipeline.levenshtein import normalised_distances
from pipeline.nn.shape_distances import LONGEST, misplacement, shapes

SEQUENCES = [["DET", "NOUN"], ["DET", "NOUN", "VERB"], ["VERB"], ["DET", "NOUN"]]


def test_it_is_the_mean_squared_difference_over_all_pairs() -> None:
    vectors = torch.from_numpy(np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32))
    edits = normalised_distances(SEQUENCES)
    expected = np.mean(
        [
            (1 - torch.cosine_similarity(vectors[i], vectors[j], dim=0).item() - edits[i, j]) ** 2
            for i in range(4)
            for j in range(i)
        ]
    )
    assert misplacement(vectors, shapes(SEQUENCES)).item() == pytest.approx(expected, abs=1e-6)
    assert misplacement(vectors[:1], shapes(SEQUENCES[:1])) == 0


def test_learning_it_puts_like_shapes_together() -> None:
    torch.manual_seed(0)
    vectors = torch.randn(4, 8, requires_grad=True)
    optimiser = torch.optim.Adam([vectors], lr=0.05)
    for _ in range(300):
        optimiser.zero_grad()
        misplacement(vectors, shapes(SEQUENCES)).backward()
        optimiser.step()
    assert torch.cosine_similarity(vectors[0], vectors[3], dim=0) > 0.98
    assert misplacement(vectors, shapes(SEQUENCES)) < 0.01


def test_a_shape_that_is_too_long_is_cut() -> None:
    assert shapes([["NOUN"] * 500, ["VERB"]]).shape == (2, LONGEST)
