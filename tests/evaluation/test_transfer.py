"""A classifier on a benchmark: which rows train it, which choose its setting, and how features are scaled."""

from collections.abc import Sequence

import numpy as np
import pytest

from pipeline.evaluation.classifiers import Problems
from pipeline.evaluation.data import Example
from pipeline.evaluation.tasks.pair_similarities import with_products
from pipeline.evaluation.transfer import Splits, classify, split_rows, standardised


def parts(train: int, tune: int, test: int) -> Splits:
    """So many rows of each, one after another."""
    of = np.repeat([0, 1, 2], [train, tune, test])
    return Splits(of == 0, of == 1, of == 2, "test")


class Grid:
    """Setting s names the class of ``answers[s]`` for each row; remembers what it was given."""

    def __init__(self, answers: np.ndarray, alone: bool = True) -> None:
        self.answers, self.alone = answers, alone
        self.fits: list[tuple[np.ndarray, np.ndarray, list[int]]] = []

    def __len__(self) -> int:
        return len(self.answers)

    def fit(self, features: np.ndarray, problems: Problems, settings: Sequence[int]) -> np.ndarray:
        self.fits.append((features, problems.weights > 0, list(settings)))
        return np.eye(2, dtype=np.float32)[self.answers[list(settings)]]


LABELS = np.tile([0, 1], 15)


@pytest.mark.parametrize("alone", [True, False])
def test_tuning_rows_choose_the_setting_and_then_train_it_too(alone: bool) -> None:
    splits = parts(10, 10, 10)
    right_on = [splits.train, splits.tune, splits.test]
    family = Grid(np.stack([np.where(rows, LABELS, 1 - LABELS) for rows in right_on]), alone)
    found = classify(np.random.default_rng(0).normal(size=(30, 4)), LABELS, splits, family)
    assert found.tolist() == family.answers[1].tolist()
    (_, first, asked), (_, second, again) = family.fits
    assert (first == splits.train).all()
    assert (second == (splits.train | splits.tune)).all()
    assert asked == [0, 1, 2]
    assert again == ([1] if alone else [0, 1, 2])


def test_of_equally_good_settings_the_most_regularised_is_chosen() -> None:
    """It comes last in the grid."""
    family = Grid(np.stack([1 - LABELS, LABELS, LABELS]))
    classify(np.random.default_rng(0).normal(size=(30, 4)), LABELS, parts(10, 10, 10), family)
    assert family.fits[1][2] == [2]


def test_features_are_standardised_by_the_training_rows_alone() -> None:
    features = np.random.default_rng(0).normal(3, 2, size=(30, 4)).astype(np.float32)
    features[10:] *= 50
    family, splits = Grid(LABELS[None]), parts(10, 10, 10)
    classify(features, LABELS, splits, family)
    for found, *_ in family.fits:
        assert found.dtype == np.float32
        np.testing.assert_allclose(found[splits.train].mean(axis=0), 0, atol=1e-5)
        np.testing.assert_allclose(found[splits.train].std(axis=0), 1, atol=1e-5)
        assert found[splits.test].std(axis=0).min() > 10


def test_a_feature_that_no_training_row_has_does_no_harm() -> None:
    """As most of a sketch where rows are few. Divided by 1e-6, it made a tuning row millions away.

    The refitted classifier then knew such rows by heart, and test rows by chance.
    """
    rng, splits = np.random.default_rng(0), parts(60, 20, 200)
    dense = rng.normal(size=(280, 10)).astype(np.float32)
    labels = (dense[:, 0] > 0).astype(np.int64)
    rare = 0.05 * (rng.random((280, 100)) < 0.02).astype(np.float32)
    rare[splits.train] = 0
    without = classify(dense, labels, splits)[splits.test] == labels[splits.test]
    found = classify(np.concatenate([dense, rare], axis=1), labels, splits)[splits.test]
    assert without.mean() > 0.9
    assert (found == labels[splits.test]).mean() == pytest.approx(without.mean(), abs=0.02)


def test_a_similarity_that_is_the_same_in_all_training_pairs_does_no_harm() -> None:
    """Such as the share of words in common, where all training pairs have the same words in another order."""
    rng, splits = np.random.default_rng(0), parts(200, 50, 200)
    columns = rng.normal(size=(450, 4))
    labels = (columns[:, 0] > 0).astype(np.int64)
    columns[:, 3] = 1.0
    columns[200::7, 3] = 0.9
    found = classify(with_products(columns, splits.train), labels, splits)[splits.test]
    assert (found == labels[splits.test]).mean() > 0.9


def test_a_column_that_differs_by_rounding_alone_is_not_scaled() -> None:
    columns = np.ones((30, 1))
    columns[:10, 0] += 1e-9 * np.arange(10)
    columns[20] = 3
    found = standardised(columns, parts(10, 10, 10).train)
    assert np.abs(found).max() == pytest.approx(2, abs=1e-6)


@pytest.mark.parametrize(
    ("there", "train", "tune", "test"),
    [
        (("train",), 3 / 5, 1 / 5, 1 / 5),
        (("dev",), 3 / 5, 1 / 5, 1 / 5),
        (("train", "test"), 2 / 5, 1 / 10, 1 / 2),
        (("dev", "test"), 2 / 5, 1 / 10, 1 / 2),
        (("train", "dev"), 2 / 5, 2 / 5, 1 / 5),
        (("train", "dev", "test"), 1 / 3, 1 / 3, 1 / 3),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, tuple) else "",
)
def test_a_split_that_is_missing_is_a_fifth_of_the_others(
    there: tuple[str, ...], train: float, tune: float, test: float
) -> None:
    of = [there[number % len(there)] for number in range(3000)]
    rows = [Example("own", "", split, f"text {n}", None, None, "0") for n, split in enumerate(of)]
    splits = split_rows(rows, 13, "own")
    found = (splits.train, splits.tune, splits.test)
    assert (sum(part.astype(int) for part in found) == 1).all()
    assert [part.mean() for part in found] == pytest.approx([train, tune, test], abs=0.02)
    for name, part in zip(("train", "dev", "test"), found, strict=True):
        # A split that is there loses rows to one that is missing, and gets none from another.
        assert name not in there or {split for split, use in zip(of, part, strict=True) if use} == {name}
    if len(there) < 3:  # which rows are drawn is a matter of the seed
        other = split_rows(rows, 14, "own")
        assert (splits.train != other.train).any()
