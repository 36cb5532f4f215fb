"""What mining reads, streamed: sentences with their variants, documents with their sentences."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from pipeline.core import store
from pipeline.core.errors import SynsemError
from pipeline.core.schemas import DOCUMENT, EXAMPLE, SENTENCE, VARIANT

Row = dict[str, Any]
TRAINING_SPLITS = ("train", "dev")


class Inputs(NamedTuple):
    """Folders of ``schemas.DOCUMENT``, ``EXAMPLE``, ``SENTENCE`` (in a subfolder ``corpus``), ``VARIANT``.

    ``treebank`` has subfolders ``corpus`` and ``augmented``, which are empty if no treebank is named.
    """

    corpus: Path
    benchmarks: Path
    parsed: Path
    augmented: Path
    treebank: Path | None = None

    @property
    def sentences(self) -> Path:
        """The parsed sentences of the corpus."""
        return self.parsed / "corpus"

    def gold(self) -> "Inputs":
        """Return these inputs with the treebank's trees in place of the corpus's parses, if there are any."""
        home = self.treebank
        if home is None or not home.exists() or not next(store.rows(home / "corpus"), None):
            return self
        return self._replace(parsed=home, augmented=home / "augmented")

    def check(self) -> None:
        """Raise SynsemError if a folder holds other rows; a missing one is no error before it is read."""
        schemas = (DOCUMENT, EXAMPLE, SENTENCE, VARIANT)
        folders = (self.corpus, self.benchmarks, self.sentences, self.augmented)
        for folder, schema in zip(folders, schemas, strict=True):
            if any(folder.glob("part-*.arrow")):
                store.require_rows(folder, schema)


def with_variants(inputs: Inputs) -> Iterator[tuple[Row, list[Row]]]:
    """Yield every sentence with its variants; both are in sentence order.

    A sentence gets the column ``place``, its row number. Raises SynsemError if the sentence of a variant is
    missing, because the folders come from different runs.
    """
    groups = groupby(store.rows(inputs.augmented), key=itemgetter("source_id"))
    source_id, variants = next(groups, (None, iter(())))
    for place, sentence in enumerate(store.rows(inputs.sentences)):
        own: list[Row] = []
        if sentence["sent_id"] == source_id:
            own = list(variants)
            source_id, variants = next(groups, (None, iter(())))
        yield sentence | {"place": place}, own
    if source_id is not None:
        raise SynsemError(
            f"{inputs.augmented}: variants of {source_id}, which {inputs.parsed} lacks in that place;"
            " run augment again"
        )


def with_sentences(
    inputs: Inputs, document: Sequence[str], sentence: Sequence[str]
) -> Iterator[tuple[Row, list[Row]]]:
    """Yield every document with its sentences, the named columns of both; skip those without a sentence.

    A sentence gets the column ``place``, its row number. Raises SynsemError if the document of a sentence is
    missing, because the folders come from different runs.
    """
    documents = store.rows(inputs.corpus, "doc_id", *document)
    numbered = enumerate(store.rows(inputs.sentences, "doc_id", *sentence))
    sentences = (row | {"place": place} for place, row in numbered)
    for doc_id, group in groupby(sentences, key=itemgetter("doc_id")):
        row = next((row for row in documents if row["doc_id"] == doc_id), None)
        if row is None:
            raise SynsemError(
                f"{inputs.parsed}: sentences of {doc_id}, which {inputs.corpus} lacks in that place;"
                " run parse again"
            )
        yield row, list(group)


class Lookup:
    """Rows of a folder by number, read from the memory-mapped files on access."""

    def __init__(self, folder: Path) -> None:
        self._files = [store.read_file(path) for path in store.shards(folder)]
        self._starts = list(accumulate(map(len, self._files), initial=0))
        self._read = lru_cache(maxsize=4096)(self._row)

    def __getitem__(self, place: int) -> Row:
        return self._read(place)

    def _row(self, place: int) -> Row:
        number = bisect_right(self._starts, place) - 1
        # ``store.to_rows`` is for many.
        return self._files[number].slice(place - self._starts[number], 1).to_pylist()[0]
