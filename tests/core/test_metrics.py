import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pipeline.core import metrics
from pipeline.core.errors import SynsemError

LABELLED = st.lists(st.tuples(st.booleans(), st.integers(-5, 5)), min_size=1, max_size=12)


@given(LABELLED)
def test_the_best_threshold_is_as_good_as_any(rows: list[tuple[bool, int]]) -> None:
    gold, score = np.array([g for g, _ in rows], dtype=int), np.array([s for _, s in rows], dtype=float)

    def right(threshold: float) -> int:
        return int(((score >= threshold) == gold).sum())

    found = metrics.best_threshold(gold, score)
    assert right(found) == max(right(t) for t in [*(score - 0.5), score.max() + 1])


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=20))
def test_correlations_agree_with_scipy(pairs: list[tuple[int, int]]) -> None:
    x, y = np.array(pairs, dtype=float).T
    if len(set(x)) == 1 or len(set(y)) == 1:
        with pytest.raises(SynsemError, match="no correlation"):
            metrics.spearman(x, y)
        return
    assert metrics.spearman(x, y) == pytest.approx(100 * stats.spearmanr(x, y).statistic)
    assert metrics.pearson(x, y) == pytest.approx(100 * stats.pearsonr(x, y).statistic)


def test_average_precision_of_a_hand_made_ranking() -> None:
    # Ranks of the positives: 1 and 3, so precision 1/1 and 2/3.
    assert metrics.average_precision([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]) == pytest.approx(
        100 * (1 + 2 / 3) / 2
    )
    with pytest.raises(SynsemError, match="only one class"):
        metrics.average_precision([1, 1], [0.1, 0.2])


def test_alignment_and_uniformity_on_known_points() -> None:
    a = np.array([[1.0, 0.0], [0.0, 2.0]])
    b = np.array([[3.0, 0.0], [1.0, 0.0]])
    assert metrics.alignment(a, b) == pytest.approx((0 + 2) / 2)  # equal direction, then a right angle
    # The one pair of points is at squared distance 2: log(exp(-2 * 2)).
    assert metrics.uniformity(a) == pytest.approx(-4)


def test_unit_keeps_a_zero_row() -> None:
    assert metrics.unit(np.zeros((1, 3))).tolist() == [[0, 0, 0]]
