"""Families of classifiers with their grids: what a probe or a transfer task chooses from on development
data."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pipeline.evaluation import metrics
from pipeline.evaluation.classifiers import Problems, fit_logistic
from pipeline.evaluation.perceptrons import Shape, fit_perceptrons


class Family(Protocol):
    """A grid of settings, from the least regularised to the most, and a way to fit any number of them at
    once."""

    def __len__(self) -> int: ...

    def fit(
        self, features: NDArray[np.float32], problems: Problems, settings: Sequence[int]
    ) -> NDArray[np.float32]:
        """Fit problem i with setting ``settings[i]``; logits float32 [P, n, C]."""
        ...


class Logistic:
    """Multinomial logistic regression over a grid of L2 penalties."""

    def __init__(self, penalties: Sequence[float]) -> None:
        self.penalties = np.array(penalties, dtype=np.float64)

    def __len__(self) -> int:
        return len(self.penalties)

    def fit(
        self, features: NDArray[np.float32], problems: Problems, settings: Sequence[int]
    ) -> NDArray[np.float32]:
        """See ``Family``."""
        return fit_logistic(features, replace(problems, penalty=self.penalties[list(settings)]))


class Perceptron:
    """One hidden layer over a grid of sizes, dropouts and weight decays."""

    def __init__(self, shapes: Sequence[Shape], seed: int) -> None:
        self.shapes, self.seed = list(shapes), seed

    def __len__(self) -> int:
        return len(self.shapes)

    def fit(
        self, features: NDArray[np.float32], problems: Problems, settings: Sequence[int]
    ) -> NDArray[np.float32]:
        """See ``Family``."""
        return fit_perceptrons(features, problems, [self.shapes[s] for s in settings], self.seed)


def _probe_logistic(seed: int) -> Family:
    return Logistic((1e-2, 1e-1, 1.0, 10.0))


def _probe_mlp(seed: int) -> Family:
    grid = product((50,), (0.0, 0.2), (1e-3, 1e-2, 1e-1))
    return Perceptron([Shape(*each) for each in grid], seed)


FAMILIES: dict[str, Callable[[int], Family]] = {"logistic": _probe_logistic, "mlp": _probe_mlp}


def best(scores: ArrayLike) -> int:
    """The setting of the highest score; of equals the most regularised, which comes last."""
    values = np.asarray(scores)
    return len(values) - 1 - int(np.argmax(values[::-1]))


def scaled(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Unit vectors times sqrt(d), so that one grid suits every model; nothing is learned from the rows."""
    return metrics.unit(vectors) * np.float32(np.sqrt(vectors.shape[1]))
