"""Examples that are made sentence by sentence, in parts: on processes of one machine or on Ray.

A part is a range of sentences with their variants, and a task of ``core/parallel.py``. What looks across
documents is decided before, in one process: which sentences repeat an earlier one (``examples.distinct``) and
which go with which (``Partners``). A task gets the numbers of its own sentences and reads all rows from the
memory-mapped files. What it writes depends on nothing else, so the bytes are those of one process.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from pipeline.core import scratch
from pipeline.core.parallel import counts_of, map_shards
from pipeline.core.store import Slice, combined, read_file, shards, slices
from pipeline.mining.examples import distinct
from pipeline.mining.held_out_texts import without_held_out_texts
from pipeline.mining.inputs import Embed, Inputs, Row, foreign_variant, with_variants, without_variants
from pipeline.mining.output import OVERLAP, corpus_sources, triplet_schema, with_overlap, write_kept
from pipeline.mining.partners import Partners
from pipeline.params import Mine

# The examples (``schemas.TRIPLET``) of one sentence: ``make(sentence, variants, dropped, *partners)``, the
# last being the sentence's own of each ``Partners``. Picklable: a function of a module, or a partial of one.
Make = Callable[..., Iterator[Row]]

_ROWS = 2_000  # sentences of a part; it decides the parts, and the number of workers does not
_IDS = 8_192  # variants looked at at once


@dataclass(frozen=True)
class _Part:
    """Sentences, their variants, which of them are to get examples, and what goes with them."""

    first: int  # row number of the first sentence among all parsed sentences
    sentences: Slice
    variants: tuple[Slice, ...]
    wanted: NDArray[np.bool_]  # [sentences]
    partners: tuple[Partners, ...]


@dataclass(frozen=True)
class _Work:
    """The examples of a part, and why sentences and examples were dropped."""

    make: Make
    inputs: Inputs
    contamination: float | None
    sources: frozenset[str]
    schema: pa.Schema

    def __call__(self, part: _Part) -> tuple[pa.Table, Counter[str]]:
        dropped: Counter[str] = Counter()
        clean = without_held_out_texts(
            self._examples(part, dropped), self.inputs, self.contamination, dropped, self.sources
        )
        return pa.Table.from_pylist(list(with_overlap(clean)), schema=self.schema), dropped

    def _examples(self, part: _Part, dropped: Counter[str]) -> Iterator[Row]:
        pairs = with_variants(self.inputs, part.sentences, part.variants)
        for number, (sentence, variants) in enumerate(pairs):
            if part.wanted[number]:
                own = [partners[part.first + number] for partners in part.partners]
                yield from self.make(sentence, variants, dropped, *own)


def mine_sentences(
    make: Make,
    inputs: Inputs,
    out: Path,
    params: Mine,
    embed: Embed,
    workers: int | None = 1,
    dropped: Counter[str] | None = None,
    partners: Sequence[Partners] = (),
) -> Counter[str]:
    """Write the examples that ``make`` yields of each sentence to ``out``; returns counts of what was kept.

    See ``examples_by_sentence`` and ``output.write_kept``. Examples dropped before are in ``dropped``.
    """
    dropped = Counter() if dropped is None else dropped
    with examples_by_sentence(make, inputs, out, params, dropped, workers, partners) as table:
        return write_kept(table, np.ones(len(table), dtype=bool), out, params, embed, dropped)


@contextmanager
def examples_by_sentence(
    make: Make,
    inputs: Inputs,
    out: Path,
    params: Mine,
    dropped: Counter[str],
    workers: int | None = 1,
    partners: Sequence[Partners] = (),
) -> Iterator[pa.Table]:
    """The examples of every distinct sentence of the training splits, as a memory-mapped table on disk.

    The columns are those of ``schemas.TRIPLET`` and ``output.OVERLAP``, the order that of the sentences. No
    text to be tested on is in them (``held_out_texts``). ``dropped`` counts what was left out. The table lies
    in the scratch folder until the block ends; where an error or a kill ends it, the next run goes on from
    there. Raises SynsemError where folders
    come from different runs or a file of them is damaged.
    """
    schema = triplet_schema(inputs).append(OVERLAP)
    work = _Work(make, inputs, params.contamination, corpus_sources(inputs), schema)
    parts = list(_parts(inputs, params, dropped, partners))
    key = _key(make, inputs, out, params)
    with map_shards(work, parts, key=key, workers=workers, label="mine") as shards_made:
        dropped.update(counts_of(shards_made))
        yield combined([read_file(path) for path in shards_made])


def _key(make: Make, inputs: Inputs, out: Path, params: Mine) -> str:
    function: Any = getattr(make, "func", make)
    files = [
        path
        for folder in (inputs.corpus, inputs.benchmarks, inputs.sentences, inputs.augmented)
        for path in shards(folder)
    ]
    return scratch.key(files, params, f"{function.__module__}.{function.__qualname__}", str(out))


def _parts(
    inputs: Inputs, params: Mine, dropped: Counter[str], partners: Sequence[Partners]
) -> Iterator[_Part]:
    ranges = slices(inputs.sentences, _ROWS) or [Slice(shards(inputs.sentences)[0], 0, 0)]
    starts = np.cumsum([0, *(some.stop - some.start for some in ranges)]).tolist()
    wanted = np.zeros(starts[-1], dtype=bool)
    for sentence in distinct(without_variants(inputs), params, dropped):
        wanted[sentence["place"]] = True
    cut = _variants(inputs, ranges)
    for some, variants, (first, stop) in zip(ranges, cut, pairwise(starts), strict=True):
        own = tuple(each.between(first, stop) for each in partners)
        yield _Part(first, some, variants, wanted[first:stop], own)


def _variants(inputs: Inputs, ranges: Sequence[Slice]) -> Iterator[tuple[Slice, ...]]:
    """The variants of each range of sentences: ranges of their files, which are in the sentences' order.

    Raises SynsemError where a variant's sentence is in none of the ranges that are left.
    """
    rest = iter(shards(inputs.augmented))
    path: Path | None = None
    ids, at = pa.chunked_array([], pa.string()), 0
    for number, some in enumerate(ranges):
        known = some.read()["sent_id"].combine_chunks()
        found: list[Slice] = []
        while True:
            stop = _end(ids, at, known)
            if path is not None and stop > at:
                found.append(Slice(path, at, stop))
            at = stop
            if at < len(ids):
                break
            path = next(rest, None)
            if path is None:
                break
            ids, at = read_file(path)["source_id"], 0
        if number == len(ranges) - 1 and at < len(ids):
            raise foreign_variant(inputs, ids[at].as_py())
        yield tuple(found)


def _end(ids: pa.ChunkedArray, start: int, known: pa.Array) -> int:
    """The first row from ``start`` whose id is not among ``known``."""
    while start < len(ids):
        some = ids.slice(start, _IDS)
        other = pc.index(pc.is_in(some, value_set=known), False).as_py()
        if other >= 0:
            return start + int(other)
        start += len(some)
    return start
