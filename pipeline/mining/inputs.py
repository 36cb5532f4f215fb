"""What mining reads: the folders of the stages before it, and sentences with their variants or documents."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from pipeline.errors import SynsemError
from pipeline.store import read, read_file, rows, shards

Row = dict[str, Any]
TRAINING_SPLITS = ("train", "dev")


class Inputs(NamedTuple):
    """Folders of ``store.DOCUMENT``, ``EXAMPLE``, ``SENTENCE`` (in its folder ``corpus``) and ``VARIANT``."""

    corpus: Path
    benchmarks: Path
    parsed: Path
    augmented: Path
    treebank: Path | None = None  # holds corpus/ and augmented/ likewise, empty where no treebank is named

    def gold(self) -> "Inputs":
        """With the treebank's trees and their variants in place of the corpus's, where there are any."""
        home = self.treebank
        if home is None or not home.exists() or not next(rows(home / "corpus"), None):
            return self
        return self._replace(parsed=home, augmented=home / "augmented")

    @property
    def sentences(self) -> Path:
        """The parsed sentences of the corpus."""
        return self.parsed / "corpus"


class Lookup:
    """The parsed sentences by their place among all, read from disk when asked for."""

    def __init__(self, inputs: Inputs) -> None:
        self._table = read(inputs.sentences)

    def __getitem__(self, place: int) -> Row:
        row: Row = self._table.slice(place, 1).to_pylist()[0]
        return row


def with_variants(inputs: Inputs) -> Iterator[tuple[Row, list[Row]]]:
    """Every sentence of the training splits with its variants, streamed.

    Both folders are in sentence order, so one pass over each is enough; memory stays flat.
    Raises SynsemError where a variant's sentence is not there: the folders stem from different runs.
    """
    groups = groupby(rows(inputs.augmented), key=itemgetter("source_id"))
    source_id, variants = next(groups, (None, iter(())))
    for sentence in rows(inputs.sentences):
        own: list[Row] = []
        if sentence["sent_id"] == source_id:
            own = list(variants)
            source_id, variants = next(groups, (None, iter(())))
        if sentence["split"] in TRAINING_SPLITS:
            yield sentence, own
    if source_id is not None:
        raise SynsemError(
            f"{inputs.augmented}: variants of {source_id}, which {inputs.parsed} lacks in that place;"
            " run augment again"
        )


def candidates(inputs: Inputs, *names: str) -> Iterator[tuple[Row, list[Row]]]:
    """Every sentence of the training splits, as ``with_variants`` but without any, and of the named columns.

    ``place`` is added: the sentence's own among all parsed sentences.
    """
    for place, sentence in enumerate(
        _columns(inputs.sentences, {"sent_id", "split", "text", "words", *names})
    ):
        if sentence["split"] in TRAINING_SPLITS:
            yield {**sentence, "place": place}, []


def with_sentences(
    inputs: Inputs, document: Sequence[str], sentence: Sequence[str]
) -> Iterator[tuple[Row, list[Row]]]:
    """Every document that has sentences, with them: the named columns of both, streamed.

    Documents without a usable sentence are passed over. Raises SynsemError where a sentence's document is
    not in the corpus: the folders stem from different runs.
    """
    documents = _columns(inputs.corpus, {"doc_id", *document})
    for doc_id, group in groupby(_columns(inputs.sentences, {"doc_id", *sentence}), itemgetter("doc_id")):
        row = next((row for row in documents if row["doc_id"] == doc_id), None)
        if row is None:
            raise SynsemError(
                f"{inputs.parsed}: sentences of {doc_id}, which {inputs.corpus} lacks in that place;"
                " run parse again"
            )
        yield row, list(group)


def _columns(folder: Path, names: set[str]) -> Iterator[Row]:
    for path in shards(folder):
        table = read_file(path)
        absent = {"constituents"} - set(table.schema.names)  # a column that is there where trees were given
        for batch in table.select(sorted(names - absent)).to_batches(max_chunksize=4096):
            yield from batch.to_pylist()
