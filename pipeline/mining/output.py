"""Write examples: cap the number, write, count, and sum up similarities.

Examples wait in a table on disk, because some decisions need all of them at once. These read a few columns
and a number a row, and the rows that stay are copied as Arrow: no row is made a Python object again.
"""

import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from pipeline.core.atomic import atomic_folder
from pipeline.core.errors import SynsemError
from pipeline.core.schemas import LABEL, TRIPLET, with_constituents
from pipeline.core.seeding import stable_hash
from pipeline.core.store import (
    ROWS_PER_SHARD,
    ShardWriter,
    kept_batches,
    read,
    read_file,
    shard_path,
    shards,
    to_rows,
    write_json,
    write_table,
)
from pipeline.mining.examples import word_overlap
from pipeline.mining.held_out_texts import without_held_out_texts
from pipeline.mining.inputs import TRAINING_SPLITS, Embed, Inputs, Row
from pipeline.mining.similarity_report import write_similarities
from pipeline.params import Mine

Mask = NDArray[np.bool_]

_BATCH = 1024  # rows of a table that are Python objects at a time
# Why a sentence is left out that no rule rewords, as all are in other languages than English.
NO_VARIANT = "no variant to learn from"
BESIDE = ("report.json", "similarity.json")  # what lies beside the examples
OVERLAP = pa.field("positive_overlap", pa.float32())  # of waiting examples: the words shared with the anchor


def triplet_schema(inputs: Inputs) -> pa.Schema:
    """``schemas.TRIPLET``, with constituents where a parsed sentence has any."""
    given = any("constituents" in read_file(path).schema.names for path in shards(inputs.sentences))
    return with_constituents(TRIPLET) if given else TRIPLET


def corpus_sources(inputs: Inputs) -> frozenset[str]:
    """The names of the sources that the corpus has documents of."""
    corpus = map(read_file, shards(inputs.corpus))
    return frozenset(source for table in corpus for source in table["source"].unique().to_pylist())


def with_overlap(examples: Iterable[Row]) -> Iterator[Row]:
    """Add ``positive_overlap``, which ``write_kept`` counts, to each example."""
    for row in examples:
        yield row | {OVERLAP.name: word_overlap(row["anchor"], row["positive"])}


def write_examples(
    examples: Iterable[Row], inputs: Inputs, out: Path, params: Mine, embed: Embed, dropped: Counter[str]
) -> Counter[str]:
    """Write examples that one process makes; see ``write_kept``. No text to be tested on gets in."""
    clean = without_held_out_texts(examples, inputs, params.contamination, dropped, corpus_sources(inputs))
    with spooled(with_overlap(clean), triplet_schema(inputs).append(OVERLAP)) as table:
        keep = np.ones(len(table), dtype=bool)
        return write_kept(table, keep, out, params, embed, dropped)


def write_kept(
    table: pa.Table, keep: Mask, out: Path, params: Mine, embed: Embed, dropped: Counter[str]
) -> Counter[str]:
    """Write the rows ``keep`` [rows] of a table of examples (``schemas.TRIPLET`` and ``OVERLAP``) to ``out``.

    Beside them come ``report.json`` and ``similarity.json``. ``mine.examples`` caps the training examples;
    they are drawn by content, and all development examples stay. Returns the counts of what was kept, by
    split and kind. The folder appears whole or not at all. Raises SynsemError where no training example is
    left.
    """
    if params.examples is not None:
        keep = capped(table, keep, params.examples, params.seed, dropped)
    kept = _counts(table, keep)
    if not kept["train"]:
        raise _no_example(out, dropped)
    with atomic_folder(out, "part-*.arrow", *BESIDE) as new:
        _copy(table.drop_columns(OVERLAP.name), keep, new)
        write_json(new / "report.json", {"kept": kept, "dropped": {k: n for k, n in dropped.items() if n}})
        write_similarities(table, keep, new, params, embed)
    return kept


def _no_example(out: Path, dropped: Counter[str]) -> SynsemError:
    reasons = ", ".join(f"{reason}: {count:,}" for reason, count in dropped.most_common(3) if count)
    remedy = "take more text (download.documents) or longer sentences"
    if [reason for reason, _ in dropped.most_common(1)] == [NO_VARIANT]:
        remedy += "; or set mine.identity to all, or train simcse or cssl, which need no such variant"
    return SynsemError(
        f"{out}: no training example; {remedy}" + (f" (dropped: {reasons})" if reasons else "")
    )


def _counts(table: pa.Table, keep: Mask) -> Counter[str]:
    counts: Counter[str] = Counter()
    for _, batch in kept_batches(table, keep, ("split", "positive_kind", "negative_kinds")):
        split, positive, negatives = batch.columns
        counts.update(_tally(split, ""))
        counts.update(_tally(positive, "positive: "))
        counts.update(_tally(pc.list_flatten(negatives), "negative: "))
        none = pc.equal(pc.list_value_length(negatives), 0).true_count
        if none:
            counts["negative: none"] += none
    return counts


def _tally(labels: pa.Array, prefix: str) -> dict[str, int]:
    found = pc.value_counts(pc.cast(labels, pa.string())).to_pylist()
    return {f"{prefix}{each['values']}": each["counts"] for each in found}


def _copy(table: pa.Table, keep: Mask, out: Path) -> None:
    """Write the kept rows as a ``ShardWriter`` would, to the byte."""
    places = np.flatnonzero(keep)
    for number, start in enumerate(range(0, len(places), ROWS_PER_SHARD)):
        some = places[start : start + ROWS_PER_SHARD]
        first, stop = int(some[0]), int(some[-1]) + 1
        shard = table.slice(first, stop - first).filter(pa.array(keep[first:stop])).combine_chunks()
        for place, field in enumerate(shard.schema):
            shard = shard.set_column(place, field, _relabelled(shard.column(place)))
        write_table(shard_path(out, number), shard)


def _relabelled(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column whose labels, if it has any, are numbered as they first appear; others are as they were."""
    (values,) = column.chunks
    if column.type == LABEL:
        values = _numbered(values)
    elif column.type == pa.list_(LABEL):
        values = pa.ListArray.from_arrays(values.offsets, _numbered(values.values), type=column.type)
    return pa.chunked_array([values])


def _numbered(labels: pa.DictionaryArray) -> pa.DictionaryArray:
    found = pc.cast(labels, pa.string()).dictionary_encode()
    return pa.DictionaryArray.from_arrays(pc.cast(found.indices, LABEL.index_type), found.dictionary)


def capped(table: pa.Table, keep: Mask, cap: int, seed: int, dropped: Counter[str]) -> Mask:
    """Keep ``cap`` of the training examples ``keep`` [rows], drawn by content, and all others.

    Returns which rows stay; ``dropped`` counts the rest.
    """
    surplus = _surplus(table, np.flatnonzero(keep & _equal(table, "split", "train")), cap, seed)
    dropped["beyond mine.examples"] += len(surplus)
    return _without(keep, surplus)


def capped_kind(
    table: pa.Table, keep: Mask, kind: str, share: float, seed: int, dropped: Counter[str]
) -> Mask:
    """Limit a kind of positive to ``share`` of the examples ``keep`` [rows] of each split.

    Which ones stay is drawn by content. Returns which rows stay; ``dropped`` counts the rest.
    """
    is_kind = _equal(table, "positive_kind", kind)
    for name in TRAINING_SPLITS:
        in_split = keep & _equal(table, "split", name)
        others = int((~is_kind & in_split).sum())
        room = int(share / (1 - share) * others + 1e-9)
        surplus = _surplus(table, np.flatnonzero(is_kind & in_split), room, seed)
        dropped[f"{kind}: beyond its share of the examples"] += len(surplus)
        keep = _without(keep, surplus)
    return keep


def _without(keep: Mask, rows: NDArray[np.int64]) -> Mask:
    left = keep.copy()
    left[rows] = False
    return left


def _equal(table: pa.Table, name: str, label: str) -> Mask:
    """Which rows have this label, bool [rows]."""
    found = [
        pc.equal(pc.cast(batch[name], pa.string()), label).to_numpy(zero_copy_only=False)
        for batch in table.select([name]).to_batches(max_chunksize=_BATCH)
    ]
    return np.concatenate([np.zeros(0, dtype=bool), *found]).astype(bool)


def _surplus(table: pa.Table, rows: NDArray[np.int64], room: int, seed: int) -> NDArray[np.int64]:
    """Which of the rows must go so that ``room`` are left: those of the highest hash."""
    hashes = np.zeros(len(table), dtype=np.uint64)
    start = 0
    for batch in table.select(["source_id", "positive"]).to_batches(max_chunksize=_BATCH):
        source, text = (
            column.to_pylist() for column in (batch[0], pc.struct_field(batch["positive"], "text"))
        )
        for place, keys in enumerate(zip(source, text, strict=True), start):
            hashes[place] = stable_hash(seed, "cap", *keys)
        start += len(batch)
    return rows[np.argsort(hashes[rows], kind="stable")[room:]]


@contextmanager
def spooled(examples: Iterable[Row], schema: pa.Schema | None = None) -> Iterator[pa.Table]:
    """The examples as a memory-mapped table in a temporary folder; ``schema`` is ``schemas.TRIPLET``'s."""
    with tempfile.TemporaryDirectory() as folder:
        with ShardWriter(Path(folder), schema or with_constituents(TRIPLET)) as writer:
            for example in examples:
                writer.add(example)
        yield read(Path(folder))


def replay(table: pa.Table, keep: Mask | None = None) -> Iterator[Row]:
    """The rows of a table, or those of ``keep`` [rows], in order; memory holds one batch."""
    wanted = np.ones(len(table), dtype=bool) if keep is None else keep
    for _, batch in kept_batches(table, wanted, table.schema.names):
        yield from to_rows(batch)
