"""An index on disk for the nearest rows of many millions: inverted lists of 8-bit vectors (faiss).

k-means divides the vectors into lists, and a query reads the ``PROBED`` lists of nearest centre (IVF, Jegou
et al. 2011). A number takes 8 bits there, a quarter of a float32. What the lists give is scored again by the
vectors themselves, so scores are exact and only a neighbour in a list that was not read is missed.

The index is ``trained.faiss`` and a file for each ``PART`` rows, each written whole or not at all, so that a
killed build goes on where it stopped. Files are memory-mapped: neither building nor searching holds more than
one part. One thread trains and fills it, from a fixed sample, so the bytes are the same on any number of
threads.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.core.atomic import atomic_path
from pipeline.core.errors import SynsemError, to_install

PART = 1_000_000  # rows of a file
PROBED = 64  # lists that a query reads of each part
_SAMPLED = 40  # vectors a list that k-means sees; faiss asks for 39
_CANDIDATES = 4  # rows for each one wanted that are scored again
_AT_ONCE = 16_384  # vectors that are added in one go
_RESCORED = 256  # queries whose candidates are scored again in one go


Vectors = NDArray[np.float32]


class Neighbours(NamedTuple):
    """The k nearest rows of each query, best first.

    ``rows`` is int64 [queries, k], ``scores`` the inner product, float32 [queries, k]: -1 and -inf for rows
    that do not exist.
    """

    rows: NDArray[np.int64]
    scores: Vectors


class Rows:
    """Matrices of one width, memory-mapped or not, as one of all their rows."""

    def __init__(self, blocks: Sequence[Vectors]) -> None:
        self._blocks = [block for block in blocks if len(block)]
        self._ends = np.cumsum([len(block) for block in self._blocks], dtype=np.int64)

    def __len__(self) -> int:
        return int(self._ends[-1]) if len(self._ends) else 0

    @property
    def width(self) -> int:
        """Numbers of a vector."""
        return int(self._blocks[0].shape[1])

    def take(self, numbers: NDArray[np.int64]) -> Vectors:
        """The rows of these numbers, float32 [n, D]."""
        found = np.empty((len(numbers), self.width), dtype=np.float32)
        owner = np.searchsorted(self._ends, numbers, side="right")
        for number in np.unique(owner):
            mine, block = owner == number, self._blocks[number]
            found[mine] = block[numbers[mine] - (self._ends[number] - len(block))]
        return found


class VectorIndex:
    """The index of the rows in a folder, which belongs to these rows alone; what it lacks is built."""

    def __init__(self, folder: Path, rows: Rows) -> None:
        """Raises SynsemError where faiss is missing or a file is damaged."""
        self._faiss, self._rows = library(), rows
        trained = folder / "trained.faiss"
        parts = [folder / f"part-{number:05d}.faiss" for number in range(-(-len(rows) // PART))]
        with self._one_thread():
            if parts and not trained.exists():
                self._write(self._trained(), trained)
            for number, path in enumerate(parts):
                if not path.exists():
                    self._write(self._filled(trained, number), path)
        self._parts = [self._read(path, self._faiss.IO_FLAG_MMAP) for path in parts]

    def search(
        self, queries: Vectors, k: int, own: NDArray[np.int64] | None = None, probed: int | None = None
    ) -> Neighbours:
        """The k nearest rows of each query float32 [n, D] by inner product, of equal ones the first.

        ``own[i]``, where given, is the row that query i must not find. ``probed``: as ``PROBED``.
        """
        rows = np.full((len(queries), k), -1, dtype=np.int64)
        scores = np.full((len(queries), k), -np.inf, dtype=np.float32)
        for start in range(0, len(queries), _RESCORED) if self._parts else ():
            some = slice(start, start + _RESCORED)
            asked = np.ascontiguousarray(queries[some], dtype=np.float32)
            found = self._candidates(asked, _CANDIDATES * (k + 1), probed or PROBED)
            vectors = self._rows.take(found.ravel().clip(0)).reshape(*found.shape, -1)
            exact = np.einsum("nd,nkd->nk", asked, vectors)
            exact[found < 0] = -np.inf
            if own is not None:
                exact[found == own[some, None]] = -np.inf
            order = np.lexsort((found, -exact), axis=1)[:, :k]
            width = order.shape[1]
            scores[some, :width] = np.take_along_axis(exact, order, axis=1)
            rows[some, :width] = np.take_along_axis(found, order, axis=1)
        rows[np.isneginf(scores)] = -1
        return Neighbours(rows, scores)

    def _candidates(self, queries: Vectors, k: int, probed: int) -> NDArray[np.int64]:
        found = []
        for index in self._parts:
            index.nprobe = min(probed, index.nlist)
            scores, rows = index.search(queries, min(k, index.ntotal))
            found.append((scores, rows))
        scores = np.concatenate([scores for scores, _ in found], axis=1)
        rows = np.concatenate([rows for _, rows in found], axis=1)
        best = np.lexsort((rows, -scores), axis=1)[:, :k]
        return np.take_along_axis(rows, best, axis=1).astype(np.int64)

    def _trained(self) -> Any:
        faiss, count = self._faiss, len(self._rows)
        lists = max(1, min(round(2 * count**0.5), count // _SAMPLED))
        wanted = min(count, _SAMPLED * lists)
        sample = self._rows.take(np.arange(wanted, dtype=np.int64) * count // wanted)
        centres = faiss.IndexFlatIP(self._rows.width)
        index = faiss.IndexIVFScalarQuantizer(
            centres, self._rows.width, lists, faiss.ScalarQuantizer.QT_8bit, faiss.METRIC_INNER_PRODUCT
        )
        index.cp.min_points_per_centroid = 1
        index.train(sample)
        return index

    def _filled(self, trained: Path, number: int) -> Any:
        index, end = self._read(trained), min(len(self._rows), (number + 1) * PART)
        for start in range(number * PART, end, _AT_ONCE):
            numbers = np.arange(start, min(start + _AT_ONCE, end), dtype=np.int64)
            index.add_with_ids(self._rows.take(numbers), numbers)
        return index

    def _write(self, index: Any, path: Path) -> None:
        with atomic_path(path) as partial:
            self._faiss.write_index(index, str(partial))

    def _read(self, path: Path, flags: int = 0) -> Any:
        try:
            return self._faiss.read_index(str(path), flags)
        except RuntimeError as error:
            raise SynsemError(
                f"{path}: not a readable index; delete it, and it is built again from the vectors"
            ) from error

    @contextmanager
    def _one_thread(self) -> Iterator[None]:
        before = self._faiss.omp_get_max_threads()
        self._faiss.omp_set_num_threads(1)
        try:
            yield
        finally:
            self._faiss.omp_set_num_threads(before)


def library() -> Any:
    """The module faiss; SynsemError where it is not installed."""
    try:
        import faiss
    except ImportError as error:
        raise SynsemError(
            f"faiss is not installed, which the search among so many sentences needs; {to_install('index')}"
        ) from error
    return faiss
