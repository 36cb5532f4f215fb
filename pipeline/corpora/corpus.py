"""Corpus sources -> ``data/corpus``: clean, without duplicates, drawn, split; in flat memory.

Two passes. The first cleans the documents, writes them to a temporary folder and keeps of each only a few
numbers (``Facts``). What is dropped is decided on these numbers alone; the second pass copies the rest.
"""

import json
import tempfile
from array import array
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipeline import seeding, store
from pipeline.corpora.cleaning.contamination import Contamination
from pipeline.corpora.cleaning.minhash import Signer
from pipeline.corpora.cleaning.near import near_duplicates
from pipeline.corpora.documents import Cleaner, Document
from pipeline.corpora.fetching.fetch import Fetched
from pipeline.errors import SynsemError
from pipeline.params import Download
from pipeline.progress import track
from pipeline.store import DOCUMENT, ShardWriter

_SHARD_TEXT = 16 * 2**20  # characters after which a shard ends, so that long articles do not fill the memory
_REASONS = ("kept", "duplicate", "near_duplicate", "not_drawn")
_KEPT, _DUPLICATE, _NEAR, _NOT_DRAWN = range(len(_REASONS))
_SIGNATURES = "signatures.bin"


class Facts:
    """A few numbers a document, in order: 26 bytes each in memory."""

    def __init__(self) -> None:
        self.text, self.unit, self.rank = array("Q"), array("Q"), array("Q")
        self.source = array("H")

    def add(self, document: Document, source: int, seed: int) -> None:
        """Note a document of the source with that number."""
        self.text.append(seeding.rank(0, "text", document.text))
        self.unit.append(seeding.rank(0, "unit", document.unit))
        self.rank.append(seeding.rank(seed, "draw", document.unit))
        self.source.append(source)


def write_corpus(
    fetched: Sequence[Fetched],
    documents: int | None,
    params: Download,
    contamination: Contamination,
    out: Path,
) -> dict[str, Any]:
    """Write the kept documents into shards under ``out``; returns the counts for report.json.

    ``documents`` is the number to keep of each source, None all. Raises SynsemError where nothing is left.
    """
    out.mkdir(parents=True, exist_ok=True)
    cleaner = Cleaner(params, contamination)
    with tempfile.TemporaryDirectory(dir=out, prefix=".spool-") as folder:
        spool = Path(folder)
        facts, counts = _spool(fetched, params, cleaner, spool)
        fate = _decide(facts, documents, params.near_duplicate, spool / _SIGNATURES)
        splits = _copy(spool, fate, params, fetched, out)
    for number, each in enumerate(fetched):
        mine = fate[np.asarray(facts.source) == number]
        for code, reason in enumerate(_REASONS):
            counts[each.source.name][reason] = int((mine == code).sum())
    return _report(counts, splits, cleaner.removed)


def _spool(
    fetched: Sequence[Fetched], params: Download, cleaner: Cleaner, spool: Path
) -> tuple[Facts, dict[str, Counter[str]]]:
    """Clean every document, write it down, and note its facts and signature."""
    facts, signer = Facts(), Signer()
    counts: dict[str, Counter[str]] = {each.source.name: Counter() for each in fetched}
    with ShardWriter(spool, DOCUMENT) as writer, (spool / _SIGNATURES).open("wb") as signatures:
        rows = _Rows(writer)
        for number, each in enumerate(fetched):
            mine = counts[each.source.name]
            for document in track(cleaner.documents(each), f"clean {each.source.name}"):
                mine["read"] += 1
                if isinstance(document, str):
                    mine[document] += 1
                    continue
                facts.add(document, number, params.seed)
                rows.add(document.row())
                if params.near_duplicate is not None:
                    signatures.write(signer.sign(document.words).tobytes())
    return facts, counts


class _Rows:
    """A shard writer whose shards end by the size of their text too."""

    def __init__(self, writer: ShardWriter) -> None:
        self._writer, self._size = writer, 0

    def add(self, row: dict[str, Any]) -> None:
        self._writer.add(row)
        self._size += len(row["text"])
        if self._size >= _SHARD_TEXT:
            self._writer.cut()
            self._size = 0


def _decide(
    facts: Facts, documents: int | None, threshold: float | None, signatures: Path
) -> NDArray[np.uint8]:
    """What becomes of each document: a position in ``_REASONS``, uint8 [n]."""
    fate = np.full(len(facts.text), _KEPT, dtype=np.uint8)
    _, first = np.unique(np.asarray(facts.text), return_index=True)
    repeated = np.ones(len(fate), dtype=bool)
    repeated[first] = False
    fate[repeated] = _DUPLICATE
    if threshold is not None:
        fate[near_duplicates(signatures, fate == _KEPT, np.asarray(facts.unit), threshold)] = _NEAR
    if documents is not None:
        _draw(fate, facts, documents)
    return fate


def _draw(fate: NDArray[np.uint8], facts: Facts, documents: int) -> None:
    """Keep of each source the ``documents`` of lowest rank, and what belongs to the last of them."""
    source, rank = np.asarray(facts.source), np.asarray(facts.rank)
    for number in np.unique(source):
        mine = np.flatnonzero((source == number) & (fate == _KEPT))
        if len(mine) > documents:
            highest = np.partition(rank[mine], documents - 1)[documents - 1]
            fate[mine[rank[mine] > highest]] = _NOT_DRAWN


def _copy(
    spool: Path, fate: NDArray[np.uint8], params: Download, fetched: Sequence[Fetched], out: Path
) -> Counter[str]:
    """Write the documents that are kept, each with its split."""
    licences = {each.source.name: each.source.licence for each in fetched}
    schema = DOCUMENT.with_metadata({"licences": json.dumps(licences, sort_keys=True, ensure_ascii=False)})
    splits: Counter[str] = Counter()
    start = 0
    with ShardWriter(out, schema) as writer:
        rows = _Rows(writer)
        for path in store.shards(spool):
            for batch in store.read_file(path).to_batches(max_chunksize=1024):
                chosen = np.flatnonzero(fate[start : start + len(batch)] == _KEPT)
                start += len(batch)
                for row in batch.take(pa.array(chosen)).to_pylist():
                    row["split"] = row["split"] or split_of(row["pair_id"] or row["doc_id"], params)
                    splits[row["split"]] += 1
                    rows.add(row)
    if not splits:
        raise SynsemError(
            "download.sources: no usable text is left after cleaning; name other sources or lower"
            " download.min_characters"
        )
    return splits


def split_of(unit: str, params: Download) -> str:
    """train, dev or test: a pure function of the document's (or its pair's) id and the two fractions."""
    place = seeding.rank(0, "split", unit) / 2**64
    if place < params.test_fraction:
        return "test"
    return "dev" if place < params.test_fraction + params.dev_fraction else "train"


def _report(counts: dict[str, Counter[str]], splits: Counter[str], removed: Counter[str]) -> dict[str, Any]:
    """The counts of report.json; of every source, read is kept and dropped together."""
    dropped = {
        name: {reason: n for reason, n in mine.items() if n and reason not in ("read", "kept")}
        for name, mine in counts.items()
    }
    return {
        "read": {name: mine["read"] for name, mine in counts.items()},
        "kept": {name: mine["kept"] for name, mine in counts.items()},
        "dropped": dict(sum((Counter(reasons) for reasons in dropped.values()), Counter())),
        "dropped_by_source": dropped,
        "contaminated_sentences": {name: n for name, n in removed.items() if n},
        "splits": dict(splits),
    }
