import numpy as np
from sklearn.neural_network import MLPClassifier

from pipeline.evaluation.classifiers import Problems, predict
from pipeline.evaluation.perceptrons import Shape, fit_perceptrons


def rings(seed: int, n: int = 600) -> tuple[np.ndarray, np.ndarray]:
    """Two classes by distance from the origin, which no linear classifier can tell apart."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 4))
    return x.astype(np.float32), (np.linalg.norm(x[:, :2], axis=1) > 1.2).astype(np.int64)


def test_a_batch_of_networks_learns_what_scikit_learns() -> None:
    x, y = rings(0)
    train = np.arange(600) < 400
    shapes = [Shape(50, 0.0, 1e-4), Shape(20, 0.2, 1e-4), Shape(50, 0.0, 100.0)]
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
    twin = Problems(np.stack([y, y]), np.tile(ones, (2, 1)), np.zeros(2), np.full(2, 2))
    shapes = [Shape(10, 0.0, 0.0)] * 2
    first = fit_perceptrons(x, both, shapes, seed=3, epochs=10)
    second = fit_perceptrons(x, twin, shapes, seed=3, epochs=10)
    np.testing.assert_allclose(first[0], second[0], atol=1e-5)
