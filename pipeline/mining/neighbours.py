"""Nearest neighbours by cosine: exact, in blocks of bounded memory; an index for corpora beyond a size."""

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

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
    index = np.full((len(queries), k), -1, dtype=np.int64)
    score = np.full((len(queries), k), -np.inf, dtype=np.float32)
    for start in range(0, len(queries), query_rows):
        rows = slice(start, start + query_rows)
        block = torch.from_numpy(queries[rows]).to(where)
        best, found = _empty(len(block), where)
        for offset in range(0, len(corpus), corpus_rows):
            product = block @ torch.from_numpy(corpus[offset : offset + corpus_rows]).to(where).T
            if own is not None:
                _forbid(product, torch.from_numpy(own[rows]).to(where) - offset)
            values, positions = product.topk(min(k, product.shape[1]))
            best = torch.cat([best, values], dim=1)
            found = torch.cat([found, positions + offset], dim=1)
            best, found = _ordered(best, found, k)
        found[best == -torch.inf] = -1
        score[rows, : best.shape[1]] = best.cpu().numpy()
        index[rows, : found.shape[1]] = found.cpu().numpy()
    return Neighbours(index, score)


def _empty(rows: int, where: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.empty(rows, 0, device=where), torch.empty(rows, 0, dtype=torch.int64, device=where)


def _forbid(product: torch.Tensor, columns: torch.Tensor) -> None:
    inside = (columns >= 0) & (columns < product.shape[1])
    product[inside.nonzero().squeeze(1), columns[inside]] = -torch.inf


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
