"""The filter against contamination: no text of a benchmark or of the test split gets into an example."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from pipeline.core.hash_numbers import HashNumbers
from pipeline.core.seeding import stable_hash
from pipeline.core.store import FileState, file_state, read_file, shards, to_rows
from pipeline.corpora.clean import words
from pipeline.corpora.duplicates import SHORTEST, Contamination
from pipeline.mining.inputs import Inputs, Row
from pipeline.syntax.sentence import normalised

_BENCHMARK, _TEST_SPLIT = "benchmark text", "text of the test split"  # reasons


def without_held_out_texts(
    examples: Iterable[Row],
    inputs: Inputs,
    threshold: float | None,
    dropped: Counter[str],
    sources: Collection[str] = (),
) -> Iterator[Row]:
    """Drop examples whose anchor or positive is a text to be tested on, and negatives that are; counted.

    Such are the benchmarks' texts. Cleaning removed them from the corpus, but a variant can turn into one,
    and a corpus that the user parsed need not have been cleaned. ``threshold`` is the Jaccard similarity of
    words and word pairs from which a text counts as a benchmark's; None asks for equal words. The training
    part of a benchmark that is among the corpus ``sources`` (``paws-wiki-train``) passes. Such are, too, the
    sentences of the corpus's test split, for two documents can have one sentence. A treebank keeps its
    published splits, repetitions included. Texts of fewer than ``SHORTEST`` words always pass.
    """
    benchmarks = _index(tuple(map(file_state, shards(inputs.benchmarks))), threshold, frozenset(sources))
    gold = inputs.parsed == inputs.treebank
    test_split = _test_split(() if gold else tuple(map(file_state, shards(inputs.sentences))))
    known: dict[str, str] = {}  # an anchor and its negatives come again with its next positive

    def reason(side: Row) -> str:
        """Why a side may not be in an example; empty where it may."""
        text = side["text"]
        if text not in known:
            if len(known) > 1000:
                known.clear()
            in_test = len(words(text)) >= SHORTEST and stable_hash(0, normalised(text)) in test_split
            known[text] = _TEST_SPLIT if in_test else _BENCHMARK if benchmarks.holds(text) else ""
        return known[text]

    for row in examples:
        if found := reason(row["anchor"]) or reason(row["positive"]):
            dropped[f"{found}: anchor or positive"] += 1
            continue
        reasons = [reason(negative) for negative in row["negatives"]]
        if any(reasons):
            dropped.update(f"{found}: negative" for found in reasons if found)
            for column in ("negatives", "negative_kinds", "negative_hardness"):
                row[column] = [value for value, found in zip(row[column], reasons, strict=True) if not found]
        yield row


@lru_cache(maxsize=1)
def _test_split(files: tuple[FileState, ...]) -> HashNumbers:
    """The hashes of the test split's sentences."""
    found = HashNumbers()
    for name, *_ in files:
        for batch in read_file(Path(name)).select(["split", "text"]).to_batches(max_chunksize=4096):
            for row in to_rows(batch):
                if row["split"] == "test":
                    found.add(stable_hash(0, normalised(row["text"])))
    return found


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
