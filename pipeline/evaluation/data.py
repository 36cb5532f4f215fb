"""What the tasks read: held-out sentences with variants, benchmark examples, and a tree for every text."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipeline.core.errors import SynsemError
from pipeline.core.schemas import EXAMPLE, SENTENCE, VARIANT
from pipeline.core.seeding import stable_hash
from pipeline.core.store import read_file, require_rows, rows, shards, to_rows, to_values
from pipeline.syntax.sentence import HasTree, Sentence, Side
from pipeline.syntax.structural_similarity import structural_similarity, triples

MOST = 20_000  # held-out sentences that are judged: those of lowest hash, the same ones on any machine
PAIR_LABELS = ("0", "1")


class HeldOutSentence(NamedTuple):
    """A sentence of a held-out document."""

    sent_id: str
    doc_id: str
    sentence: Sentence


class Variant(NamedTuple):
    """A variant of a held-out sentence: its transformation and what that does to the meaning."""

    transformation: str
    meaning: str
    side: Side
    alignment: Sequence[int] = ()  # 1-based source position of each word, 0 for a word that was added


class Example(NamedTuple):
    """A benchmark row (``schemas.EXAMPLE``)."""

    task: str
    subset: str
    split: str
    a: str
    b: str | None
    score: float | None
    label: str | None


@dataclass(frozen=True)
class HeldOut:
    """The test split of the corpus or of a treebank, with its variants; at most ``MOST`` sentences."""

    parsed: Path
    augmented: Path
    seed: int

    @property
    def corpus(self) -> Path:
        """The folder of all parsed sentences."""
        return self.parsed / "corpus"

    @cached_property
    def sentences(self) -> list[HeldOutSentence]:
        """The test sentences, of equal texts the first, in an order that depends on the seed alone."""
        found = self.drawn(_is_test).get("test", [])
        return [HeldOutSentence(row["sent_id"], row["doc_id"], Sentence.from_row(row)) for row in found]

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """The rows of the test sentences, equal texts among them, in the order of the files."""
        return self.drawn(_is_test, distinct=False).get("test", [])

    @cached_property
    def variants(self) -> dict[str, list[Variant]]:
        """Variants of the sentences by ``sent_id`` of their source, in the order of the files."""
        require_rows(self.augmented, VARIANT)
        sources = {each.sent_id for each in self.sentences} | {row["sent_id"] for row in self.rows}
        grouped: dict[str, list[Variant]] = defaultdict(list)
        for path in shards(self.augmented):
            table = read_file(path)
            wanted = [source in sources for source in table["source_id"].to_pylist()]
            for row in to_rows(table.filter(pa.array(wanted, pa.bool_()))):
                grouped[row["source_id"]].append(
                    Variant(row["transformation"], row["meaning"], Side.from_row(row), row["alignment"])
                )
        return dict(grouped)

    def drawn(
        self,
        group: Callable[[dict[str, Any]], str],
        rank: Callable[[dict[str, Any]], int] | None = None,
        distinct: bool = True,
        columns: Sequence[str] = ("sent_id", "split", "text"),
    ) -> dict[str, list[dict[str, Any]]]:
        """Return of each group the ``MOST`` rows of lowest ``rank``, by default a hash of their ids.

        ``group`` is "" for a row that is left out; like ``rank`` it sees only the ``columns`` of a row.
        ``distinct``: of equal texts the first, and the rows in order of their rank; otherwise in that of the
        files.
        """
        require_rows(self.corpus, SENTENCE)
        found: dict[str, list[tuple[int, int]]] = defaultdict(list)
        seen: set[tuple[str, int]] = set()
        for number, row in _facts(self.corpus, columns):
            if not (name := group(row)):
                continue
            text = name, stable_hash(0, row["text"])
            if not (distinct and text in seen):
                seen.add(text)
                found[name].append((rank(row) if rank else stable_hash(self.seed, row["sent_id"]), number))
        chosen = {
            name: np.array([number for _, number in sorted(places)[:MOST]], dtype=np.int64)
            for name, places in found.items()
        }
        return {
            name: rows_at(self.corpus, numbers if distinct else np.sort(numbers))
            for name, numbers in chosen.items()
        }


def _is_test(row: dict[str, Any]) -> str:
    return "test" if row["split"] == "test" else ""


def _facts(folder: Path, names: Sequence[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each row's number in the folder, and some of its columns; few rows are in memory at once."""
    number = 0
    for path in shards(folder):
        for batch in read_file(path).select(list(names)).to_batches(max_chunksize=1024):
            for row in zip(*map(to_values, batch.columns), strict=True):
                yield number, dict(zip(names, row, strict=True))
                number += 1


def rows_at(folder: Path, numbers: NDArray[np.int64]) -> list[dict[str, Any]]:
    """Return the rows of a folder with these numbers, in that order."""
    order = np.argsort(numbers, kind="stable")
    places, found, start = numbers[order], list[dict[str, Any]](), 0
    for path in shards(folder):
        table = read_file(path)
        low, high = np.searchsorted(places, [start, start + table.num_rows])
        found += to_rows(table.take(pa.array(places[low:high] - start)))
        start += table.num_rows
    rows: list[dict[str, Any]] = [{}] * len(numbers)
    for place, row in zip(order.tolist(), found, strict=True):
        rows[place] = row
    return rows


@dataclass
class Benchmarks:
    """Downloaded benchmarks by name, and the trees of their texts."""

    folder: Path
    parsed: Path
    needs_trees: bool = True  # whether a text without a tree is an error

    @cached_property
    def by_task(self) -> dict[str, list[Example]]:
        """Examples by benchmark, in the order of the files; empty when nothing was downloaded."""
        grouped: dict[str, list[Example]] = defaultdict(list)
        if any(self.folder.glob("part-*.arrow")):
            require_rows(self.folder, EXAMPLE)
            for row in rows(self.folder):
                grouped[row["task"]].append(Example(**row))
        return dict(grouped)

    def examples(self, name: str) -> list[Example]:
        """Return a benchmark's examples; SynsemError if it was not downloaded."""
        if name not in self.by_task:
            raise SynsemError(
                f"{self.folder}: has no examples of {name}; "
                "add it to download.benchmarks and run download and parse"
            )
        return self.by_task[name]

    @cached_property
    def trees(self) -> dict[str, Sentence]:
        """The tree of every benchmark text; empty when nothing was parsed and the model reads no trees.

        Such a model gets the text to the character. One that reads trees gets their words with spaces, as in
        its training examples, which is another text if there are contractions.
        """
        folder = self.parsed / "benchmarks"
        if not self.needs_trees and not folder.exists():
            return {}
        require_rows(folder, SENTENCE)
        found = {row["text"]: Sentence.from_row(row) for row in rows(folder)}
        if self.needs_trees:
            return found
        return {text: replace(tree, surface=text) for text, tree in found.items()}

    def sentences(self, texts: Iterable[str]) -> list[HasTree]:
        """Return the texts with their trees, in order.

        Without a tree, a model that reads none gets a ``chain``; for another one this is a SynsemError.
        """
        wanted = list(texts)
        missing = [text for text in wanted if text not in self.trees] if self.needs_trees else []
        if missing:
            raise SynsemError(
                f"{self.parsed / 'benchmarks'}: no tree for {len(missing)} of {len(wanted)} texts, "
                f"first '{missing[0][:60]}'; run parse again"
            )
        return [self.trees[text] if text in self.trees else chain(text) for text in wanted]

    def sides(self, examples: Sequence[Example]) -> tuple[list[HasTree], list[HasTree]]:
        """Return the first and the second sentences of pairs, with their trees."""
        return self.sentences(each.a for each in examples), self.sentences(each.b or "" for each in examples)

    def structural_agreement(self, examples: Sequence[Example]) -> NDArray[np.float64] | None:
        """Return how far the trees of n pairs agree, float64 [n]: a baseline without a model.

        None if a text has no tree.
        """
        pairs = [(each.a, each.b or "") for each in examples]
        texts = {text for pair in pairs for text in pair}
        if not texts <= self.trees.keys():
            return None
        known = {text: triples(self.trees[text]) for text in sorted(texts)}
        return np.array([structural_similarity(known[a], known[b]) for a, b in pairs])


def chain(text: str) -> Side:
    """Return the words of a text, each the head of the next: a placeholder when no tree is read."""
    words = tuple(text.split()) or (text,)
    return Side(text, words, tuple(range(len(words))))
