"""What the untouched backbone's sentence vectors give on labelled pairs, beside fine-tuned matchers.

A pretraining that helps a matcher with few pairs should be set against no fine-tuning at all: the cosine with
a threshold from the development pairs, the weighted cosine that ``cosine+`` starts at, and a logistic
classifier over frozen vectors.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.core import metrics
from pipeline.core.store import read_json, write_json
from pipeline.systems.ebsim.cosine import BiEncoder, Vectors, calibrate
from pipeline.systems.ebsim.finetune import matching_points
from pipeline.systems.ebsim.labelled_pairs import Pairs, Task

ZERO_SHOT, WEIGHTED, LOGISTIC = "zero-shot cosine", "weighted cosine", "frozen logistic"
_C = (1.0, 10.0, 100.0, 1000.0)  # the weakest penalties suit the small features of unit vectors
Scores = NDArray[np.floating[Any]]


def add_frozen(
    bi_encoder: BiEncoder, task: Task, shares: list[int], results: Path, content: Callable[[int], str]
) -> None:
    """Add the rows ``zero-shot cosine``, ``weighted cosine`` and ``frozen logistic`` to ``results`` (JSON).

    The last is for labelled pairs alone. Nothing depends on a seed: each row is one run, of seed 0, computed
    at every call. The zero-shot row has share 0, for no training pair is read. ``content`` is a digest of
    what a row of that share is made of.
    """
    dev, test = (bi_encoder.pairs(pairs.a, pairs.b) for pairs in (task.dev, task.test))
    runs = [_record(ZERO_SHOT, 0, 0) | zero_shot(task, metrics.cosines(*dev), metrics.cosines(*test))]
    for share in shares:
        train = task.train.share(share)
        if not 0 < float(train.target.sum()) < len(train):
            continue
        own = bi_encoder.pairs(train.a, train.b)
        weights = calibrate(own, train.target)
        points = _points(task, weights.logits(dev), weights.logits(test), 0.0)
        runs.append(_record(WEIGHTED, share, len(train)) | points)
        if not task.graded:
            points = _logistic(task, train, own, dev, test)
            runs.append(_record(LOGISTIC, share, len(train)) | points)
    found = read_json(results)
    found["runs"] |= {
        f"{run['start']} {run['share']} 0": run | {"content": content(run["share"])} for run in runs
    }
    write_json(results, found)


def _record(start: str, share: int, pairs: int) -> dict[str, Any]:
    return {"start": start, "share": share, "seed": 0, "pairs": pairs, "frozen": True}


def zero_shot(task: Task, dev: Scores, test: Scores) -> dict[str, Any]:
    """Points of the cosines of development and test pairs, [n] each, with the threshold best on the first."""
    threshold = 0.0 if task.graded else metrics.best_threshold(task.dev.target > 0.5, dev)
    return _points(task, dev, test, threshold)


def _logistic(task: Task, train: Pairs, own: Vectors, dev: Vectors, test: Vectors) -> dict[str, Any]:
    """Logistic regression over [|u - v|; u * v], its penalty chosen on the development pairs."""
    from sklearn.linear_model import LogisticRegression

    gold, found = train.target > 0.5, []
    for penalty in _C:
        model = LogisticRegression(C=penalty, max_iter=1000).fit(_features(own), gold)
        scores = [model.predict_proba(_features(side))[:, 1] for side in (dev, test)]
        found.append(_points(task, scores[0], scores[1], 0.5))
    return max(found, key=lambda each: float(each["dev"]))


def _features(vectors: Vectors) -> NDArray[np.float32]:
    first, second = vectors
    return np.concatenate([np.abs(first - second), first * second], axis=1)


def _points(task: Task, dev: Scores, test: Scores, threshold: float) -> dict[str, Any]:
    name = "spearman" if task.graded else "accuracy"
    return {
        "dev": matching_points(task.dev, dev, task.graded, threshold)[name],
        "test": matching_points(task.test, test, task.graded, threshold),
    }
