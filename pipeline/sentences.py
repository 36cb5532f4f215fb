"""A parsed sentence: the row that parsing, augmentation, mining and evaluation pass around."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

LABELS = ("deprels", "upos", "xpos", "lemmas")  # of a Side, one a word each
COLUMNS = ("words", "space_after", "lemmas", "upos", "xpos", "feats", "heads", "deprels")


def normalised(text: str) -> str:
    """The form in which two texts count as equal: case and spacing apart."""
    return " ".join(text.casefold().split())


class HasTree(Protocol):
    """What a system needs of a sentence: surface and tree. ``Sentence`` and ``Side`` have it."""

    @property
    def text(self) -> str:
        """The surface string."""
        ...

    @property
    def words(self) -> Sequence[str]:
        """Its words in order."""
        ...

    @property
    def heads(self) -> Sequence[int]:
        """1-based head of each word, 0 for the root."""
        ...

    @property
    def lemmas(self) -> Sequence[str]:
        """Lemma of each word; empty where there are none."""
        ...

    @property
    def deprels(self) -> Sequence[str]:
        """UD relation of each word to its head; empty where the tree carries no labels."""
        ...

    @property
    def upos(self) -> Sequence[str]:
        """Universal part of speech of each word; empty where there are no tags."""
        ...

    @property
    def xpos(self) -> Sequence[str]:
        """Treebank-specific tag of each word (Penn's for English); empty where there are no tags."""
        ...


class Side(NamedTuple):
    """One side of a training example (``store.SIDE``); labels may be left out where nothing reads them."""

    text: str
    words: Sequence[str]
    heads: Sequence[int]
    deprels: Sequence[str] = ()
    upos: Sequence[str] = ()
    xpos: Sequence[str] = ()
    lemmas: Sequence[str] = ()
    constituents: str = ""  # as ``Sentence``'s

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> "Side":
        """Build from a mapping with the fields of ``store.SIDE``, with or without given constituents."""
        values = {field: row[field] for field in cls._fields if field != "constituents"}
        return cls(**values, constituents=row.get("constituents") or "")

    @classmethod
    def of(cls, tree: HasTree) -> "Side":
        """The same surface and tree, whatever carried them."""
        values = {field: getattr(tree, field) for field in cls._fields if field != "constituents"}
        return cls(**values, constituents=getattr(tree, "constituents", ""))


@dataclass(frozen=True)
class Sentence:
    """A sentence and its Universal Dependencies v2 tree, one entry a word in every tuple.

    ``heads[i]`` is the 1-based position of the head of word ``i`` (0-based); 0 marks the root.
    ``feats`` holds UD feature strings such as ``Number=Sing|Person=3``, ``""`` where a word has none.
    ``constituents`` is the constituency tree that came with the sentence, if any, behind the name of where it
    is from: ``gold (S ...)``; ``pipeline.constituency`` reads it.
    """

    words: tuple[str, ...]
    space_after: tuple[bool, ...]
    lemmas: tuple[str, ...]
    upos: tuple[str, ...]
    xpos: tuple[str, ...]
    feats: tuple[str, ...]
    heads: tuple[int, ...]
    deprels: tuple[str, ...]
    constituents: str = ""

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def text(self) -> str:
        """The surface string: the words with the spaces that follow them, stripped at the end."""
        return "".join(
            word + (" " if space else "") for word, space in zip(self.words, self.space_after, strict=True)
        ).rstrip()

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> "Sentence":
        """Build from a parsed row (``Table.to_pylist``): its eight columns, and constituents where given."""
        columns = {column: tuple(row[column]) for column in COLUMNS}
        return cls(**columns, constituents=row.get("constituents") or "")

    def row(self) -> dict[str, Any]:
        """The eight columns and the text, as one Arrow row; with given constituents where there are any."""
        columns = {"text": self.text} | {column: list(getattr(self, column)) for column in COLUMNS}
        return columns | {"constituents": self.constituents} if self.constituents else columns
