"""How good the embeddings are on development examples: what may choose the best weights, beside the loss."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pipeline.errors import SynsemError
from pipeline.systems.base import Batch, System


def development_metric(name: str, system: System, batch: Batch) -> float:
    """``triplet_accuracy`` or ``mrr`` of the joint view or, where there is none, the semantic."""
    if name == "las":
        raise SynsemError(
            f"train.select: {system.name} finds no trees; set it to loss, triplet_accuracy or mrr"
        )
    groups: list[Sequence[object]] = [batch.anchors, batch.positives, batch.negatives]
    views = system.embed([side for group in groups for side in group])  # type: ignore[misc]
    vectors = next(views[name] for name in ("joint", "semantic", *views) if name in views)
    ends = np.cumsum([len(group) for group in groups])
    anchors, positives, negatives = np.split(vectors, ends[:-1])
    if name == "mrr":
        texts = [side.text for side in batch.positives]
        _, first, own = np.unique(texts, return_index=True, return_inverse=True)
        return mean_reciprocal_rank(anchors @ positives[first].T, own)
    if not len(negatives):
        raise SynsemError(
            "train.select: triplet_accuracy needs development examples with hard negatives; "
            "set it to loss or mrr, or mine.hard_negatives above 0"
        )
    owners = np.asarray(batch.owners)
    nearer = (anchors * positives).sum(axis=1)[owners] > (anchors[owners] * negatives).sum(axis=1)
    return float(nearer.mean())


def mean_reciprocal_rank(similarity: NDArray[np.float32], own: NDArray[np.int64]) -> float:
    """Mean of 1 / rank of row i's column ``own[i]`` among all columns [n, m]; a tie counts against it."""
    ranks = (similarity >= np.take_along_axis(similarity, own[:, None], axis=1)).sum(
        axis=1
    )  # itself included
    return float((1 / ranks).mean())
