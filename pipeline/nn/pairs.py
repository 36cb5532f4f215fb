"""Pairs of sentences, read in blocks: one pass gives the scores of the pairs and the sentences' vectors."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from pipeline.nn.inference import longest_first
from pipeline.syntax.sentence import HasTree, distinct_sentences

# The word states of a block's sentences are in memory together.
_PAIRS_PER_BLOCK = 1024


class Block(NamedTuple):
    """What one pass makes of P pairs of n sentences."""

    scores: torch.Tensor  # float32 [P]
    vectors: dict[str, torch.Tensor]  # float32 [n, D] a view, of unit length


class PairReadings(NamedTuple):
    """Scores of P pairs, and the n distinct sentences of both sides with their vectors."""

    scores: NDArray[np.float32]  # [P]
    sentences: list[HasTree]
    vectors: dict[str, NDArray[np.float32]]  # [n, D] a view; no view where there is no pair


def read_in_blocks(
    read: Callable[[Sequence[HasTree], torch.Tensor, torch.Tensor], Block],
    a: Sequence[HasTree],
    b: Sequence[HasTree],
) -> PairReadings:
    """Read P pairs in blocks of pairs of similar length; each sentence of a block is encoded once.

    ``read`` is given the distinct sentences of a block and the numbers of those on either side, int64 [P].
    """
    sentences, numbers = distinct_sentences([*a, *b])
    first, second = np.array(numbers, dtype=np.int64).reshape(2, -1)
    scores = np.zeros(len(a), dtype=np.float32)
    vectors: dict[str, NDArray[np.float32]] = {}
    order = longest_first([max(len(x.text), len(y.text)) for x, y in zip(a, b, strict=True)])
    for start in range(0, len(order), _PAIRS_PER_BLOCK):
        pairs = order[start : start + _PAIRS_PER_BLOCK]
        rows, places = np.unique(np.concatenate([first[pairs], second[pairs]]), return_inverse=True)
        block = read([sentences[row] for row in rows], *torch.from_numpy(places).split(len(pairs)))
        scores[pairs] = block.scores.cpu().numpy()
        for view, matrix in block.vectors.items():
            whole = vectors.setdefault(view, np.zeros((len(sentences), matrix.shape[1]), dtype=np.float32))
            whole[rows] = matrix.cpu().numpy()
    return PairReadings(scores, sentences, vectors)
