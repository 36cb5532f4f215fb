"""The loss of SimCSE, written out: unsupervised without hard negatives, supervised with them."""

from pathlib import Path

import numpy as np
import pytest

from pipeline.systems.base import Batch
from tests.systems.test_systems import SIDES, TRAIN, create


@pytest.mark.parametrize("hard", [0, 2])
def test_an_anchor_is_contrasted_with_positives_and_hard_negatives_in_one_direction(
    hard: int, tiny_backbone: Path
) -> None:
    """Gao et al. 2021, eq. 1 and 5, in float64, of the vectors that ``embed`` gives."""
    system = create("simcse", tiny_backbone).eval()
    batch = Batch(SIDES[:2], SIDES[2:4], SIDES[1:3][:hard], [0, 1][:hard])
    anchors, positives = (
        system.embed(each)["semantic"].astype(np.float64) for each in (batch.anchors, batch.positives)
    )
    negatives = [system.embed([each])["semantic"][0].astype(np.float64) for each in batch.negatives]
    expected = 0.0
    for anchor, positive in zip(anchors, positives, strict=True):
        among = sum(np.exp(anchor @ other / TRAIN.tau) for other in (*positives, *negatives))
        expected -= np.log(np.exp(anchor @ positive / TRAIN.tau) / among) / len(anchors)
    assert system.loss(batch)["loss"].item() == pytest.approx(expected, rel=1e-4)
