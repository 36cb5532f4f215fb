"""Benchmark sources -> ``data/benchmarks``: examples as their authors wrote them but for regular Unicode."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from pipeline.corpora.cleaning.text import regular
from pipeline.corpora.fetching.fetch import Fetched
from pipeline.corpora.parts import records
from pipeline.store import EXAMPLE, ShardWriter, rows


def write_benchmarks(fetched: Sequence[Fetched], out: Path) -> dict[str, Any]:
    """Write every example into shards under ``out``; returns the counts for report.json.

    The task is the source's name. An example is dropped only where a text of it is empty.
    """
    kept: dict[str, Counter[str]] = {}
    dropped: Counter[str] = Counter()
    with ShardWriter(out, EXAMPLE) as writer:
        for each in fetched:
            task = each.source.name
            kept[task] = Counter()
            for row in _examples(each):
                if not row["a"] or row["b"] == "":
                    dropped["empty"] += 1
                    continue
                writer.add(row)
                kept[task][row["split"]] += 1
    return {"kept": {task: dict(counts) for task, counts in kept.items()}, "dropped": dict(dropped)}


def texts_of(benchmarks: Path, sources: Collection[str] = ()) -> Iterator[str]:
    """Every text of the written benchmarks, first and second of pairs, with repetitions.

    Where the corpus ``sources`` name a benchmark's training part (``paws-wiki-train``), that part is passed
    over: it is there to be learnt from.
    """
    for row in rows(benchmarks):
        if row["split"] == "train" and f"{row['task']}-train" in sources:
            continue
        yield row["a"]
        if row["b"] is not None:
            yield row["b"]


def _examples(fetched: Fetched) -> Iterator[dict[str, Any]]:
    for record in records(fetched):
        yield {
            "task": fetched.source.name,
            "subset": record.subset or "",
            "split": record.split or "test",
            "a": regular(record.text, one_line=True),
            "b": None if record.b is None else regular(record.b, one_line=True),
            "score": record.score,
            "label": record.label,
        }
