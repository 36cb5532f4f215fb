"""The structural probe (Hewitt & Manning 2019): a linear map after which distances are tree distances.

``B`` [D, k] is fitted so that ||B'(h_i - h_j)||^2 is near the number of edges between words i and j, by L1
loss over the pairs of a sentence divided by its squared length, as published.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.stats import rankdata

RANK = 64
_EPOCHS = 30
_BATCH = 32  # sentences
_RATE = 0.01
_SHORTEST, _LONGEST = 5, 50  # sentences over which the Spearman correlation is averaged


class Case(NamedTuple):
    """One sentence: states of its words [n, D], and the tree distances between them [n, n]."""

    states: NDArray[np.floating]
    distances: NDArray[np.int64]


class _Batch(NamedTuple):
    states: torch.Tensor  # float32 [S, L, D], zero at padding
    distances: torch.Tensor  # float32 [S, L, L]
    weights: torch.Tensor  # float32 [S, L, L]: one over the squared length, zero at padding


def fit(train: Sequence[Case], dev: Sequence[Case], seed: int, rank: int = RANK) -> NDArray[np.float32]:
    """The map B, float32 [D, rank], of the epoch with the lowest loss on ``dev``.

    Adam; the rate falls tenfold where the development loss rises, and training ends at the third such fall.
    """
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    chance = torch.Generator().manual_seed(seed)
    scale = _scale(train)
    batches = [list(_batches(cases, scale, device)) for cases in (train, dev)]
    start = torch.randn(train[0].states.shape[1], rank, generator=chance) / rank**0.5
    projection = start.to(device).requires_grad_()
    adam = torch.optim.Adam([projection], lr=_RATE)
    best, lowest, falls = projection.detach().clone(), float("inf"), 0
    for _ in range(_EPOCHS):
        for number in torch.randperm(len(batches[0]), generator=chance).tolist():
            adam.zero_grad()
            _loss(projection, batches[0][number]).backward()
            adam.step()
        with torch.no_grad():
            loss = float(sum(_loss(projection, batch) for batch in batches[1]))
        if loss < lowest:
            best, lowest = projection.detach().clone(), loss
            continue
        falls += 1
        if falls == 3:
            break
        for group in adam.param_groups:
            group["lr"] /= 10
    return np.asarray(best.cpu().numpy() * scale, dtype=np.float32)


def _scale(cases: Sequence[Case]) -> float:
    """What makes a state's mean squared norm 1, so that one learning rate suits every model."""
    words = sum(len(case.states) for case in cases)
    return float(
        (words / max(1e-12, sum(float(np.square(case.states, dtype=np.float32).sum()) for case in cases)))
        ** 0.5
    )


def _batches(cases: Sequence[Case], scale: float, device: torch.device) -> Iterator[_Batch]:
    order = sorted(range(len(cases)), key=lambda i: len(cases[i].states))
    for start in range(0, len(order), _BATCH):
        chosen = [cases[i] for i in order[start : start + _BATCH]]
        longest = max(len(case.states) for case in chosen)
        states = np.zeros((len(chosen), longest, chosen[0].states.shape[1]), dtype=np.float32)
        distances = np.zeros((len(chosen), longest, longest), dtype=np.float32)
        weights = np.zeros_like(distances)
        for row, case in enumerate(chosen):
            n = len(case.states)
            states[row, :n] = case.states.astype(np.float32) * scale
            distances[row, :n, :n] = case.distances
            weights[row, :n, :n] = 1 / n**2
        yield _Batch(*(torch.from_numpy(each).to(device) for each in (states, distances, weights)))


def _squared(states: torch.Tensor, projection: torch.Tensor) -> torch.Tensor:
    """Squared distances after the map, [S, L, L]."""
    mapped = states @ projection
    gram = mapped @ mapped.transpose(1, 2)
    norms = gram.diagonal(dim1=1, dim2=2)
    return norms[:, :, None] + norms[:, None, :] - 2 * gram


def _loss(projection: torch.Tensor, batch: _Batch) -> torch.Tensor:
    error = (_squared(batch.states, projection) - batch.distances).abs()
    return (error * batch.weights).sum() / len(batch.states)


def predict(case: Case, projection: NDArray[np.float32]) -> NDArray[np.float64]:
    """Squared distances between the words after the map, float64 [n, n]."""
    mapped = (case.states.astype(np.float32) @ projection).astype(np.float64)
    return np.asarray(np.square(mapped[:, None] - mapped[None]).sum(2))


def edges(distances: NDArray[np.floating], words: NDArray[np.int64]) -> set[tuple[int, int]]:
    """The minimum spanning tree of some of the words, as pairs (i < j)."""
    chosen = distances[np.ix_(words, words)].astype(np.float64)
    chosen = chosen - chosen.min() + 1e-6 * (1 + np.ptp(chosen))  # to scipy, zero means that there is no edge
    tree = minimum_spanning_tree(np.triu(chosen, k=1)).tocoo()
    ends = zip(words[tree.row].tolist(), words[tree.col].tolist(), strict=True)
    return {(min(pair), max(pair)) for pair in ends}


def spearman(pairs: Sequence[tuple[NDArray[np.floating], NDArray[np.int64]]]) -> float:
    """Correlation in points of (predicted, true) distances: a word's row, then the sentence's mean, then the
    mean over sentences of one length, then over the lengths 5 to 50. NaN where no sentence is so long."""
    by_length: dict[int, list[float]] = {}
    for predicted, true in pairs:
        if _SHORTEST <= len(true) <= _LONGEST:
            x, y = _centred_ranks(predicted), _centred_ranks(true)
            scale = np.sqrt(np.square(x).sum(1) * np.square(y).sum(1))
            rows = np.divide((x * y).sum(1), scale, out=np.zeros(len(x)), where=scale > 0)
            by_length.setdefault(len(true), []).append(float(rows.mean()))
    return (
        100 * float(np.mean([np.mean(found) for found in by_length.values()])) if by_length else float("nan")
    )


def _centred_ranks(matrix: NDArray[Any]) -> NDArray[np.float64]:
    ranks = np.asarray(rankdata(matrix, axis=1), dtype=np.float64)
    return ranks - ranks.mean(axis=1, keepdims=True)
