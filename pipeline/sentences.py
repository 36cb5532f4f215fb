"""A parsed sentence: the row that parsing, augmentation, mining and evaluation pass around."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

COLUMNS = ("words", "space_after", "lemmas", "upos", "xpos", "feats", "heads", "deprels")


class HasTree(Protocol):
    """What an encoder needs of a sentence: surface and heads. ``Sentence`` and ``Side`` have it."""

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


class Side(NamedTuple):
    """One side of a training example (``store.SIDE``): surface, words and heads, no labels."""

    text: str
    words: Sequence[str]
    heads: Sequence[int]

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> "Side":
        """Build from a mapping with the three fields of ``store.SIDE``."""
        return cls(row["text"], row["words"], row["heads"])


@dataclass(frozen=True)
class Sentence:
    """A sentence and its Universal Dependencies v2 tree, one entry a word in every tuple.

    ``heads[i]`` is the 1-based position of the head of word ``i`` (0-based); 0 marks the root.
    ``feats`` holds UD feature strings such as ``Number=Sing|Person=3``, ``""`` where a word has none.
    """

    words: tuple[str, ...]
    space_after: tuple[bool, ...]
    lemmas: tuple[str, ...]
    upos: tuple[str, ...]
    xpos: tuple[str, ...]
    feats: tuple[str, ...]
    heads: tuple[int, ...]
    deprels: tuple[str, ...]

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
        """Build from a mapping with the eight columns of a parsed row (``Table.to_pylist``)."""
        return cls(*(tuple(row[column]) for column in COLUMNS))

    def row(self) -> dict[str, Any]:
        """The eight columns and the text, as one Arrow row."""
        return {"text": self.text} | {column: list(getattr(self, column)) for column in COLUMNS}
