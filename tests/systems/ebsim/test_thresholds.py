"""A threshold of ``best_threshold`` calls its own score a match, in this table as in the pair tasks."""

import numpy as np
import pytest

from pipeline.core.metrics import best_threshold
from pipeline.systems.ebsim.frozen import zero_shot
from pipeline.systems.ebsim.labelled_pairs import Pairs, Task


def labelled(*targets: float) -> Pairs:
    return Pairs(["a"] * len(targets), ["b"] * len(targets), np.array(targets, dtype=np.float32))


@pytest.mark.parametrize("far", [0.4, np.nextafter(0.6, 0)], ids=["apart", "next to each other"])
def test_a_cosine_just_at_the_threshold_is_a_match(far: float) -> None:
    """Between two neighbouring numbers there is no other, so the threshold is the upper one."""
    dev, threshold = np.array([far, 0.6]), best_threshold([0, 1], [far, 0.6])
    task = Task("t", False, labelled(), labelled(0, 1), labelled(1, 0, 1))
    found = zero_shot(task, dev, np.array([0.9, 0.1, threshold]))
    assert found["dev"] == 100
    assert found["test"]["accuracy"] == 100
    assert found["test"]["f1"] == 100
