"""Training a classifier on a benchmark's own training data, its penalty chosen on held-out rows of it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipeline.errors import SynsemError
from pipeline.evaluation.classifiers import Problems, predict
from pipeline.evaluation.data import Example
from pipeline.evaluation.families import Family, Logistic, best
from pipeline.seeding import rank

PENALTIES = (1e-4, 1e-3, 1e-2, 1e-1, 1.0)
_PARTS = 5  # a missing split is one part in five of another


@dataclass(frozen=True)
class Roles:
    """Which rows train, choose and test, bool [n] each, and the name of what is tested."""

    train: NDArray[np.bool_]
    tune: NDArray[np.bool_]
    test: NDArray[np.bool_]
    tested: str


def roles(examples: list[Example], seed: int, task: str, apart: bool = False) -> Roles:
    """Train on ``train``, choose on ``dev``, test on ``test``.

    Where train or dev is missing, a fifth of the other chooses; where test is, another fifth is tested and
    the result is called ``held_out``, and so it is with a probing file (``apart``) that has a test split
    alone. Rows that share their first text stay together. SynsemError where only test is there.
    """
    split = np.array([each.split for each in examples])
    part = np.array([rank(seed, "part", each.a) % _PARTS for each in examples])
    test, train, dev = split == "test", split == "train", split == "dev"
    if apart and test.all():
        train, test = test, train
    if not train.any() and not dev.any():
        raise SynsemError(f"{task}: no train or dev split, so no classifier can be trained")
    tested = "test" if test.any() else "held_out"
    if not test.any():
        test = part == 1
        train, dev = train & ~test, dev & ~test
    if not (train.any() and dev.any()):
        base = train | dev
        train, dev = base & (part != 0), base & (part == 0)
    return Roles(train, dev, test, tested)


def classify(
    features: NDArray[np.float32],
    labels: NDArray[np.int64],
    roles: Roles,
    shares: Sequence[NDArray[np.bool_]] | None = None,
    family: Family | None = None,
) -> NDArray[np.int64]:
    """Predicted class of every row, by the setting that is best on the tuning rows; int64 [S, n].

    ``family`` is a grid of classifiers, by default logistic regression over ``PENALTIES``. ``shares`` holds
    S selections of rows, bool [n] each, to which training and tuning are confined; by default one, of all
    rows. Features are standardised by the training rows. The chosen setting's classifier is the one fitted
    on training and tuning rows together; both fits of every setting and share are one batched problem.
    Raises SynsemError where there is one class only.
    """
    if len(np.unique(labels[roles.train])) < 2:
        raise SynsemError("only one class among the training labels, so there is nothing to classify")
    fitted = features[roles.train]
    standard = (features - fitted.mean(axis=0)) / np.maximum(fitted.std(axis=0), 1e-6)
    picked = [np.ones(len(labels), dtype=bool)] if shares is None else list(shares)
    family = family or Logistic(PENALTIES)
    count = len(family)
    masks = [
        rows & share
        for share in picked
        for rows in (roles.train, roles.train | roles.tune)
        for _ in range(count)
    ]
    problems = Problems(
        labels=np.tile(labels, (len(masks), 1)),
        weights=np.stack(masks).astype(np.float32),
        penalty=np.zeros(len(masks)),
        classes=np.full(len(masks), labels.max() + 1),
    )
    settings = list(range(count)) * (2 * len(picked))
    logits = family.fit(standard.astype(np.float32), problems, settings)
    predicted = predict(logits).reshape(len(picked), 2, count, -1)
    chosen = []
    for share, (to_choose, to_use) in zip(picked, predicted, strict=True):
        tune = roles.tune & share if (roles.tune & share).any() else roles.tune
        chosen.append(to_use[best((to_choose[:, tune] == labels[tune]).sum(axis=1))])
    return np.stack(chosen)
