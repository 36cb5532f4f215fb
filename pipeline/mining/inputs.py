"""What mining reads: sentences with their variants, documents with their sentences, vectors of texts.

All readers stream: one pass over the files of the earlier stages, in their common order.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipeline.core.errors import SynsemError
from pipeline.core.hash_numbers import HashNumbers
from pipeline.core.schemas import DOCUMENT, EXAMPLE, SENTENCE, VARIANT
from pipeline.core.seeding import stable_hash
from pipeline.core.store import (
    FileState,
    Slice,
    file_state,
    read_file,
    require_rows,
    rows,
    shards,
    to_rows,
    to_values,
)
from pipeline.syntax.sentence import Side, normalised

Row = dict[str, Any]
# Unit vectors of n texts, float32 [n, d].
Embed = Callable[[Sequence[Side]], NDArray[np.float32]]
TRAINING_SPLITS = ("train", "dev")
_CHUNK = 16_384  # texts embedded at once
_OPEN = 256  # files that a Lookup keeps open: each takes some kilobytes
# Rows that a Lookup converts at once, and how many such blocks it keeps: one row alone costs nearly as much,
# and the next one asked for is often near.
_BLOCK, _BLOCKS = 16, 256


class Inputs(NamedTuple):
    """Folders of ``schemas.DOCUMENT``, ``EXAMPLE``, ``SENTENCE`` (in a subfolder ``corpus``), ``VARIANT``.

    ``treebank`` has subfolders ``corpus`` and ``augmented``; they are empty where no treebank is named.
    """

    corpus: Path
    benchmarks: Path
    parsed: Path
    augmented: Path
    treebank: Path | None = None

    def gold(self) -> "Inputs":
        """These inputs with the treebank's gold trees in place of the corpus's parses, if there are any."""
        home = self.treebank
        if home is None or not home.exists() or not next(rows(home / "corpus"), None):
            return self
        return self._replace(parsed=home, augmented=home / "augmented")

    @property
    def sentences(self) -> Path:
        """The parsed sentences of the corpus."""
        return self.parsed / "corpus"

    def demand(self) -> None:
        """Raise SynsemError where a folder holds other rows than it should.

        One that is missing is an error of the system that reads it, and of no other.
        """
        for folder, schema in (
            (self.corpus, DOCUMENT),
            (self.benchmarks, EXAMPLE),
            (self.sentences, SENTENCE),
            (self.augmented, VARIANT),
        ):
            if any(folder.glob("part-*.arrow")):
                require_rows(folder, schema)


class Lookup:
    """Parsed sentences by row number, read from the memory-mapped files on access.

    The files stay apart: one table of all would copy their labels, 160 bytes a sentence, to unify them.
    """

    def __init__(self, inputs: Inputs) -> None:
        self._paths = shards(inputs.sentences)
        self._starts = list(accumulate((read_file(path).num_rows for path in self._paths), initial=0))

    def __getitem__(self, place: int) -> Row:
        path, row = self._place(place)
        block, number = divmod(row, _BLOCK)
        return _block(path, file_state(path), block)[number]

    def sent_id(self, place: int) -> str:
        """The sent_id of one sentence, without the rest of its row."""
        path, row = self._place(place)
        found: str = _opened(path, file_state(path))["sent_id"][row].as_py()
        return found

    def _place(self, place: int) -> tuple[Path, int]:
        """The file that holds a row, and its number there."""
        number = bisect_right(self._starts, place) - 1
        return self._paths[number], place - self._starts[number]


# A process that mines many parts opens a file once.
@lru_cache(maxsize=_OPEN)
def _opened(path: Path, state: FileState) -> pa.Table:
    return read_file(path)


@lru_cache(maxsize=_BLOCKS)
def _block(path: Path, state: FileState, number: int) -> list[Row]:
    return to_rows(_opened(path, state).slice(number * _BLOCK, _BLOCK))


def with_variants(
    inputs: Inputs, sentences: Slice, variants: Sequence[Slice]
) -> Iterator[tuple[Row, list[Row]]]:
    """Every sentence of a range with its variants, which are all in ``variants``, streamed.

    Both are in sentence order, so one pass over each is enough. Raises SynsemError where a variant's sentence
    is missing, because the folders come from different runs.
    """
    groups = groupby(chain.from_iterable(map(_rows, variants)), key=itemgetter("source_id"))
    source_id, found = next(groups, (None, iter(())))
    for sentence in _rows(sentences):
        own: list[Row] = []
        if sentence["sent_id"] == source_id:
            own = list(found)
            source_id, found = next(groups, (None, iter(())))
        yield sentence, own
    if source_id is not None:
        raise foreign_variant(inputs, source_id)


def foreign_variant(inputs: Inputs, source_id: str) -> SynsemError:
    """What to say of a variant whose sentence is not where it should be."""
    return SynsemError(
        f"{inputs.augmented}: variants of {source_id}, which {inputs.parsed} lacks in that place;"
        " run augment again"
    )


def _rows(some: Slice) -> Iterator[Row]:
    for batch in some.read().to_batches(max_chunksize=1024):
        yield from to_rows(batch)


def without_variants(inputs: Inputs, *names: str) -> Iterator[Row]:
    """Every sentence of the training splits without its variants: split, text, words and the named columns.

    The column ``place`` is added: the sentence's row number among all parsed sentences.
    """
    columns = {"split", "text", "words", *names}
    for place, sentence in enumerate(_columns(inputs.sentences, columns)):
        if sentence["split"] in TRAINING_SPLITS:
            yield {**sentence, "place": place}


def with_sentences(
    inputs: Inputs, document: Sequence[str], sentence: Sequence[str]
) -> Iterator[tuple[Row, list[Row]]]:
    """Every document with its sentences, the named columns of both, streamed.

    Documents without a parsed sentence are skipped. Raises SynsemError where the document of a sentence is
    missing, because the folders come from different runs.
    """
    documents = _columns(inputs.corpus, {"doc_id", *document})
    for doc_id, group in groupby(_columns(inputs.sentences, {"doc_id", *sentence}), itemgetter("doc_id")):
        row = next((row for row in documents if row["doc_id"] == doc_id), None)
        if row is None:
            raise SynsemError(
                f"{inputs.parsed}: sentences of {doc_id}, which {inputs.corpus} lacks in that place;"
                " run parse again"
            )
        yield row, list(group)


def _columns(folder: Path, names: set[str]) -> Iterator[Row]:
    for path in shards(folder):
        table = read_file(path)
        # Files have this column only where the corpus came with constituency trees.
        absent = {"constituents"} - set(table.schema.names)
        for batch in table.select(sorted(names - absent)).to_batches(max_chunksize=4096):
            yield from to_rows(batch)


class DistinctTexts:
    """Numbers distinct texts (ignoring case and spacing) and embeds each once, in blocks."""

    def __init__(self, embed: Embed) -> None:
        self._embed = embed
        self._known = HashNumbers()
        self._waiting: list[Side] = []
        self._vectors: list[NDArray[np.float32]] = []

    def number(self, side: Mapping[str, Any]) -> int:
        """The number of a side's text (``schemas.SIDE``) among the distinct texts so far."""
        known = len(self._known)
        number = self._known.number(stable_hash(0, normalised(side["text"])))
        if number == known:
            self._waiting.append(Side.from_row(side))
            if len(self._waiting) == _CHUNK:
                self._flush()
        return number

    def numbers(self, column: pa.ChunkedArray) -> NDArray[np.int64]:
        """The numbers of a column of sides, int64 [rows]."""
        table = pa.table({"side": column})
        return np.array(
            [
                self.number(side)
                for batch in table.to_batches(max_chunksize=1024)
                for side in to_values(batch.column(0))
            ],
            dtype=np.int64,
        )

    def vectors(self) -> NDArray[np.float32]:
        """Vectors of all texts so far, by number, float32 [n, d]; [0, 0] where there are none."""
        self._flush()
        if len(self._vectors) != 1:
            self._vectors = [np.concatenate(self._vectors or [np.empty((0, 0), dtype=np.float32)])]
        return self._vectors[0]

    def _flush(self) -> None:
        if self._waiting:
            self._vectors.append(self._embed(self._waiting))
            self._waiting = []
