from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.spatial.distance import pdist
from sklearn.metrics.pairwise import paired_cosine_distances

from pipeline.core import metrics
from pipeline.core.errors import SynsemError

LABELLED = st.lists(st.tuples(st.booleans(), st.integers(-5, 5)), min_size=1, max_size=12)


@given(st.floats(-10, 10, width=32), st.sampled_from([np.float32, np.float64]))
def test_the_best_threshold_separates_neighbouring_scores(low: float, kind: type[np.floating]) -> None:
    """No number lies between them, and their mean is rounded to one or the other."""
    score = np.array([low, np.nextafter(kind(low), kind(11))], dtype=kind)
    assert ((score >= metrics.best_threshold([0, 1], score)) == [False, True]).all()


@given(LABELLED)
def test_the_best_threshold_is_midway_between_scores_and_the_lowest_of_equals(
    rows: list[tuple[bool, int]],
) -> None:
    """Brute force over the places that the docstring names: beside and between the distinct scores."""
    distinct = sorted({score for _, score in rows})
    between = [(low + high) / 2 for low, high in pairwise(distinct)]
    places = [distinct[0] - 1, *between, distinct[-1] + 1]
    right = [sum((score >= place) == gold for gold, score in rows) for place in places]
    found = metrics.best_threshold([gold for gold, _ in rows], [score for _, score in rows])
    assert found == places[right.index(max(right))]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=20))
def test_correlations_agree_with_scipy(pairs: list[tuple[int, int]]) -> None:
    x, y = np.array(pairs, dtype=float).T
    if len(set(x)) == 1 or len(set(y)) == 1:
        with pytest.raises(SynsemError, match="no correlation"):
            metrics.spearman(x, y)
        return
    assert metrics.spearman(x, y) == pytest.approx(100 * stats.spearmanr(x, y).statistic)
    assert metrics.pearson(x, y) == pytest.approx(100 * stats.pearsonr(x, y).statistic)


@pytest.mark.parametrize("value", [0.0, 0.1, 0.3, 1 / 3, 0.7, 1e-8, 12345.678])
def test_equal_scores_have_no_correlation_however_their_mean_is_rounded(value: float) -> None:
    for count in (2, 3, 10, 97):
        for sides in ((np.arange(count), np.full(count, value)), (np.full(count, value), np.arange(count))):
            with pytest.raises(SynsemError, match="no correlation"):
                metrics.pearson(*sides)


def test_alignment_and_uniformity_on_known_points() -> None:
    a = np.array([[1.0, 0.0], [0.0, 2.0]])
    b = np.array([[3.0, 0.0], [1.0, 0.0]])
    # Equal direction, then a right angle.
    assert metrics.alignment(metrics.cosines(a, b)) == pytest.approx((0 + 2) / 2)
    # The one pair of points is at squared distance 2: log(exp(-2 * 2)).
    assert metrics.uniformity(a) == pytest.approx(-4)
    # Three points, each pair once and no point with itself: squared distances 2, 4 and 2.
    three = np.array([[1.0, 0.0], [0.0, 2.0], [-5.0, 0.0]])
    assert metrics.uniformity(three) == pytest.approx(np.log((2 * np.exp(-4) + np.exp(-8)) / 3))
    with pytest.raises(SynsemError, match="at least two sentences"):
        metrics.uniformity(a[:1])


def test_cosines_are_summed_in_64_bits() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 20, 768)).astype(np.float32)
    expected = [
        sum(float(x) * float(y) for x, y in zip(*row, strict=True))
        for row in zip(metrics.unit(a), metrics.unit(b), strict=True)
    ]
    found = metrics.cosines(a, b)
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, np.round(expected, 6))


def test_pairs_of_equal_vectors_tie_however_their_numbers_were_rounded() -> None:
    """Texts that an encoder does not tell apart are in other batches, whose sums round otherwise."""
    rng = np.random.default_rng(1)
    a = metrics.unit(rng.normal(size=(300, 384)))
    b = a * (1 + rng.uniform(-3e-7, 3e-7, a.shape)).astype(np.float32)
    assert len(np.unique(np.einsum("nd,nd->n", a, b, dtype=np.float64))) > 1
    assert set(metrics.cosines(a, b)) == {1.0}
    gold = rng.integers(2, size=300)
    assert metrics.average_precision(gold, metrics.cosines(a, b)) == pytest.approx(100 * gold.mean())


@given(LABELLED)
def test_average_precision_is_that_of_the_definition_with_ties_retrieved_together(
    rows: list[tuple[bool, int]],
) -> None:
    """The mean, over the positives, of the precision at each one's score: no order among equals helps."""
    gold, score = [int(g) for g, _ in rows], [s for _, s in rows]
    if not 0 < sum(gold) < len(gold):
        return
    precisions = []
    for own, right in zip(score, gold, strict=True):
        above = [g for g, s in zip(gold, score, strict=True) if s >= own]
        precisions += [sum(above) / len(above)] * right
    assert metrics.average_precision(gold, score) == pytest.approx(100 * np.mean(precisions))
    order = np.random.default_rng(len(rows)).permutation(len(rows))
    shuffled = metrics.average_precision(np.array(gold)[order], np.array(score)[order])
    assert shuffled == pytest.approx(metrics.average_precision(gold, score))


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=20))
def test_macro_f1_is_the_mean_of_harmonic_means(pairs: list[tuple[int, int]]) -> None:
    """Of every class that is there or is named; one that is only named, or never, has 0."""
    found = []
    for label in {each for pair in pairs for each in pair}:
        hits = sum(pair == (label, label) for pair in pairs)
        there, named = (sum(pair[side] == label for pair in pairs) for side in (0, 1))
        precision, recall = hits / max(1, named), hits / max(1, there)
        found.append(2 * precision * recall / (precision + recall) if hits else 0.0)
    assert metrics.macro_f1(*zip(*pairs, strict=True)) == pytest.approx(100 * np.mean(found))


@given(st.integers(2, 12), st.integers(1, 5), st.integers(0, 10**6))
def test_alignment_and_uniformity_agree_with_scipy(n: int, d: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, n, d))
    first, second = (side / np.linalg.norm(side, axis=1, keepdims=True) for side in (a, b))
    distances = ((first - second) ** 2).sum(axis=1)
    assert metrics.alignment(metrics.cosines(a, b)) == pytest.approx(distances.mean(), abs=1e-5)
    expected = np.log(np.exp(-2 * pdist(first, "sqeuclidean")).mean())
    assert metrics.uniformity(a) == pytest.approx(expected, abs=1e-4)
    np.testing.assert_allclose(metrics.cosines(a, b), 1 - paired_cosine_distances(a, b), atol=1e-5)
