"""The last gate before an example is written: no benchmark's text enters it.

Cleaning has kept such sentences out of the corpus, but a variant can turn into one, and a corpus of one's own
parsing need not have been cleaned.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

from pipeline.corpora.cleaning.contamination import Contamination
from pipeline.store import read_file, shards


def uncontaminated(
    examples: Iterable[dict[str, Any]],
    benchmarks: Path,
    threshold: float | None,
    dropped: Counter[str],
    sources: Collection[str] = (),
) -> Iterator[dict[str, Any]]:
    """Leave out examples whose anchor or positive a benchmark has, and such negatives of others; counted.

    ``threshold`` is the Jaccard similarity of words and word pairs from which two texts are one, None: only
    equal words. Texts of fewer than five words are everybody's, and the training part of a benchmark that the
    corpus ``sources`` name (``paws-wiki-train``) is there to be learnt from.
    """
    index = Contamination(_texts(benchmarks, sources), threshold)
    known: dict[str, bool] = {}  # an anchor and its negatives come again with its next positive

    def held(side: dict[str, Any]) -> bool:
        text = side["text"]
        if text not in known:
            if len(known) > 1000:
                known.clear()
            known[text] = index.holds(text)
        return known[text]

    for row in examples:
        if held(row["anchor"]) or held(row["positive"]):
            dropped["benchmark text: anchor or positive"] += 1
            continue
        clean = [not held(negative) for negative in row["negatives"]]
        if not all(clean):
            dropped["benchmark text: negative"] += clean.count(False)
            for column in ("negatives", "negative_kinds", "negative_hardness"):
                row[column] = [value for value, keep in zip(row[column], clean, strict=True) if keep]
        yield row


def _texts(benchmarks: Path, sources: Collection[str]) -> Iterator[str]:
    for path in shards(benchmarks):
        for batch in read_file(path).select(["task", "split", "a", "b"]).to_batches(max_chunksize=4096):
            for row in batch.to_pylist():
                if row["split"] != "train" or f"{row['task']}-train" not in sources:
                    yield from filter(None, (row["a"], row["b"]))
