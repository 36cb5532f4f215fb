"""What the tasks read: held-out sentences with variants, benchmark examples, and a tree for every text."""

import heapq
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipeline.core.errors import SynsemError
from pipeline.core.schemas import EXAMPLE, SENTENCE, VARIANT
from pipeline.core.seeding import SEED, stable_hash
from pipeline.core.store import read_file, require_rows, rows, shards, to_rows, to_values
from pipeline.syntax.sentence import Sentence, Variant
from pipeline.syntax.similarity import structural_similarity, triples

MOST = 20_000  # held-out sentences at most: those with the lowest hashes, the same on any machine
PAIR_LABELS = ("0", "1")
Row = dict[str, Any]


@dataclass(frozen=True)
class HeldOut:
    """The test split of the corpus or of a treebank, with its variants; at most ``MOST`` sentences."""

    parsed: Path
    augmented: Path

    @property
    def corpus(self) -> Path:
        """The folder of all parsed sentences."""
        return self.parsed / "corpus"

    @cached_property
    def sample(self) -> list[Row]:
        """The rows of the test sentences, the first of each text, in the order of a hash of their ids."""
        return self.drawn(("split",), "test".__eq__, lambda row: stable_hash(SEED, row["sent_id"]))

    @cached_property
    def rows(self) -> list[Row]:
        """The rows of the first test sentences in the order of the files, equal texts included."""
        require_rows(self.corpus, SENTENCE)
        return list(islice(_rows_where(self.corpus, ("split",), "test".__eq__), MOST))

    def variants(self, sources: Collection[str]) -> dict[str, list[Variant]]:
        """Return the variants of the sentences with these ids, in the order of the files."""
        require_rows(self.augmented, VARIANT)
        found: dict[str, list[Variant]] = defaultdict(list)
        for row in _rows_where(self.augmented, ("source_id",), set(sources).__contains__):
            variant = Variant(row["transformation"], row["meaning"], Sentence.from_row(row))
            found[row["source_id"]].append(variant)
        return dict(found)

    def drawn(
        self, columns: Sequence[str], wanted: Callable[..., bool], rank: Callable[[Row], int]
    ) -> list[Row]:
        """Return the ``MOST`` lowest-ranked rows with ``wanted(*columns)``, by rank, and each text once."""
        require_rows(self.corpus, SENTENCE)
        return heapq.nsmallest(MOST, _distinct(_rows_where(self.corpus, columns, wanted)), key=rank)


def _rows_where(folder: Path, columns: Sequence[str], wanted: Callable[..., bool]) -> Iterator[Row]:
    """Yield the rows whose ``columns`` are wanted; the other rows are not read."""
    for path in shards(folder):
        for batch in read_file(path).to_batches(max_chunksize=1024):
            mask = [wanted(*row) for row in zip(*(to_values(batch[name]) for name in columns), strict=True)]
            if any(mask):
                yield from to_rows(batch.filter(pa.array(mask)))


def _distinct(found: Iterable[Row]) -> Iterator[Row]:
    seen = set[str]()
    for row in found:
        if row["text"] not in seen:
            seen.add(row["text"])
            yield row


@dataclass
class Benchmarks:
    """Downloaded benchmarks by name, and the trees of their texts."""

    folder: Path
    parsed: Path
    needs_trees: bool = True  # whether a text without a tree is an error

    @cached_property
    def by_task(self) -> dict[str, list[Row]]:
        """Rows (``schemas.EXAMPLE``) by benchmark, in file order; empty when nothing was downloaded."""
        grouped: dict[str, list[Row]] = defaultdict(list)
        if any(self.folder.glob("part-*.arrow")):
            require_rows(self.folder, EXAMPLE)
            for row in rows(self.folder):
                grouped[row["task"]].append(row)
        return dict(grouped)

    @cached_property
    def trees(self) -> dict[str, Sentence]:
        """The tree of every benchmark text; empty when nothing was parsed and the model reads no trees.

        Such a model gets the text as it is. One that reads trees gets the words of the tree, as in training:
        they differ from the text if there are contractions.
        """
        folder = self.parsed / "benchmarks"
        if not self.needs_trees and not folder.exists():
            return {}
        require_rows(folder, SENTENCE)
        spelt = {"text": ""} if self.needs_trees else {}
        return {row["text"]: Sentence.from_row(row | spelt) for row in rows(folder)}

    def sentences(self, texts: Iterable[str]) -> list[Sentence]:
        """Return the texts with their trees, in order.

        A text without a tree is a chain of words for a model that reads none; otherwise SynsemError.
        """
        wanted = list(texts)
        missing = [text for text in wanted if text not in self.trees] if self.needs_trees else []
        if missing:
            raise SynsemError(
                f"{self.parsed / 'benchmarks'}: no tree for {len(missing)} of {len(wanted)} texts, "
                f"first '{missing[0][:60]}'; run parse again"
            )
        return [self.trees.get(text) or _chain(text) for text in wanted]

    def sides(self, pairs: Sequence[Row]) -> tuple[list[Sentence], list[Sentence]]:
        """Return the first and the second sentences of pairs, with their trees."""
        return self.sentences(each["a"] for each in pairs), self.sentences(each["b"] or "" for each in pairs)

    def structural_agreement(self, pairs: Sequence[Row]) -> NDArray[np.float64] | None:
        """Return how far the trees of n pairs agree, float64 [n], or None if a text has no tree."""
        texts = sorted({text or "" for each in pairs for text in (each["a"], each["b"])})
        if not self.trees.keys() >= set(texts):
            return None
        known = {text: triples(self.trees[text]) for text in texts}
        return np.array([structural_similarity(known[each["a"]], known[each["b"] or ""]) for each in pairs])


def _chain(text: str) -> Sentence:
    """Return the words of a text, each the head of the next: a placeholder when no tree is read."""
    words = tuple(text.split()) or (text,)
    return Sentence(text, words, tuple(range(len(words))))
