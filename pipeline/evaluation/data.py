"""What the tasks read: held-out sentences with variants, benchmark examples, and a tree for every text."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.core.errors import SynsemError
from pipeline.core.schemas import EXAMPLE, SENTENCE, VARIANT
from pipeline.core.seeding import stable_hash
from pipeline.core.store import read, require_rows, rows, sha256, shards, to_rows
from pipeline.evaluation.sampling import MOST, Sample, batches, rows_at
from pipeline.syntax.sentence import HasTree, Sentence, Side


class HeldOutSentence(NamedTuple):
    """A sentence of a held-out document."""

    sent_id: str
    doc_id: str
    sentence: Sentence


class Variant(NamedTuple):
    """A variant of a held-out sentence: its transformation and what that does to the meaning."""

    source_id: str
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
    """The test split of the corpus or of a treebank, with its variants.

    Of more than ``sampling.MOST`` sentences, so many are drawn by a hash of their ids.
    """

    parsed: Path
    augmented: Path
    seed: int

    @cached_property
    def sentences(self) -> list[HeldOutSentence]:
        """The test sentences, of equal texts the first, in an order that depends on the seed alone."""
        drawn = rows_at(self.parsed / "corpus", self._sample.lowest())
        return [HeldOutSentence(row["sent_id"], row["doc_id"], Sentence.from_row(row)) for row in drawn]

    @cached_property
    def trees(self) -> list[Sentence]:
        """The test sentences, equal texts among them, in the order of the files: a treebank as it stands."""
        return [Sentence.from_row(row) for row in self.rows]

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """``trees`` as rows of ``schemas.SENTENCE``."""
        return rows_at(self.parsed / "corpus", np.sort(self._sample.lowest(distinct=False)))

    @cached_property
    def variants(self) -> dict[str, list[Variant]]:
        """Variants of the sentences by ``sent_id`` of their source, in the order of the file."""
        drawn = self.sentences
        # The rows that ``trees`` draws among equal texts, too, have no higher hash than these.
        highest = self._rank(drawn[-1].sent_id) if len(drawn) == MOST else None
        require_rows(self.augmented, VARIANT)
        grouped: dict[str, list[Variant]] = defaultdict(list)
        for _, batch in _test_rows(self.augmented):
            sources = batch.column("source_id").to_pylist()
            wanted = [highest is None or self._rank(source) <= highest for source in sources]
            for row in to_rows(batch.filter(pa.array(wanted, pa.bool_()))):
                variant = Variant(
                    row["source_id"],
                    row["transformation"],
                    row["meaning"],
                    Side.from_row(row),
                    row["alignment"],
                )
                grouped[variant.source_id].append(variant)
        return dict(grouped)

    @cached_property
    def digest(self) -> str:
        """Hex sha256 of the sentences with their trees, and of their variants, in the order of the ids."""
        return _digest(
            [*sorted(self.sentences, key=lambda each: each.sent_id), *sorted(self.variants.items())]
        )

    @cached_property
    def digest_with_duplicates(self) -> str:
        """``digest`` with all of ``rows``: every tree, also of texts that occur again."""
        return _digest([self.digest, *self.rows])

    @cached_property
    def digest_of_all(self) -> str:
        """Hex sha256 of the files of all sentences, whatever their split."""
        folder = self.parsed / "corpus"
        require_rows(folder, SENTENCE)
        return _digest(map(sha256, shards(folder)))

    @cached_property
    def _sample(self) -> Sample:
        require_rows(self.parsed / "corpus", SENTENCE)
        found = Sample()
        for numbers, batch in _test_rows(self.parsed / "corpus"):
            columns = (batch.column(name).to_pylist() for name in ("sent_id", "text"))
            for number, sent_id, text in zip(numbers, *columns, strict=True):
                found.add(number, self._rank(sent_id), stable_hash(0, text))
        return found

    def _rank(self, sent_id: str) -> int:
        return stable_hash(self.seed, sent_id)


def _test_rows(folder: Path) -> Iterator[tuple[list[int], Any]]:
    """The rows of the test split in small batches, with their numbers in the folder."""
    for start, batch in batches(folder):
        places = np.flatnonzero(pc.equal(batch.column("split").cast("string"), "test").to_numpy(False))
        if len(places):
            yield (start + places).tolist(), batch.take(pa.array(places))


@dataclass
class Benchmarks:
    """Downloaded benchmarks by task, and the trees of their texts."""

    folder: Path
    parsed: Path
    needs_trees: bool = field(default=True)  # whether a text without a tree is an error
    _digests: dict[str, str] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def names(self) -> list[str]:
        """The benchmarks that were downloaded, sorted; none where there is no file of any."""
        if not any(self.folder.glob("part-*.arrow")):
            return []
        require_rows(self.folder, EXAMPLE)
        return sorted(pc.unique(read(self.folder)["task"].cast("string")).to_pylist())

    @cached_property
    def by_task(self) -> dict[str, list[Example]]:
        """Examples by task, in the order of the files; empty where nothing was downloaded."""
        require_rows(self.folder, EXAMPLE)
        grouped: dict[str, list[Example]] = defaultdict(list)
        for row in rows(self.folder):
            grouped[row["task"]].append(Example(**row))
        return dict(grouped)

    @cached_property
    def trees(self) -> dict[str, Sentence]:
        """The tree of every benchmark text; empty where nothing was parsed and the model reads no trees.

        Such a model gets the text to the character. One that reads trees gets their words with spaces, which
        is another text where there are contractions, as in its training examples.
        """
        if not self.needs_trees and not (self.parsed / "benchmarks").exists():
            return {}
        folder = self.parsed / "benchmarks"
        require_rows(folder, SENTENCE)
        found = dict[str, Sentence]()
        for row in rows(folder):
            tree = Sentence.from_row(row)
            found[row["text"]] = tree if self.needs_trees else replace(tree, surface=row["text"])
        return found

    def examples(self, task: str) -> list[Example]:
        """A task's examples; SynsemError where it was not downloaded."""
        if task not in self.by_task:
            raise SynsemError(
                f"{self.folder}: holds no examples of {task}; "
                "add it to download.benchmarks and run download and parse"
            )
        return self.by_task[task]

    def digest(self, task: str) -> str:
        """Hex sha256 of a task's examples in their order, and of their trees where there are any.

        Tasks read the trees even of a model that does not. Raises SynsemError as ``examples`` does.
        """
        if task not in self._digests:
            examples = self.examples(task)
            texts = (text for each in examples for text in (each.a, each.b) if text is not None)
            self._digests[task] = _digest([*examples, *map(self.trees.get, texts)])
        return self._digests[task]

    @cached_property
    def digest_of_all(self) -> str:
        """``digest`` of all tasks together."""
        return _digest(map(self.digest, sorted(self.by_task)))

    def sentences(self, texts: Iterable[str]) -> list[HasTree]:
        """The texts with their trees, in order.

        Where a text has no tree, a model that reads no trees gets the words' ``chain``; for another one this
        is a SynsemError.
        """
        wanted: Sequence[str] = list(texts)
        if self.needs_trees:
            self.demand_trees(wanted)
        return [self.trees[text] if text in self.trees else chain(text) for text in wanted]

    def demand_trees(self, texts: Sequence[str]) -> None:
        """Raise SynsemError where a text has no tree."""
        missing = [text for text in texts if text not in self.trees]
        if missing:
            raise SynsemError(
                f"{self.parsed / 'benchmarks'}: no tree for {len(missing)} of {len(texts)} texts, "
                f"first '{missing[0][:60]}'; run parse again"
            )


def _digest(rows: Iterable[object]) -> str:
    digest = hashlib.sha256()
    for row in rows:
        digest.update(f"{row!r}\n".encode())
    return digest.hexdigest()


def chain(text: str) -> Side:
    """The words of a text, each the head of the next: a placeholder where no tree is read."""
    words = tuple(text.split()) or (text,)
    return Side(text, words, tuple(range(len(words))))
