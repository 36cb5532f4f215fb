"""What is tested has no part in training, scaling or the choice of a setting or threshold."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from small_world import PARAMS, BagOfHashes, context

from pipeline.evaluation.classifiers import Problems
from pipeline.evaluation.data import Example
from pipeline.evaluation.families import best_setting
from pipeline.evaluation.records import Outcome
from pipeline.evaluation.tasks.pair_similarities import with_products
from pipeline.evaluation.tasks.pairs import Judged, put_ranking
from pipeline.evaluation.tasks.probe_labels import shift_bigram
from pipeline.evaluation.tasks.probes import FOLDS, Probe, ProbeDataset, build_dataset, cross_fit
from pipeline.evaluation.transfer import Splits, classify


class Known:
    """A family of classifiers whose predictions, a row a setting, are given; keeps what it was given."""

    def __init__(self, predictions: np.ndarray, alone: bool = True) -> None:
        self.predictions, self.alone = predictions, alone
        self.trained: list[np.ndarray] = []  # the rows of each fit of a setting

    def __len__(self) -> int:
        return len(self.predictions)

    def fit(self, features: np.ndarray, problems: Problems, settings: Sequence[int]) -> np.ndarray:
        self.features = features
        self.trained += list(problems.weights > 0)
        return np.eye(2, dtype=np.float32)[self.predictions[list(settings)]]


def thirds(n: int) -> list[np.ndarray]:
    return [np.arange(n) % 3 == part for part in range(3)]


@pytest.mark.parametrize("alone", [True, False])
def test_a_setting_is_chosen_on_the_tuning_rows_alone_and_is_all_that_is_refitted(alone: bool) -> None:
    labels = np.arange(30) // 3 % 2
    train, tune, test = thirds(30)
    wrong_in_test = np.where(test, 1 - labels, labels)
    wrong_in_tuning = np.where(tune, 1 - labels, labels)
    features = np.random.default_rng(0).normal(size=(30, 3)).astype(np.float32)
    for predictions in ([wrong_in_test, wrong_in_tuning], [wrong_in_tuning, wrong_in_test]):
        family = Known(np.stack(predictions), alone)
        found = classify(features, labels, Splits(train, tune, test, "test"), family)
        np.testing.assert_array_equal(found, wrong_in_test)
        refitted = [train | tune] * (1 if alone else 2)
        np.testing.assert_array_equal(family.trained, [train, train, *refitted])


def test_of_equally_good_settings_the_most_regularised_is_taken() -> None:
    assert best_setting([3, 5, 5, 1]) == 2
    assert best_setting([5, 3, 1]) == 0


def test_features_are_scaled_by_the_training_rows_alone() -> None:
    train, tune, test = thirds(30)
    labels = np.arange(30) // 3 % 2
    features = np.random.default_rng(0).normal(2, 3, size=(30, 3)).astype(np.float32)
    family = Known(np.stack([labels]))
    classify(features, labels, Splits(train, tune, test, "test"), family)
    np.testing.assert_allclose(family.features[train].mean(axis=0), 0, atol=1e-5)
    np.testing.assert_allclose(family.features[train].std(axis=0), 1, atol=1e-5)
    first = family.features
    features[~train] *= 100
    classify(features, labels, Splits(train, tune, test, "test"), family)
    np.testing.assert_array_equal(family.features[train], first[train])


def test_products_are_scaled_by_the_fitted_rows_alone() -> None:
    rng = np.random.default_rng(0)
    columns, fitted = rng.normal(2, 3, size=(30, 3)), np.arange(30) < 10
    found = with_products(columns, fitted)
    np.testing.assert_allclose(found[fitted, :3].mean(axis=0), 0, atol=1e-5)
    np.testing.assert_allclose(found[fitted, :3].std(axis=0), 1, atol=1e-5)


def test_a_probes_setting_is_chosen_on_the_fold_that_is_neither_trained_nor_tested() -> None:
    n = 10 * FOLDS
    folds, labels = np.arange(n) % FOLDS, np.arange(n) // FOLDS % 2
    data = ProbeDataset([], folds, [Probe("p", ["a", "b"], labels)])
    weights = []

    class OfEachFold(Known):
        """Setting 0 is right in the tuning fold alone, setting 1 in the tested fold alone."""

        def fit(self, features: np.ndarray, problems: Problems, settings: Sequence[int]) -> np.ndarray:
            weights.extend(problems.weights > 0)
            found = [
                np.where(folds == right, labels, 1 - labels)
                for fold in range(FOLDS)
                for right in ((fold + 1) % FOLDS, fold)
            ]
            return np.eye(2, dtype=np.float32)[np.stack(found)]

    (right,) = cross_fit(np.ones((n, 4), dtype=np.float32), data, OfEachFold(np.zeros((2, n))))
    assert not right.any()
    for number, used in enumerate(weights):
        fold = number // 2
        assert set(folds[used]) == set(range(FOLDS)) - {fold, (fold + 1) % FOLDS}


def test_a_shifted_copy_is_in_the_fold_of_its_sentence(world: Path) -> None:
    held = context(world, BagOfHashes()).corpus.sentences
    data = build_dataset(held, PARAMS.seed)
    fold_of = {
        shifted.text: fold
        for each, fold in zip(held, data.folds, strict=False)
        if (shifted := shift_bigram(each.sentence, PARAMS.seed)) is not None
    }
    copies = list(zip(data.sentences, data.folds, strict=True))[len(held) :]
    assert len(copies) > 20
    assert all(fold == fold_of[copy.text] for copy, fold in copies)


@pytest.mark.parametrize("has_test", [True, False])
def test_a_threshold_is_chosen_without_the_tested_pairs(has_test: bool) -> None:
    """By the development pairs it is 0.5; one below 0.3 would be right for all pairs that are tested."""
    test, gold = np.arange(30) >= 20, np.arange(30) % 2
    score = np.where(gold == 1, np.where(test, 0.3, 0.9), 0.1)
    split = ["test" if has_test and tested else "dev" for tested in test]
    examples = [Example("t", "", each, f"a{n}", f"b{n}", None, "1") for n, each in enumerate(split)]
    outcome, none = Outcome(), np.zeros(30, dtype=bool)
    put_ranking(outcome, "v", Judged("t", examples, gold, Splits(~test, none, test, "test"), {}), score)
    assert outcome.metrics["v"]["t"]["test"]["accuracy_dev_threshold"] == 50


def test_the_chosen_setting_is_fitted_again_on_training_and_tuning_rows_together() -> None:
    """A class that only tuning rows have is found by that fit alone."""
    rng = np.random.default_rng(0)
    centres = np.array([[-6.0, 0.0], [6.0, 0.0], [0.0, 6.0]])
    labels = np.repeat([0, 1, 2], 40)
    rows = (centres[labels] + rng.normal(size=(120, 2))).astype(np.float32)
    place = np.arange(120) % 40
    train = (place < 20) & (labels < 2)
    tune = (place >= 20) & (place < 30) | (place < 20) & (labels == 2)
    test = place >= 30
    predicted = classify(rows, labels, Splits(train, tune, test, "test"))
    assert (predicted[test] == labels[test]).mean() > 0.95
