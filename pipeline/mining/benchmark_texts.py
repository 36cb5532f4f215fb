"""The filter against contamination: no text of a benchmark gets into an example."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from pipeline.core.columns import to_rows
from pipeline.core.store import FileState, file_state, read_file, shards
from pipeline.corpora.cleaning.contamination import Contamination
from pipeline.mining.inputs import Row


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
    index = _index(tuple(map(file_state, shards(benchmarks))), threshold, frozenset(sources))
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


# A process that mines many parts builds the index once.
@lru_cache(maxsize=1)
def _index(files: tuple[FileState, ...], threshold: float | None, sources: frozenset[str]) -> Contamination:
    return Contamination(_texts([Path(name) for name, *_ in files], sources), threshold)


def _texts(files: Iterable[Path], sources: Collection[str]) -> Iterator[str]:
    for path in files:
        for batch in read_file(path).select(["task", "split", "a", "b"]).to_batches(max_chunksize=4096):
            for row in to_rows(batch):
                if row["split"] != "train" or f"{row['task']}-train" not in sources:
                    yield from filter(None, (row["a"], row["b"]))
