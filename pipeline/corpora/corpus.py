"""Corpus sources -> ``data/corpus``: cleaned, deduplicated, sampled, split; in flat memory.

Two passes. The first cleans the documents, writes them to a temporary folder and keeps a few numbers of each
(``Facts``). These numbers alone decide what is dropped; the second pass copies the rest.
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

from pipeline.core import seeding, store
from pipeline.core.errors import SynsemError
from pipeline.core.progress import track
from pipeline.core.store import DOCUMENT, ShardWriter
from pipeline.corpora.cleaning.contamination import Contamination
from pipeline.corpora.cleaning.duplicates import Signer, near_duplicates
from pipeline.corpora.documents import FOREIGN, Cleaner, Document
from pipeline.corpora.fetching.fetch import Fetched
from pipeline.params import Download

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
        """Keep the facts of a document of the source with that number."""
        self.text.append(seeding.stable_hash(0, "text", document.text))
        self.unit.append(seeding.stable_hash(0, "unit", document.unit))
        self.rank.append(seeding.stable_hash(seed, "draw", document.unit))
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
        decision = _decide(facts, documents, params.near_duplicate, spool / _SIGNATURES)
        if not (decision == _KEPT).any():
            raise _nothing_left(sum(counts.values(), Counter()), cleaner.foreign)
        splits = _copy(spool, decision, params, fetched, out)
    for number, each in enumerate(fetched):
        own = decision[np.asarray(facts.source) == number]
        for code, reason in enumerate(_REASONS):
            counts[each.source.name][reason] = int((own == code).sum())
    return _report(counts, splits, cleaner.removed)


def _nothing_left(counts: Counter[str], foreign: Counter[tuple[str, str]]) -> SynsemError:
    """What to do where every text was dropped; ``foreign`` counts by language said and language found."""
    if 2 * counts[FOREIGN] <= counts["read"]:
        return SynsemError(
            "download.sources: no usable text is left after cleaning; name other sources or lower"
            " download.min_characters"
        )
    (said, found), _ = foreign.most_common(1)[0]
    return SynsemError(
        f"download.sources: no usable text is left after cleaning: {counts[FOREIGN]:,} of {counts['read']:,} "
        f"texts were taken for {found} and not for {said}; set download.language to {found}, or "
        "download.language_confidence to null to keep them all"
    )


def _spool(
    fetched: Sequence[Fetched], params: Download, cleaner: Cleaner, spool: Path
) -> tuple[Facts, dict[str, Counter[str]]]:
    """Clean every document, write it to the temporary folder, and keep its facts and signature."""
    facts, signer = Facts(), Signer()
    counts: dict[str, Counter[str]] = {each.source.name: Counter() for each in fetched}
    with ShardWriter(spool, DOCUMENT) as writer, (spool / _SIGNATURES).open("wb") as signatures:
        rows = _Rows(writer)
        for number, each in enumerate(fetched):
            own = counts[each.source.name]
            for document in track(cleaner.documents(each), f"clean {each.source.name}", unit="texts"):
                own["read"] += 1
                if isinstance(document, str):
                    own[document] += 1
                    continue
                facts.add(document, number, params.seed)
                rows.add(document.row())
                if params.near_duplicate is not None:
                    signatures.write(signer.sign(document.words).tobytes())
    return facts, counts


class _Rows:
    """A shard writer whose shards also end where their text is large."""

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
    """The decision on each document: a position in ``_REASONS``, uint8 [n]."""
    decision = np.full(len(facts.text), _KEPT, dtype=np.uint8)
    _, first = np.unique(np.asarray(facts.text), return_index=True)
    repeated = np.ones(len(decision), dtype=bool)
    repeated[first] = False
    decision[repeated] = _DUPLICATE
    if threshold is not None:
        decision[near_duplicates(signatures, decision == _KEPT, np.asarray(facts.unit), threshold)] = _NEAR
    if documents is not None:
        _draw(decision, facts, documents)
    return decision


def _draw(decision: NDArray[np.uint8], facts: Facts, documents: int) -> None:
    """Keep of each source the ``documents`` of lowest rank, and the translations of the last of them."""
    source, rank = np.asarray(facts.source), np.asarray(facts.rank)
    for number in np.unique(source):
        own = np.flatnonzero((source == number) & (decision == _KEPT))
        if len(own) > documents:
            highest = np.partition(rank[own], documents - 1)[documents - 1]
            decision[own[rank[own] > highest]] = _NOT_DRAWN


def _copy(
    spool: Path, decision: NDArray[np.uint8], params: Download, fetched: Sequence[Fetched], out: Path
) -> Counter[str]:
    """Write the kept documents, each with its split."""
    licences = {each.source.name: each.source.licence for each in fetched}
    schema = DOCUMENT.with_metadata({"licences": json.dumps(licences, sort_keys=True, ensure_ascii=False)})
    splits: Counter[str] = Counter()
    start = 0
    with ShardWriter(out, schema) as writer:
        rows = _Rows(writer)
        for path in store.shards(spool):
            for batch in store.read_file(path).to_batches(max_chunksize=1024):
                chosen = np.flatnonzero(decision[start : start + len(batch)] == _KEPT)
                start += len(batch)
                for row in batch.take(pa.array(chosen)).to_pylist():
                    row["split"] = row["split"] or split_of(row["pair_id"] or row["doc_id"], params)
                    splits[row["split"]] += 1
                    rows.add(row)
    if not splits["train"]:
        raise SynsemError(
            f"download.documents: none of the {splits.total():,} documents is in the train split; take more"
            " text or lower download.dev_fraction and download.test_fraction"
        )
    return splits


def split_of(unit: str, params: Download) -> str:
    """train, dev or test: a pure function of the id of the document (or its pair) and the two fractions."""
    place = seeding.stable_hash(0, "split", unit) / 2**64
    if place < params.test_fraction:
        return "test"
    return "dev" if place < params.test_fraction + params.dev_fraction else "train"


def _report(counts: dict[str, Counter[str]], splits: Counter[str], removed: Counter[str]) -> dict[str, Any]:
    """The counts of report.json; of every source, read is kept and dropped together."""
    dropped = {
        name: {reason: n for reason, n in own.items() if n and reason not in ("read", "kept")}
        for name, own in counts.items()
    }
    return {
        "read": {name: own["read"] for name, own in counts.items()},
        "kept": {name: own["kept"] for name, own in counts.items()},
        "dropped": dict(sum((Counter(reasons) for reasons in dropped.values()), Counter())),
        "dropped_by_source": dropped,
        "contaminated_sentences": {name: n for name, n in removed.items() if n},
        "splits": dict(splits),
    }
