"""Batched classifiers find what scikit-learn's find one at a time, and see only the rows that they may."""

from collections.abc import Sequence

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier

from pipeline.core.seeding import word_key
from pipeline.evaluation import classifiers
from pipeline.evaluation.classifiers import Fitter, Problem, Splits, classify, split_rows


def blobs(seed: int, n: int = 400, d: int = 20, classes: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Overlapping classes along directions of very unequal variance."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d)) * np.exp(-np.arange(d) / 4)
    y = (x @ rng.normal(size=(d, classes)) + 0.7 * rng.normal(size=(n, classes))).argmax(1)
    return x.astype(np.float32), y


# Of few rows the eigenvectors differ, of many the product that they are of.
@pytest.mark.parametrize(("rows", "width"), [(1357, 384), (20_000, 64)])
def test_the_number_of_threads_changes_no_bit(rows: int, width: int) -> None:
    features = np.random.default_rng(0).standard_normal((rows, width)).astype(np.float32)
    features /= np.linalg.norm(features, axis=1, keepdims=True)
    before, found = torch.get_num_threads(), []
    try:
        for threads in (1, 2, 4):
            torch.set_num_threads(threads)
            found.append(Fitter(features))
            assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(before)
    assert all(torch.equal(found[0].rotated, each.rotated) for each in found)


def test_every_problem_reaches_the_optimum_of_scikit_learn() -> None:
    x, y = blobs(0)
    two, far = (y > 1).astype(int), np.abs(x).max(1) > 1.5
    masks = [np.arange(400) % 4 != fold for fold in range(3)]
    plan = [(labels, mask, p) for labels in (y, two) for mask in masks for p in (1e-3, 1e-2, 1e-1, 1.0)]
    problems = [Problem(labels, mask, penalty, int(labels.max()) + 1) for labels, mask, penalty in plan]
    found = Fitter(x, tolerance=1e-5).predict(problems)
    for predicted, (labels, mask, penalty) in zip(found, plan, strict=True):
        # scikit-learn's binary form has one vector of weights, hence half the penalty on it.
        c = (2 if labels.max() == 1 else 1) / (penalty * mask.sum())
        reference = LogisticRegression(C=c, tol=1e-8, max_iter=5000).fit(x[mask], labels[mask])
        likely = np.sort(reference.predict_proba(x), axis=1)
        sure = likely[:, -1] - likely[:, -2] > 5e-3  # nearly equal ones may come either way
        assert sure.mean() > 0.9
        np.testing.assert_array_equal(predicted[sure], reference.predict(x)[sure])
    assert far.any()


def test_other_rows_and_problems_do_not_matter() -> None:
    x, y = blobs(1)
    mask = np.arange(400) < 200
    other = np.where(mask, y, 0)
    fitter = Fitter(x)
    alone, besides = (fitter.predict([Problem(labels, mask, 0.01, 4)])[0] for labels in (y, other))
    np.testing.assert_array_equal(alone, besides)
    beside = [Problem(1 - (y > 1), mask, 0.1, 2), Problem(y, mask, 1.0, 4), Problem(y, mask, 0.01, 4)]
    np.testing.assert_array_equal(fitter.predict(beside)[2], alone)


def test_a_class_that_a_problem_lacks_is_never_predicted() -> None:
    x, y = blobs(2)
    every = np.ones(400, dtype=bool)
    fitter = Fitter(x)
    assert set(fitter.predict([Problem(y, every, 0.01, 4), Problem(y % 2, every, 0.01, 2)])[1]) == {0, 1}
    assert set(fitter.predict([Problem(y, y == 2, 0.01, 4)])[0]) == {2}
    fitter.predict([Problem(y, 0 * y > 0, 0.01, 4)])  # without a training row it ends at once


def test_a_network_learns_what_no_line_can_separate() -> None:
    x = np.random.default_rng(0).normal(size=(600, 4)).astype(np.float32)
    y = (np.linalg.norm(x[:, :2], axis=1) > 1.2).astype(np.int64)
    train = np.arange(600) < 400
    problems = [Problem(y, train, alpha, 2) for alpha in (1e-4, 1e3)]
    fitter = Fitter(x, "mlp")
    found = (fitter.predict(problems)[:, ~train] == y[~train]).mean(axis=1)
    reference = MLPClassifier((50,), "logistic", learning_rate_init=0.01, max_iter=400, random_state=0)
    assert found[0] > reference.fit(x[train], y[train]).score(x[~train], y[~train]) - 0.1
    assert found[1] < 0.8  # decay so strong that nothing is learnt


def parts(train: int, tune: int, test: int) -> Splits:
    """So many rows of each, one after another."""
    of = np.repeat([0, 1, 2], [train, tune, test])
    return Splits(of == 0, of == 1, of == 2, "test")


LABELS = np.tile([0, 1], 15)


class Known(Fitter):
    """A setting s names the class of ``answers[s]`` for each row; remembers what it was given."""

    answers: np.ndarray
    fits: list[tuple[np.ndarray, list[Problem]]]

    def predict(self, problems: Sequence[Problem]) -> np.ndarray:
        self.fits.append((self.features, list(problems)))
        return np.stack([self.answers[int(each.penalty)] for each in problems])


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> type[Known]:
    Known.fits = []
    monkeypatch.setattr(classifiers, "Fitter", Known)
    return Known


def test_tuning_rows_choose_then_train(known: type[Known]) -> None:
    splits = parts(10, 10, 10)
    right_on = [splits.train, splits.tune, splits.test]
    known.answers = np.stack([np.where(rows, LABELS, 1 - LABELS) for rows in right_on])
    features = np.random.default_rng(0).normal(3, 2, size=(30, 4)).astype(np.float32)
    features[10:] *= 50
    found = classify(features, LABELS, splits, settings=(0, 1, 2))
    assert found.tolist() == known.answers[1].tolist()
    (standard, first), (_, second) = known.fits
    assert [each.penalty for each in first] == [0, 1, 2]
    assert all((each.train == splits.train).all() for each in first)
    assert [each.penalty for each in second] == [1]
    assert (second[0].train == (splits.train | splits.tune)).all()
    # Features are standardised by the training rows alone.
    np.testing.assert_allclose(standard[splits.train].mean(axis=0), 0, atol=1e-5)
    np.testing.assert_allclose(standard[splits.train].std(axis=0), 1, atol=1e-5)
    assert standard[splits.test].std(axis=0).min() > 10


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
def test_missing_split_is_a_fifth_of_the_others(
    there: tuple[str, ...], train: float, tune: float, test: float
) -> None:
    of = [there[number % len(there)] for number in range(3000)]
    rows = [{"split": split, "a": f"text {n}", "b": None} for n, split in enumerate(of)]
    splits = split_rows(rows, "own")
    found = (splits.train, splits.tune, splits.test)
    assert (sum(part.astype(int) for part in found) == 1).all()
    assert [part.mean() for part in found] == pytest.approx([train, tune, test], abs=0.02)
    for name, part in zip(("train", "dev", "test"), found, strict=True):
        # A split that is there loses rows to one that is missing, and gets none from another.
        assert name not in there or {split for split, use in zip(of, part, strict=True) if use} == {name}


def test_no_text_is_on_two_sides() -> None:
    """PAWS makes several pairs of a sentence: else half of those held out are of one that was trained on."""
    texts = [f"word{number} and so on" for number in range(300)]
    rows = [
        {"split": "dev", "a": text, "b": " ".join(texts[number + 1 - number % 3 // 2 * 3].split()[::-1])}
        for number, text in enumerate(texts[:-1])
    ]
    splits = split_rows(rows, "own")
    sides = [
        {
            word_key(text)
            for each, use in zip(rows, part, strict=True)
            if use
            for text in (each["a"], each["b"] or "")
        }
        for part in (splits.train, splits.tune, splits.test)
    ]
    assert min(map(len, sides)) > 20
    assert sides[0].isdisjoint(sides[1])
    assert sides[0].isdisjoint(sides[2])
    assert sides[1].isdisjoint(sides[2])
