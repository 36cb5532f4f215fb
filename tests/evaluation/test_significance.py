"""Bootstrap, t-test and Holm against references and by simulation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import average_precision_score

from pipeline.evaluation import significance

DRAW = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 4), st.integers(0, 3)), min_size=3, max_size=25)


@given(DRAW)
def test_a_draw_of_counts_is_the_metric_of_the_repeated_examples(rows: list[tuple[int, int, int]]) -> None:
    gold, score, counts = np.array(rows, dtype=float).T
    repeated = np.repeat(np.arange(len(rows)), counts.astype(int))
    if not 0 < gold[repeated].sum() < len(repeated) or np.ptp(score[repeated]) == 0:
        return
    expected = {
        significance.mean: 100 * score[repeated].mean(),
        significance.average_precision: 100 * average_precision_score(gold[repeated], score[repeated]),
        significance.spearman: 100 * stats.spearmanr(gold[repeated], score[repeated]).statistic,
    }
    for weighted, value in expected.items():
        assert weighted(counts[None], gold, score)[0] == pytest.approx(value)


def test_a_clear_difference_is_found_and_no_difference_is_not() -> None:
    rng = np.random.default_rng(0)
    a = (rng.random(400) < 0.6).astype(float)
    better = np.maximum(a, rng.random(400) < 0.3)
    found = significance.bootstrap("accuracy", a * 0, a, better)
    assert found.low > 0
    assert found.p < 0.01
    assert found.low < found.value < found.high
    same = significance.bootstrap("accuracy", a * 0, a, a)
    assert (same.value, same.p) == (0, 1)


def test_under_no_difference_few_p_values_are_small() -> None:
    rng = np.random.default_rng(1)
    small = 0
    for trial in range(60):
        a, b = (rng.random((2, 200)) < 0.7).astype(float)
        small += significance.bootstrap("accuracy", a, a, b, draws=200, seed=trial).p < 0.05
    assert small <= 9  # binomial(60, 0.05) exceeds 9 once in a thousand


def test_p_is_two_sided_as_that_of_the_normal_approximation() -> None:
    rng = np.random.default_rng(2)
    a = (rng.random(500) < 0.6).astype(float)
    for more in (0.0, 0.02, 0.05, -0.04):
        b = np.where(rng.random(500) < 0.3, (rng.random(500) < 0.6 + more), a).astype(float)
        z = (b - a).mean() / ((b - a).std() / np.sqrt(500))
        expected = 2 * stats.norm.sf(abs(z))
        there = significance.bootstrap("accuracy", a, a, b, draws=1000)
        back = significance.bootstrap("accuracy", a, b, a, draws=1000)
        assert there.p == pytest.approx(expected, abs=0.08)  # twice as large as one-sided
        assert there.p == back.p


def test_the_t_test_is_that_of_scipy() -> None:
    a, b = [80.1, 81.0, 79.5], [82.0, 82.2, 81.9]
    assert significance.paired_t(a, b) == pytest.approx(stats.ttest_rel(a, b).pvalue)
    assert np.isnan(significance.paired_t([1.0], [2.0]))
    assert significance.paired_t([1.0, 2.0], [1.0, 2.0]) == 1


def test_holm_by_hand() -> None:
    # Sorted 0.01, 0.02, 0.04 times 3, 2, 1, never falling: 0.03, 0.04, 0.04.
    np.testing.assert_allclose(significance.holm([0.04, 0.01, np.nan, 0.02]), [0.04, 0.03, np.nan, 0.04])
