"""Corpus sources -> ``data/corpus``: cleaned, deduplicated, sampled, split; in flat memory.

Two passes. The first cleans the documents, and writes them and a few numbers of each to a temporary folder.
These numbers alone decide what is dropped (``selection.py``); the second pass copies the rest.
"""

import json
import tempfile
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
from pipeline.core.schemas import DOCUMENT
from pipeline.core.store import ShardWriter
from pipeline.corpora.cleaning.contamination import Contamination
from pipeline.corpora.cleaning.duplicates import Signer
from pipeline.corpora.documents import FOREIGN, Cleaner
from pipeline.corpora.fetching.fetch import Fetched
from pipeline.corpora.selection import KEPT, REASONS, count, decide, packed, read_facts
from pipeline.params import Download

_SHARD_TEXT = 16 * 2**20  # characters after which a shard ends, so that long articles do not fill the memory
_WHOLE = pa.field("whole", pa.string())  # ``Document.whole``, in the temporary folder alone
_SPOOLED = DOCUMENT.append(_WHOLE)
_FACTS, _SIGNATURES = "facts.bin", "signatures.bin"


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
        counts = _spool(fetched, params, cleaner, spool)
        facts = read_facts(spool / _FACTS)
        decision = decide(facts, spool / _SIGNATURES, documents, params.near_duplicate)
        decided = count(decision, facts, len(fetched))
        if not decided[:, KEPT].any():
            raise _nothing_left(sum(counts.values(), Counter()), cleaner.foreign)
        splits = _copy(spool, decision, params, fetched, out)
    for each, numbers in zip(fetched, decided, strict=True):
        counts[each.source.name].update(dict(zip(REASONS, map(int, numbers), strict=True)))
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
) -> dict[str, Counter[str]]:
    """Clean every document and write it to the temporary folder, with its facts and signature."""
    signer = Signer()
    counts: dict[str, Counter[str]] = {each.source.name: Counter() for each in fetched}
    with (
        ShardWriter(spool, _SPOOLED) as writer,
        (spool / _FACTS).open("wb") as facts,
        (spool / _SIGNATURES).open("wb") as signatures,
    ):
        rows = _Rows(writer)
        for number, each in enumerate(fetched):
            own = counts[each.source.name]
            for document in track(cleaner.documents(each), f"clean {each.source.name}", unit="texts"):
                own["read"] += 1
                if isinstance(document, str):
                    own[document] += 1
                    continue
                facts.write(packed(document, number, params.seed))
                rows.add(document.row() | {_WHOLE.name: document.whole})
                if params.near_duplicate is not None:
                    signatures.write(signer.sign(document.words).tobytes())
    return counts


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
                chosen = np.flatnonzero(decision[start : start + len(batch)] == KEPT)
                start += len(batch)
                for row in batch.take(pa.array(chosen)).to_pylist():
                    whole = row.pop(_WHOLE.name)
                    row["split"] = row["split"] or split_of(whole, params)
                    splits[row["split"]] += 1
                    rows.add(row)
    if not splits["train"]:
        raise SynsemError(
            f"download.documents: none of the {splits.total():,} documents is in the train split; take more"
            " text or lower download.dev_fraction and download.test_fraction"
        )
    return splits


def split_of(whole: str, params: Download) -> str:
    """train, dev or test: a pure function of ``Document.whole`` and the two fractions."""
    place = seeding.stable_hash(0, "split", whole) / 2**64
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
