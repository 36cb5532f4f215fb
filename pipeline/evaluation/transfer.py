"""Train a classifier on a benchmark's own training rows and choose its settings on its development rows."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipeline.core.errors import SynsemError
from pipeline.core.linked import linked
from pipeline.core.seeding import stable_hash
from pipeline.evaluation.classifiers import Problems, predict
from pipeline.evaluation.data import Example
from pipeline.evaluation.families import Family, Logistic, best_setting

PENALTIES = (1e-4, 1e-3, 1e-2, 1e-1, 1.0)
_PARTS = 5  # a missing split is one part in five of another
_CONSTANT = 1e-6  # columns of a smaller standard deviation do not vary


@dataclass(frozen=True)
class Splits:
    """Which rows train, which choose the setting and which are tested, bool [n] each."""

    train: NDArray[np.bool_]
    tune: NDArray[np.bool_]
    test: NDArray[np.bool_]
    tested: str  # the name of the tested part in metrics: test or held_out


def split_rows(examples: list[Example], seed: int, task: str, divide_test: bool = False) -> Splits:
    """Train on ``train``, choose on ``dev``, test on ``test``.

    Where train or dev is missing, a fifth of the other chooses. Where test is missing, another fifth is
    tested, and the result is called ``held_out``. With ``divide_test``, a file that has a test split alone
    (a probing file) is divided in the same way. Rows that share a text, in any order of its words, stay
    together. Raises SynsemError where neither train nor dev is there, or too few rows to test any.
    """
    split = np.array([each.split for each in examples])
    together = linked([(each.a, each.b) for each in examples])
    part = np.array([stable_hash(seed, "part", name) % _PARTS for name in together])
    test, train, dev = split == "test", split == "train", split == "dev"
    if divide_test and test.all():
        train, test = test, train
    if not train.any() and not dev.any():
        raise SynsemError(
            f"{task}: no train or dev split, so no classifier can be trained; give it rows of one"
        )
    tested = "test" if test.any() else "held_out"
    if not test.any():
        test = part == 1
        train, dev = train & ~test, dev & ~test
    if not test.any():
        raise SynsemError(f"{task}: no test split, and too few rows to hold some out; give it more")
    if not (train.any() and dev.any()):
        base = train | dev
        train, dev = base & (part != 0), base & (part == 0)
    return Splits(train, dev, test, tested)


def standardised(columns: NDArray[np.floating], fitted: NDArray[np.bool_]) -> NDArray[np.floating]:
    """The columns [n, k] with mean 0 and standard deviation 1 over the ``fitted`` rows, bool [n].

    A column that does not vary there is centred and not scaled: divided by next to nothing, a row in which it
    does vary would be millions away from all others.
    """
    rows = columns[fitted]
    spread = rows.std(axis=0)
    return (columns - rows.mean(axis=0)) / np.where(spread < _CONSTANT, np.ones_like(spread), spread)


def classify(
    features: NDArray[np.float32],
    labels: NDArray[np.int64],
    splits: Splits,
    family: Family | None = None,
) -> NDArray[np.int64]:
    """Predicted class of every row by the setting that is best on the tuning rows, int64 [n].

    ``family`` is a grid of classifiers, by default logistic regression over ``PENALTIES``. Features are
    standardised by the training rows. The prediction comes from the chosen setting refitted on training and
    tuning rows together. All settings are one batched problem. Raises SynsemError where the training rows
    have one class only.
    """
    if len(np.unique(labels[splits.train])) < 2:
        raise SynsemError("only one class among the training labels, so there is nothing to classify")
    standard = standardised(features, splits.train).astype(np.float32)
    chosen_from = family or Logistic(PENALTIES)

    def predicted(rows: NDArray[np.bool_], settings: Sequence[int]) -> NDArray[np.int64]:
        count = len(settings)
        problems = Problems(
            labels=np.tile(labels, (count, 1)),
            weights=np.tile(rows.astype(np.float32), (count, 1)),
            penalty=np.zeros(count),
            classes=np.full(count, labels.max() + 1),
        )
        return predict(chosen_from.fit(standard, problems, settings))

    every = range(len(chosen_from))
    right = predicted(splits.train, every)[:, splits.tune] == labels[splits.tune]
    best = best_setting(right.sum(axis=1))
    both = splits.train | splits.tune
    return predicted(both, [best])[0] if chosen_from.alone else predicted(both, every)[best]
