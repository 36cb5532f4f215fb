"""The search in blocks equals a full sort, whatever the block sizes."""

from unittest import mock

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.mining import nearest
from pipeline.mining.nearest import rounded_top_k, top_k
from pipeline.mining.vector_index import indexed_top_k


def unit(rows: int, seed: int, width: int = 16) -> np.ndarray:
    vectors = np.random.default_rng(seed).standard_normal((rows, width)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def brute_force(queries: np.ndarray, corpus: np.ndarray, k: int, own: np.ndarray | None) -> np.ndarray:
    scores = queries @ corpus.T
    if own is not None:
        scores[np.arange(len(queries)), own] = -np.inf
    order = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    return np.where(np.isneginf(np.take_along_axis(scores, order, 1)), -1, order)


def demand_a_full_sort(
    vectors: np.ndarray, k: int, query_rows: int, corpus_rows: int, exclude: bool, rounds: bool, extra: int
) -> None:
    own = np.arange(len(vectors)) if exclude else None
    with (
        mock.patch.object(nearest, "has_bfloat16_matmul", return_value=rounds),
        mock.patch.object(nearest, "EXTRA", extra),
    ):
        found = top_k(vectors, vectors, k, own=own, query_rows=query_rows, corpus_rows=corpus_rows)
    expected = brute_force(vectors, vectors, k, own)
    width = expected.shape[1]
    np.testing.assert_array_equal(found.rows[:, :width], expected)
    assert (found.rows[:, width:] == -1).all()
    assert np.isneginf(found.scores[found.rows == -1]).all()


@settings(deadline=None, max_examples=40)
@given(
    rows=st.integers(1, 40),
    k=st.integers(1, 12),
    query_rows=st.integers(1, 50),
    corpus_rows=st.integers(1, 50),
    exclude=st.booleans(),
    rounds=st.booleans(),
    seed=st.integers(0, 1000),
)
def test_equals_a_full_sort(
    rows: int, k: int, query_rows: int, corpus_rows: int, exclude: bool, rounds: bool, seed: int
) -> None:
    demand_a_full_sort(unit(rows, seed), k, query_rows, corpus_rows, exclude, rounds, extra=2)


def test_equal_vectors_come_in_corpus_order_across_blocks() -> None:
    corpus = np.repeat(unit(1, 0), 9, axis=0)
    found = top_k(corpus[:1], corpus, 4, corpus_rows=2)
    assert found.rows.tolist() == [[0, 1, 2, 3]]


@settings(deadline=None, max_examples=40)
@given(
    rows=st.integers(1, 90),
    k=st.integers(1, 12),
    query_rows=st.integers(1, 50),
    corpus_rows=st.integers(1, 90),
    exclude=st.booleans(),
    rounds=st.booleans(),
    seed=st.integers(0, 1000),
)
def test_of_rows_of_equal_score_the_first_are_found_whatever_the_blocks(
    rows: int, k: int, query_rows: int, corpus_rows: int, exclude: bool, rounds: bool, seed: int
) -> None:
    """Sixteen vectors whose products no rounding changes, so most scores are those of several rows."""
    signs = np.random.default_rng(seed).integers(0, 2, size=(rows, 4))
    vectors = (signs - 0.5).astype(np.float32)
    demand_a_full_sort(vectors, k, query_rows, corpus_rows, exclude, rounds, extra=9)


@pytest.mark.parametrize("spread", [1.0, 0.02])
def test_rounding_decides_nothing_even_where_neighbours_lie_close(
    spread: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    centre = unit(1, 5, width=64)
    vectors = centre + spread * unit(3000, 6, width=64)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    own = np.arange(500)
    found = []
    for rounds in (False, True):
        monkeypatch.setattr(nearest, "has_bfloat16_matmul", lambda rounds=rounds: rounds)
        found.append(top_k(vectors[:500], vectors, 10, own=own, query_rows=128, corpus_rows=1000))
    np.testing.assert_allclose(found[1].scores, found[0].scores, atol=1e-6)
    assert (found[0].rows == found[1].rows).mean() > 0.99  # but for rows of equal score


def test_what_is_called_certain_needs_no_second_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """With one candidate beyond k, rounding moves many a neighbour out of the candidates."""
    monkeypatch.setattr(nearest, "EXTRA", 1)
    vectors = unit(1, 5, width=64) + 0.5 * unit(1000, 6, width=64)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    exact = torch.from_numpy(vectors)
    _, rows, sure = rounded_top_k(exact, exact.bfloat16(), exact, 3, None)
    right = (rows.numpy() == brute_force(vectors, vectors, 3, None)).all(axis=1)
    assert (~right).sum() > 20
    assert 20 < sure.sum() < 500
    assert right[sure.numpy()].all()


def test_vectors_of_other_lengths_are_never_rounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearest, "has_bfloat16_matmul", lambda: True)
    monkeypatch.setattr(nearest, "rounded_top_k", None)  # not to be called
    vectors = 3 * unit(50, 1)
    np.testing.assert_array_equal(top_k(vectors, vectors, 3).rows, brute_force(vectors, vectors, 3, None))


def test_the_index_finds_nearly_all_of_what_the_exact_search_finds() -> None:
    pytest.importorskip("faiss", reason="faiss is an optional extra: pip install '.[index]'")
    vectors = unit(2000, 1, width=32)
    own = np.arange(len(vectors))
    exact, approximate = top_k(vectors, vectors, 10, own=own), indexed_top_k(vectors, vectors, 10, own=own)
    recall = np.mean([len(set(a) & set(b)) / 10 for a, b in zip(exact.rows, approximate.rows, strict=True)])
    assert recall > 0.95
    assert not (approximate.rows == own[:, None]).any()
    again = indexed_top_k(vectors, vectors, 10, own=own)
    np.testing.assert_array_equal(again.rows, approximate.rows)
