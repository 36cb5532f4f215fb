"""Nearest neighbours by cosine: exact, in blocks of bounded memory; an index for corpora beyond a size."""

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from pipeline.mining import rounded

Vectors = NDArray[np.float32]


class Neighbours(NamedTuple):
    """The k nearest corpus rows of each query, best first.

    ``rows`` is int64 [queries, k], -1 where the corpus holds fewer than k rows; ``scores`` is the inner
    product, float32 [queries, k], -inf there.
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
    device: str | None = None,
) -> Neighbours:
    """Exact k nearest rows by inner product (cosine, for unit vectors), float32 [n, d] against [m, d].

    ``own[i]``, where given, is the corpus row that query i may not find: itself. Peak memory beyond the two
    matrices is about ``query_rows * corpus_rows`` floats (134 MB by default), whatever n and m; on a GPU the
    corpus block is copied there. Rows found with equal scores come in corpus order.
    """
    where = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
    best = torch.full((len(queries), k), -torch.inf)
    found = torch.full((len(queries), k), -1)
    asked, known = torch.from_numpy(queries), torch.from_numpy(corpus)
    rounds = where.type == "cpu" and rounded.pays() and _unit(asked) and _unit(known)
    for offset in range(0, len(corpus), corpus_rows):
        block = known[offset : offset + corpus_rows].to(where)
        small = block.bfloat16() if rounds else None
        for start in range(0, len(queries), query_rows):
            rows = slice(start, start + query_rows)
            banned = None if own is None else torch.from_numpy(own[rows]).to(where) - offset
            if rounds and small is not None:
                values, positions, sure = rounded.best(asked[rows], small, block, k, banned)
                again = (~sure).nonzero().squeeze(1)
                if len(again):
                    values[again], positions[again] = _plain(
                        asked[rows][again], block, k, None if banned is None else banned[again]
                    )
                rounds = 2 * len(again) < len(sure)  # where neighbours lie close, rounding tells too little
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
        rounded.forbid(product, own)
    values, positions = product.topk(min(k, product.shape[1]))
    return values, positions


def _unit(vectors: torch.Tensor) -> bool:
    """Whether all vectors have length 1, or 0: what the bound on rounded products is made for."""
    return bool((torch.linalg.vector_norm(vectors, dim=1) < 1.001).all())


def _ordered(score: torch.Tensor, index: torch.Tensor, k: int) -> tuple[torch.Tensor, torch.Tensor]:
    # First by index, then stably by score: so ties go to the earlier row, whatever the block sizes.
    by_index = index.argsort(dim=1, stable=True)
    score, index = score.gather(1, by_index), index.gather(1, by_index)
    by_score = score.argsort(dim=1, descending=True, stable=True)[:, :k]
    return score.gather(1, by_score), index.gather(1, by_score)


def indexed_top_k(
    queries: Vectors, corpus: Vectors, k: int, *, own: NDArray[np.int64] | None = None
) -> Neighbours:
    """Approximate k nearest rows by an HNSW graph (faiss), for corpora where the exact search is too long.

    Deterministic: the graph is built by one thread in corpus order. Raises ImportError without faiss.
    """
    import faiss

    threads = faiss.omp_get_max_threads()
    graph = faiss.IndexHNSWFlat(corpus.shape[1], 32, faiss.METRIC_INNER_PRODUCT)
    graph.hnsw.efConstruction, graph.hnsw.efSearch = 80, max(64, 2 * k)
    faiss.omp_set_num_threads(1)
    graph.add(corpus)
    faiss.omp_set_num_threads(threads)
    score, index = graph.search(queries, k + (own is not None))
    score[index < 0] = -np.inf
    if own is not None:
        score[index == own[:, None]] = -np.inf
        index[np.isneginf(score)] = -1
        order = np.argsort(-score, axis=1, kind="stable")[:, :k]
        score, index = np.take_along_axis(score, order, 1), np.take_along_axis(index, order, 1)
    return Neighbours(index.astype(np.int64), score.astype(np.float32))
