"""Batched classifiers find what scikit-learn's find one at a time."""

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier

from pipeline.evaluation import families
from pipeline.evaluation.classifiers import Problems, eigenbasis, fit_logistic, predict
from pipeline.evaluation.families import Logistic, PerceptronSettings, _Networks, fit_perceptrons


def blobs(seed: int, n: int = 400, d: int = 20, classes: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Overlapping classes along directions of very unequal variance."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d)) * np.exp(-np.arange(d) / 4)
    y = (x @ rng.normal(size=(d, classes)) + 0.7 * rng.normal(size=(n, classes))).argmax(1)
    return x.astype(np.float32), y


# Of few rows the eigenvectors differ, of many the product that they are of.
@pytest.mark.parametrize(("rows", "width"), [(1357, 384), (20_000, 64)])
def test_the_number_of_threads_changes_no_bit(rows: int, width: int) -> None:
    """It did, by 4e-9, and with that the digits of a probe's accuracy near chance."""
    features = np.random.default_rng(0).standard_normal((rows, width)).astype(np.float32)
    features /= np.linalg.norm(features, axis=1, keepdims=True)
    before, found = torch.get_num_threads(), []
    try:
        for threads in (1, 2, 4):
            torch.set_num_threads(threads)
            found.append(eigenbasis(features))
            assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(before)
    assert all(torch.equal(found[0].rows, each.rows) for each in found)
    assert all(torch.equal(found[0].curvature, each.curvature) for each in found)


def test_a_matrix_that_lapack_gives_up_is_read_from_its_other_triangle(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An AVX-512 CPU gave up the 544 features of 15 French sentences, in one thread alone."""
    features, _ = blobs(3, n=15, d=40)
    expected, eigh = eigenbasis(features), torch.linalg.eigh

    def fussy(matrix: torch.Tensor, UPLO: str = "L") -> tuple[torch.Tensor, torch.Tensor]:
        if UPLO == "L":
            raise torch.linalg.LinAlgError("the algorithm failed to converge")
        return eigh(matrix, UPLO=UPLO)

    monkeypatch.setattr(torch.linalg, "eigh", fussy)
    found = eigenbasis(features)
    torch.testing.assert_close(found.curvature, expected.curvature, rtol=0, atol=1e-6)
    torch.testing.assert_close(found.rows.abs(), expected.rows.abs(), rtol=0, atol=1e-4)


def test_every_problem_reaches_the_optimum_of_scikit_learn() -> None:
    x, y = blobs(0)
    two = (y > 1).astype(int)
    masks = [np.arange(400) % 4 != fold for fold in range(3)]
    plan = [(labels, mask, p) for labels in (y, two) for mask in masks for p in (1e-3, 1e-2, 1e-1, 1.0)]
    problems = Problems(
        labels=np.stack([labels for labels, _, _ in plan]),
        weights=np.stack([mask for _, mask, _ in plan]).astype(np.float32),
        penalty=np.array([penalty for _, _, penalty in plan]),
        classes=np.array([labels.max() + 1 for labels, _, _ in plan]),
    )
    logits = fit_logistic(x, problems, tolerance=1e-5)
    for number, (labels, mask, penalty) in enumerate(plan):
        if (
            labels.max() == 1
        ):  # scikit-learn's binary form has one weight vector, hence half our penalty on it
            reference = LogisticRegression(C=2 / (penalty * mask.sum()), tol=1e-8, max_iter=5000)
        else:
            reference = LogisticRegression(C=1 / (penalty * mask.sum()), tol=1e-8, max_iter=5000)
        expected = reference.fit(x[mask], labels[mask]).predict_proba(x)
        mine = np.exp(logits[number][:, : expected.shape[1]])
        np.testing.assert_allclose(mine / mine.sum(1, keepdims=True), expected, atol=2e-3)


def test_rows_without_weight_do_not_matter() -> None:
    x, y = blobs(1)
    mask = np.arange(400) < 200
    other = y.copy()
    other[~mask] = 0
    both = [
        fit_logistic(
            x,
            Problems(labels[None], mask[None].astype(np.float32), np.array([0.01]), np.array([4])),
            tolerance=1e-5,
        )
        for labels in (y, other)
    ]
    np.testing.assert_array_equal(both[0], both[1])


def test_a_class_that_a_problem_lacks_is_never_predicted() -> None:
    x, y = blobs(2)
    problems = Problems(
        labels=np.stack([y, y % 2]),
        weights=np.ones((2, 400), dtype=np.float32),
        penalty=np.array([0.01, 0.01]),
        classes=np.array([4, 2]),
    )
    assert set(predict(fit_logistic(x, problems))[1]) == {0, 1}


def test_one_class_is_learned_where_there_is_but_one() -> None:
    x, y = blobs(3)
    mask = (y == 2).astype(np.float32)
    problem = Problems(y[None], mask[None], np.array([0.01]), np.array([4]))
    assert set(predict(fit_logistic(x, problem))[0]) == {2}


def test_a_problem_that_is_solved_at_zero_ends_there() -> None:
    """Without a training row, or with features that are all zero, there is nothing to learn."""
    x, y = blobs(4)
    for features, weights in ((x, 0 * y), (0 * x, np.ones(400))):
        problem = Problems((y[None] % 2), weights[None].astype(np.float32), np.array([0.01]), np.array([2]))
        problem.labels[0] = np.arange(400) % 2
        assert not fit_logistic(features, problem).any()


def rings(seed: int, n: int = 600) -> tuple[np.ndarray, np.ndarray]:
    """Two classes by distance from the origin, which no linear classifier can separate."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 4))
    return x.astype(np.float32), (np.linalg.norm(x[:, :2], axis=1) > 1.2).astype(np.int64)


def test_a_batch_of_networks_learns_what_scikit_learns() -> None:
    x, y = rings(0)
    train = np.arange(600) < 400
    shapes = [
        PerceptronSettings(50, 0.0, 1e-4),
        PerceptronSettings(20, 0.2, 1e-4),
        PerceptronSettings(50, 0.0, 100.0),
    ]
    problems = Problems(
        np.tile(y, (3, 1)), np.tile(train, (3, 1)).astype(np.float32), np.zeros(3), np.full(3, 2)
    )
    predicted = predict(fit_perceptrons(x, problems, shapes, seed=1, epochs=100))
    accuracy = (predicted[:, ~train] == y[~train]).mean(axis=1)
    reference = MLPClassifier((50,), "logistic", learning_rate_init=0.01, max_iter=400, random_state=0)
    known = reference.fit(x[train], y[train]).score(x[~train], y[~train])
    assert accuracy[0] > known - 0.05
    assert accuracy[1] > 0.8
    assert accuracy[2] < 0.8  # decay so strong that nothing is learned


def test_problems_do_not_touch_each_other() -> None:
    x, y = rings(1, n=80)
    other = 1 - y
    ones = np.ones((1, 80), dtype=np.float32)
    both = Problems(np.stack([y, other]), np.tile(ones, (2, 1)), np.zeros(2), np.full(2, 2))
    equal = Problems(np.stack([y, y]), np.tile(ones, (2, 1)), np.zeros(2), np.full(2, 2))
    shapes = [PerceptronSettings(10, 0.0, 0.0)] * 2
    first = fit_perceptrons(x, both, shapes, seed=3, epochs=10)
    second = fit_perceptrons(x, equal, shapes, seed=3, epochs=10)
    np.testing.assert_allclose(first[0], second[0], atol=1e-5)


def test_a_fit_does_not_depend_on_those_beside_it_and_features_are_rotated_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    x, y = blobs(1)
    rotated: list[np.ndarray] = []
    monkeypatch.setattr(families, "eigenbasis", lambda found: rotated.append(found) or eigenbasis(found))
    family, grid = Logistic((1e-4, 1e-2, 1.0)), range(3)

    def fitted(labels: list[np.ndarray], settings: list[int]) -> np.ndarray:
        count = len(settings)
        weights = np.ones((count, 400), np.float32)
        return family.fit(
            x, Problems(np.stack(labels), weights, np.zeros(count), np.full(count, 4)), settings
        )

    shuffled = np.random.default_rng(0).permutation(y)
    together = fitted([y] * 3 + [shuffled] * 3, [*grid, *grid])
    for place, (labels, setting) in enumerate(
        [(y, each) for each in grid] + [(shuffled, each) for each in grid]
    ):
        alone = fitted([labels], [setting])
        np.testing.assert_allclose(alone[0], together[place], atol=1e-4)
        np.testing.assert_array_equal(predict(alone)[0], predict(together)[place])
    assert len(rotated) == 1
    family.fit(x.copy(), Problems(y[None], np.ones((1, 400), np.float32), np.zeros(1), np.array([4])), [0])
    assert len(rotated) == 2


def test_what_dropout_leaves_is_as_much_as_without() -> None:
    networks = _Networks([PerceptronSettings(50, 0.5, 0.0), PerceptronSettings(50, 0.2, 0.0)], 4, 8, seed=0)
    row = torch.linspace(-1, 1, 4)[None]
    with torch.no_grad():
        expected = networks.eval()(row)[:, 0]
        found = networks.train()(row.repeat(20_000, 1)).mean(dim=1)
    assert expected.abs().max() > 0.3
    torch.testing.assert_close(found, expected, atol=0.03, rtol=0)


def test_weight_decay_is_of_both_layers_and_of_its_own_network_alone() -> None:
    x = torch.randn(256, 4, generator=torch.Generator().manual_seed(0))
    labels = (x[:, 0] > 0).long().repeat(2, 1)
    networks = _Networks([PerceptronSettings(20, 0.0, 100.0), PerceptronSettings(20, 0.0, 0.0)], 4, 2, seed=0)
    networks.fit(x, labels, torch.ones(2, 256), epochs=150)
    first = networks.first.detach().view(4, 2, 20).abs().amax(dim=(0, 2))
    second = networks.second.detach().abs().amax(dim=(1, 2))
    assert max(first[0], second[0]) < 0.1
    assert min(first[1], second[1]) > 0.3
