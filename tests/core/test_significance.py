"""Bootstrap, t-test and Holm against references and by simulation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import average_precision_score

from pipeline.core import metrics

DRAW = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 4), st.integers(0, 3)), min_size=3, max_size=25)


@given(DRAW)
def test_a_draw_of_counts_is_the_metric_of_the_repeated_examples(rows: list[tuple[int, int, int]]) -> None:
    gold, score, counts = np.array(rows, dtype=float).T
    repeated = np.repeat(np.arange(len(rows)), counts.astype(int))
    if not 0 < gold[repeated].sum() < len(repeated) or np.ptp(score[repeated]) == 0:
        return
    expected = {
        metrics.weighted_mean: 100 * score[repeated].mean(),
        metrics.weighted_average_precision: 100 * average_precision_score(gold[repeated], score[repeated]),
        metrics.weighted_spearman: 100 * stats.spearmanr(gold[repeated], score[repeated]).statistic,
    }
    for weighted, value in expected.items():
        assert weighted(counts[None], gold, score)[0] == pytest.approx(value)


def test_p_is_two_sided_as_that_of_the_normal_approximation() -> None:
    rng = np.random.default_rng(2)
    a = (rng.random(500) < 0.6).astype(float)
    for more in (0.0, 0.02, 0.05, -0.04):
        b = np.where(rng.random(500) < 0.3, (rng.random(500) < 0.6 + more), a).astype(float)
        z = (b - a).mean() / ((b - a).std() / np.sqrt(500))
        expected = 2 * stats.norm.sf(abs(z))
        there = metrics.bootstrap("accuracy", a, a, b, draws=1000)
        back = metrics.bootstrap("accuracy", a, b, a, draws=1000)
        assert there.p == pytest.approx(expected, abs=0.08)  # twice as large as one-sided
        assert there.p == back.p


def test_the_t_test_is_that_of_scipy() -> None:
    a, b = [80.1, 81.0, 79.5], [82.0, 82.2, 81.9]
    assert metrics.paired_t(a, b) == pytest.approx(stats.ttest_rel(a, b).pvalue)
    assert np.isnan(metrics.paired_t([1.0], [2.0]))
    assert metrics.paired_t([1.0, 2.0], [1.0, 2.0]) == 1


def test_holm_by_hand() -> None:
    # Sorted 0.01, 0.02, 0.04 times 3, 2, 1, never falling: 0.03, 0.04, 0.04.
    np.testing.assert_allclose(metrics.holm([0.04, 0.01, np.nan, 0.02]), [0.04, 0.03, np.nan, 0.04])


def test_a_bootstrap_of_several_blocks_is_that_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    gold, a, b = rng.integers(0, 2, 30), rng.random(30), rng.random(30)
    whole = metrics.bootstrap("ap", gold, a, b, draws=50)
    monkeypatch.setattr(metrics, "_BLOCK", 30 * 7)
    assert metrics.bootstrap("ap", gold, a, b, draws=50) == whole
    assert whole.a == pytest.approx(100 * average_precision_score(gold, a))
    assert whole.b == pytest.approx(100 * average_precision_score(gold, b))


def test_the_interval_is_the_middle_of_the_draws() -> None:
    """Of the difference of two means: its normal interval, sd of the paired differences over root n."""
    rng = np.random.default_rng(4)
    a = rng.random(400)
    b = a + rng.normal(0.1, 0.5, 400)
    found = metrics.bootstrap("mrr", a, a, b, draws=4000)
    half = 100 * 1.96 * (b - a).std() / np.sqrt(400)
    assert found.low == pytest.approx(found.value - half, abs=0.1 * half)
    assert found.high == pytest.approx(found.value + half, abs=0.1 * half)


def test_equal_differences_of_rounded_figures_are_no_evidence_whatever_their_last_bits() -> None:
    """53.16 - 52.75 and 65.18 - 64.77 differ by 7e-15, of which the t-test made p = 1e-14."""
    for before, gain in (([52.75, 64.77], 0.41), ([58.98, 50.5, 64.39, 84.67, 59.49], 1.35)):
        assert np.isnan(metrics.paired_t(before, [round(value + gain, 2) for value in before]))
    assert metrics.paired_t([52.75, 64.77], [53.16, 65.19]) < 0.05  # a hundredth is no rounding


def test_too_few_examples_are_not_tested() -> None:
    """Five that all changed gave p = 0.002 and an interval without width; a sign test of them gives 0.06."""
    for count in (1, 5, metrics.FEWEST - 1):
        found = metrics.bootstrap("accuracy", np.zeros(count), np.zeros(count), np.ones(count))
        assert (found.a, found.b, found.value) == (0, 100, 100)
        assert np.isnan([found.low, found.high, found.p]).all()
    enough = np.zeros(metrics.FEWEST)
    assert metrics.bootstrap("accuracy", enough, enough, enough + 1).p < 0.05


def test_few_examples_that_differ_among_many_are_no_more_certain_than_alone() -> None:
    """Of 200 of which five differ, all for the better, most draws say the same; a sign test says 0.0625."""
    a = np.zeros(200)
    for differing, least in ((0, 1.0), (1, 1.0), (5, 0.0625), (12, 2.0**-11)):
        b = a.copy()
        b[:differing] = 1
        sign_test = stats.binomtest(differing, differing).pvalue if differing else 1.0
        assert least == pytest.approx(sign_test)
        found = metrics.bootstrap("accuracy", a, a, b, draws=2000)
        assert found.p == pytest.approx(max(least, 2 / 2001))
        assert metrics.bootstrap("accuracy", a, b, a, draws=2000).p == found.p
    # Of a metric of ranks one example moves all others.
    gold, once = np.arange(40) % 2, np.arange(40.0)
    assert metrics.least_p("ap", [(once, np.where(once == 39, 99, once))]) == 0
    assert metrics.bootstrap("ap", gold, -once, gold * 100.0 - once).p < 0.01


@given(st.lists(st.floats(0, 1, allow_subnormal=False), max_size=8))
def test_holm_is_the_largest_of_the_adjusted_before_it(p: list[float]) -> None:
    """Holm 1979: with p ranked, the adjusted j-th is the largest (m - i + 1) p_i of all i up to j."""
    adjusted = metrics.holm(p)
    for one, found in zip(p, adjusted, strict=True):
        smaller = [(len(p) - sum(other < each for other in p)) * each for each in p if each <= one]
        assert found == pytest.approx(min(1.0, max(smaller)))
