"""Write examples: filter benchmark texts, cap the number, write, count, and sum up similarities.

Also tables on disk, for decisions that need all examples at once.
"""

import tempfile
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from pipeline.core.atomic import atomic_folder
from pipeline.core.columns import to_rows
from pipeline.core.errors import SynsemError
from pipeline.core.progress import track
from pipeline.core.seeding import stable_hash
from pipeline.core.store import TRIPLET, ShardWriter, read, read_file, shards, with_constituents, write_json
from pipeline.corpora.cleaning.contamination import Contamination
from pipeline.mining.inputs import TRAINING_SPLITS, Embed, Inputs, Row
from pipeline.mining.similarity_report import SimilarityReport
from pipeline.params import Mine

_BATCH = 1024  # rows of a table that are Python objects at a time
# Why a sentence is left out that no rule rewords, as all are in other languages than English.
NO_VARIANT = "no variant to learn from"


def write_examples(
    examples: Iterable[Row], inputs: Inputs, out: Path, params: Mine, embed: Embed, dropped: Counter[str]
) -> Counter[str]:
    """Write examples to the folder ``out``, with ``report.json`` and ``similarity.json`` beside them.

    No text of ``inputs.benchmarks`` gets in. ``mine.examples`` caps the training examples; they are drawn by
    content, and all development examples stay. Returns the counts of what was kept, by split and kind. The
    folder appears whole or not at all. Raises SynsemError where no training example is left.
    """
    corpus = map(read_file, shards(inputs.corpus))
    sources = {source for table in corpus for source in table["source"].unique().to_pylist()}
    examples = without_benchmark_texts(examples, inputs.benchmarks, params.contamination, dropped, sources)
    if params.examples is not None:
        examples = capped(examples, params.examples, params.seed, dropped)
    similarities = SimilarityReport(params.similarity_sample, params.seed)
    kept: Counter[str] = Counter()
    given_constituents = any(
        "constituents" in read_file(path).schema.names for path in shards(inputs.sentences)
    )
    with atomic_folder(out) as new:
        with ShardWriter(new, with_constituents(TRIPLET) if given_constituents else TRIPLET) as writer:
            for row in similarities.observe(track(examples, "mine", unit="examples")):
                writer.add(row)
                kept[row["split"]] += 1
                kept[f"positive: {row['positive_kind']}"] += 1
                kept.update(f"negative: {kind}" for kind in row["negative_kinds"] or ["none"])
        write_json(new / "report.json", {"kept": kept, "dropped": {k: n for k, n in dropped.items() if n}})
        if not kept["train"]:
            reasons = ", ".join(f"{reason}: {count:,}" for reason, count in dropped.most_common(3) if count)
            remedy = "take more text (download.documents) or longer sentences"
            if [reason for reason, _ in dropped.most_common(1)] == [NO_VARIANT]:
                remedy += "; or set mine.identity to all, or train simcse or cssl, which need no such variant"
            raise SynsemError(
                f"{out}: no training example; {remedy}" + (f" (dropped: {reasons})" if reasons else "")
            )
        similarities.write(new, embed)
    return kept


def capped(examples: Iterable[Row], cap: int, seed: int, dropped: Counter[str]) -> Iterator[Row]:
    """Keep ``cap`` training examples, drawn by content, and all others; ``dropped`` counts the rest."""
    with spooled(examples) as table:
        keep = np.ones(len(table), dtype=bool)
        surplus = _surplus(table, np.flatnonzero(_equal(table, "split", "train")), cap, seed)
        keep[surplus] = False
        dropped["beyond mine.examples"] += len(surplus)
        yield from _kept(table, keep)


def capped_kind(
    examples: Iterable[Row], kind: str, share: float, seed: int, dropped: Counter[str]
) -> Iterator[Row]:
    """Limit a kind of positive to ``share`` of the examples of each split.

    Which ones stay is drawn by content; ``dropped`` counts the rest.
    """
    with spooled(examples) as table:
        is_kind = _equal(table, "positive_kind", kind)
        keep = np.ones(len(table), dtype=bool)
        for name in TRAINING_SPLITS:
            in_split = _equal(table, "split", name)
            others = int((~is_kind & in_split).sum())
            room = int(share / (1 - share) * others + 1e-9)
            surplus = _surplus(table, np.flatnonzero(is_kind & in_split), room, seed)
            keep[surplus] = False
            dropped[f"{kind}: beyond its share of the examples"] += len(surplus)
        yield from _kept(table, keep)


def _equal(table: pa.Table, name: str, label: str) -> NDArray[np.bool_]:
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


def _kept(table: pa.Table, keep: NDArray[np.bool_]) -> Iterator[Row]:
    for row, kept in zip(replay(table), keep, strict=True):
        if kept:
            yield row


@contextmanager
def spooled(examples: Iterable[Row]) -> Iterator[pa.Table]:
    """The examples (``store.TRIPLET``) as a memory-mapped table in a temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        with ShardWriter(Path(folder), with_constituents(TRIPLET)) as writer:
            for example in examples:
                writer.add(example)
        yield read(Path(folder))


def replay(table: pa.Table) -> Iterator[Row]:
    """The rows of a table in order; memory holds one batch."""
    for batch in table.to_batches(max_chunksize=_BATCH):
        yield from to_rows(batch)


def without_benchmark_texts(
    examples: Iterable[Row],
    benchmarks: Path,
    threshold: float | None,
    dropped: Counter[str],
    sources: Collection[str] = (),
) -> Iterator[Row]:
    """Drop examples whose anchor or positive is a benchmark's text, and negatives that are; counted.

    Cleaning removed such texts from the corpus, but a variant can turn into one, and a corpus that the user
    parsed need not have been cleaned. ``threshold`` is the Jaccard similarity of words and word pairs from
    which two texts count as one; None asks for equal words. Texts of fewer than five words always pass, and
    so does the training part of a benchmark that is among the corpus ``sources`` (``paws-wiki-train``).
    """
    index = Contamination(_texts(benchmarks, sources), threshold)
    known: dict[str, bool] = {}  # an anchor and its negatives come again with its next positive

    def contaminated(side: Row) -> bool:
        text = side["text"]
        if text not in known:
            if len(known) > 1000:
                known.clear()
            known[text] = index.holds(text)
        return known[text]

    for row in examples:
        if contaminated(row["anchor"]) or contaminated(row["positive"]):
            dropped["benchmark text: anchor or positive"] += 1
            continue
        clean = [not contaminated(negative) for negative in row["negatives"]]
        if not all(clean):
            dropped["benchmark text: negative"] += clean.count(False)
            for column in ("negatives", "negative_kinds", "negative_hardness"):
                row[column] = [value for value, keep in zip(row[column], clean, strict=True) if keep]
        yield row


def _texts(benchmarks: Path, sources: Collection[str]) -> Iterator[str]:
    for path in shards(benchmarks):
        for batch in read_file(path).select(["task", "split", "a", "b"]).to_batches(max_chunksize=4096):
            for row in to_rows(batch):
                if row["split"] != "train" or f"{row['task']}-train" not in sources:
                    yield from filter(None, (row["a"], row["b"]))
