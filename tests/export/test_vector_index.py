"""The index on disk: nearly what the exact search finds, the same bytes each time, nothing left half."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pipeline.core.errors import SynsemError
from pipeline.export import vector_index
from pipeline.export.vector_index import Neighbours, Rows, VectorIndex

pytest.importorskip("faiss", reason="faiss is an optional extra: pip install '.[index]'")


def clustered(rows: int, seed: int, width: int = 32) -> np.ndarray:
    """Unit vectors around a hundred centres, as sentences lie around topics."""
    rng = np.random.default_rng(seed)
    centres = np.random.default_rng(0).standard_normal((100, width))
    vectors = centres[rng.integers(0, 100, rows)] + 0.5 * rng.standard_normal((rows, width))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def exact_search(queries: np.ndarray, vectors: np.ndarray, k: int, own: np.ndarray) -> Neighbours:
    """The k nearest rows but ``own``, of equal ones the first."""
    scores = queries @ vectors.T
    scores[np.arange(len(queries)), own] = -np.inf
    rows = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    return Neighbours(rows, np.take_along_axis(scores, rows, axis=1))


def digests(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


def test_recall_and_exact_scores_over_several_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_index, "PART", 2500)
    vectors, own = clustered(6000, 1), np.arange(300)
    index = VectorIndex(tmp_path, Rows([vectors[:1000], vectors[:0], vectors[1000:]]))
    assert len(list(tmp_path.iterdir())) == 4
    found, exact = index.search(vectors[:300], 10, own), exact_search(vectors[:300], vectors, 10, own)
    recall = np.mean([len(set(a) & set(b)) / 10 for a, b in zip(found.rows, exact.rows, strict=True)])
    assert recall > 0.97
    assert not (found.rows == own[:, None]).any()
    scores = np.einsum("nd,nkd->nk", vectors[:300], vectors[found.rows])
    np.testing.assert_allclose(found.scores, scores, atol=1e-6)
    assert (np.diff(found.scores, axis=1) <= 0).all()


def test_a_killed_build_goes_on_and_gives_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_index, "PART", 1500)
    rows = Rows([clustered(4000, 2)])
    VectorIndex(tmp_path / "whole", rows)
    write = VectorIndex._write

    def killed(self: VectorIndex, index: object, path: Path) -> None:
        if path.name == "part-00001.faiss":
            raise KeyboardInterrupt
        write(self, index, path)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(VectorIndex, "_write", killed)
        VectorIndex(tmp_path / "killed", rows)
    assert sorted(digests(tmp_path / "killed")) == ["part-00000.faiss", "trained.faiss"]
    VectorIndex(tmp_path / "killed", rows)
    assert digests(tmp_path / "killed") == digests(tmp_path / "whole")


def test_the_bytes_do_not_depend_on_the_number_of_threads(tmp_path: Path) -> None:
    np.save(tmp_path / "vectors.npy", clustered(5000, 3, 48))
    code = (
        "import sys, numpy as np; from pathlib import Path; "
        "from pipeline.export.vector_index import Rows, VectorIndex; "
        "VectorIndex(Path(sys.argv[2]), Rows([np.load(sys.argv[1])]))"
    )
    found = []
    for threads in ("1", "4"):
        folder = tmp_path / threads
        command = [sys.executable, "-c", code, str(tmp_path / "vectors.npy"), str(folder)]
        subprocess.run(command, check=True, env=os.environ | {"OMP_NUM_THREADS": threads})
        found.append(digests(folder))
    assert found[0] == found[1]


def test_fewer_rows_than_wanted_and_none_at_all(tmp_path: Path) -> None:
    vectors = clustered(3, 4)
    found = VectorIndex(tmp_path / "few", Rows([vectors])).search(vectors[:1], 5, np.array([0]))
    assert sorted(found.rows[0, :2]) == [1, 2]
    assert found.rows[0, 2:].tolist() == [-1] * 3
    assert VectorIndex(tmp_path / "none", Rows([])).search(vectors[:1], 2).rows.tolist() == [[-1, -1]]


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    rows = Rows([clustered(500, 5)])
    VectorIndex(tmp_path, rows)
    (tmp_path / "part-00000.faiss").write_bytes(b"broken")
    with pytest.raises(SynsemError, match=r"part-00000\.faiss: not a readable index; delete it"):
        VectorIndex(tmp_path, rows)


def test_without_faiss_the_remedy_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(SynsemError, match=r"pip install -e '\.\[index\]'"):
        VectorIndex(tmp_path, Rows([clustered(5, 6)]))


def test_of_equal_rows_the_first_are_found(tmp_path: Path) -> None:
    vectors = np.eye(3, 8, dtype=np.float32)[np.arange(60) % 3]
    own = np.array([3, 4])
    found = VectorIndex(tmp_path, Rows([vectors])).search(vectors[:2], 14, own)
    exact = exact_search(vectors[:2], vectors, 14, own)
    np.testing.assert_array_equal(found.rows, exact.rows)
    np.testing.assert_array_equal(found.scores, exact.scores)


def test_the_lists_are_made_of_rows_from_the_whole_corpus(tmp_path: Path) -> None:
    """Of the first rows alone they would know one topic, where the corpus is sorted by topic."""
    rows = 8_000
    angles = np.linspace(0, np.pi, rows)
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    index = VectorIndex(tmp_path, Rows([vectors]))
    centres = index._faiss.downcast_index(index._parts[0].quantizer).reconstruct_n(0, index._parts[0].nlist)
    assert np.degrees(np.arctan2(centres[:, 1], centres[:, 0])).max() > 170
