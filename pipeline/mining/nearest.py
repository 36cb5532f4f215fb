"""Nearest neighbours by cosine: an exact search in blocks. For large corpora there is ``vector_index``.

Some CPUs multiply bfloat16 matrices several times faster than float32 ones. There bfloat16 products find the
candidates and float32 products decide. A rounded score of unit vectors is off by ``SLACK`` at most, so a row
whose rounded score is further than that below the k-th best exact score is not among the k best. Queries
where this does not settle the result are searched again in float32. So the result equals that of the plain
search, except for the order of rows with equal scores.
"""

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
# Rounding to 8 bits changes a number by 2**-8 of itself at most: for each vector and for the product.
SLACK = 3 * 2**-8 + 1e-4
EXTRA = 24  # candidates beyond k: the more, the rarer a second search
_RESCORED = 256  # queries whose candidates are scored again, or sorted, at once


class Neighbours(NamedTuple):
    """The k nearest corpus rows of each query, best first.

    ``rows`` is int64 [queries, k], ``scores`` the inner product, float32 [queries, k]. Where the corpus has
    fewer than k rows they are -1 and -inf.
    """

    rows: NDArray[np.int64]
    scores: NDArray[np.float32]


def top_k(
    queries: Vectors,
    corpus: Vectors,
    k: int,
    *,
    own: NDArray[np.int64] | None = None,
    query_rows: int = 1024,
    corpus_rows: int = 32_768,
) -> Neighbours:
    """Exact k nearest rows by inner product (cosine, for unit vectors), float32 [n, d] against [m, d].

    ``own[i]``, where given, is the corpus row that query i must not find: itself. Peak memory beyond the two
    matrices is about ``query_rows * corpus_rows`` floats (134 MB by default), whatever n and m. On a GPU a
    block of the corpus is copied there. Rows of equal score come in corpus order.
    """
    where = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    best = torch.full((len(queries), k), -torch.inf)
    found = torch.full((len(queries), k), -1)
    asked, known = torch.from_numpy(queries), torch.from_numpy(corpus)
    rounds = where.type == "cpu" and has_bfloat16_matmul() and _unit(asked) and _unit(known)
    for offset in range(0, len(corpus), corpus_rows):
        block = known[offset : offset + corpus_rows].to(where)
        small = block.bfloat16() if rounds else None
        for start in range(0, len(queries), query_rows):
            rows = slice(start, start + query_rows)
            banned = None if own is None else torch.from_numpy(own[rows]).to(where) - offset
            if rounds and small is not None:
                values, positions, sure = rounded_top_k(asked[rows], small, block, k, banned)
                again = (~sure).nonzero().squeeze(1)
                if len(again):
                    values[again], positions[again] = _plain(
                        asked[rows][again], block, k, None if banned is None else banned[again]
                    )
                # Where neighbours lie close, rounding settles too few queries to pay.
                rounds = 2 * len(again) < len(sure)
            else:
                values, positions = _plain(asked[rows].to(where), block, k, banned)
            best[rows], found[rows] = _ordered(
                torch.cat([best[rows], values.cpu()], dim=1),
                torch.cat([found[rows], (positions + offset).cpu()], dim=1),
                k,
            )
    found[best == -torch.inf] = -1
    return Neighbours(found.numpy(), best.numpy())


def _plain(
    queries: torch.Tensor, corpus: torch.Tensor, k: int, own: torch.Tensor | None
) -> tuple[torch.Tensor, torch.Tensor]:
    product = queries @ corpus.T
    if own is not None:
        mask_columns(product, own)
    values, positions = product.topk(min(k + 1, product.shape[1]))
    if product.shape[1] > k:
        # topk takes any of equal scores: where the next one is as good, the first ones are looked for.
        tied = (values[:, k - 1] == values[:, k]).nonzero().squeeze(1)
        values, positions = values[:, :k], positions[:, :k]
        for some in tied.split(_RESCORED):
            positions[some] = product[some].argsort(dim=1, descending=True, stable=True)[:, :k]
    return values, positions


def _unit(vectors: torch.Tensor) -> bool:
    """Whether no vector is longer than 1, which the bound on rounded products assumes."""
    return bool((torch.linalg.vector_norm(vectors, dim=1) < 1.001).all())


def _ordered(score: torch.Tensor, index: torch.Tensor, k: int) -> tuple[torch.Tensor, torch.Tensor]:
    # First by index, then stably by score, so that ties go to the earlier row whatever the block sizes.
    by_index = index.argsort(dim=1, stable=True)
    score, index = score.gather(1, by_index), index.gather(1, by_index)
    by_score = score.argsort(dim=1, descending=True, stable=True)[:, :k]
    return score.gather(1, by_score), index.gather(1, by_score)


def has_bfloat16_matmul() -> bool:
    """Whether this CPU has instructions for bfloat16 matrix products (AMX)."""
    probe = getattr(torch.cpu, "_is_amx_tile_supported", None)
    return bool(probe and probe())


def rounded_top_k(
    block: torch.Tensor, rounded: torch.Tensor, exact: torch.Tensor, k: int, own: torch.Tensor | None
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The k best rows of ``exact`` float32 [m, d] for each query of ``block`` float32 [n, d].

    ``rounded`` is ``exact`` in bfloat16, ``own`` [n] the row that each query must not find. All vectors have
    length 1. Returns scores and rows, both [n, min(k, m)], and which queries are certain, bool [n].
    """
    product = block.bfloat16() @ rounded.T
    if own is not None:
        mask_columns(product, own)
    values, rows = product.topk(min(k + EXTRA, product.shape[1]))
    scores = torch.cat(
        [
            torch.bmm(exact[some], queries.unsqueeze(2)).squeeze(2)
            for some, queries in zip(rows.split(_RESCORED), block.split(_RESCORED), strict=True)
        ]
    )
    scores[values == -torch.inf] = -torch.inf
    found, best = _ordered(scores, rows, min(k, product.shape[1]))
    sure = values[:, -1].float() + SLACK < found[:, -1]
    if values.shape[1] == product.shape[1]:
        sure[:] = True
    return found, best, sure


def mask_columns(product: torch.Tensor, columns: torch.Tensor) -> None:
    """Set ``product[i, columns[i]]`` to minus infinity where that column exists."""
    inside = (columns >= 0) & (columns < product.shape[1])
    product[inside.nonzero().squeeze(1), columns[inside]] = -torch.inf
