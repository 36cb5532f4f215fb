"""A parsed sentence, as parsing writes it and all later stages read it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Protocol

from pipeline.core.errors import SynsemError

LABELS = ("deprels", "upos", "xpos", "lemmas")  # of a Side: one entry a word
MOST_WORDS = 2**15 - 1  # of a sentence: heads are int16 (``schemas.HEADS``)
# Marks that end a sentence whatever follows: of Chinese and Japanese, Indic, Arabic, Ethiopic and Khmer.
ENDS = "。！？।॥؟۔።។"
COLUMNS = ("words", "space_after", "lemmas", "upos", "xpos", "feats", "heads", "deprels")


def normalised(text: str) -> str:
    """The text without differences of case and spacing; equal results mean equal texts."""
    return " ".join(text.casefold().split())


def word_starts(text: str, words: Sequence[str]) -> list[int]:
    """Where each word begins in the text, in characters.

    Raises SynsemError where a word is not in the text after the one before it.
    """
    starts, end = [], 0
    for number, word in enumerate(words):
        start = text.find(word, end)
        if start < 0:
            raise SynsemError(
                f"{text[:60]!r}: word {number + 1} ({word!r}) is not in the text; parse it again"
            )
        starts.append(start)
        end = start + len(word)
    return starts


class HasTree(Protocol):
    """The surface and tree of a sentence, as systems read it; ``Sentence`` and ``Side`` fit."""

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
        """Lemma of each word; empty where the tree carries none."""
        ...

    @property
    def deprels(self) -> Sequence[str]:
        """UD relation of each word to its head; empty where the tree carries none."""
        ...

    @property
    def upos(self) -> Sequence[str]:
        """Universal part of speech of each word; empty where the tree carries none."""
        ...

    @property
    def xpos(self) -> Sequence[str]:
        """Treebank-specific tag of each word (Penn's for English); empty where the tree carries none."""
        ...


class Side(NamedTuple):
    """One sentence of a training example (``schemas.SIDE``); it may lack labels that nothing reads."""

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
        """Build from a mapping with the fields of ``schemas.SIDE``; constituents may be missing."""
        values = {field: row[field] for field in cls._fields if field != "constituents"}
        return cls(**values, constituents=row.get("constituents") or "")

    @classmethod
    def of(cls, tree: HasTree) -> "Side":
        """The surface and tree of any sentence."""
        values = {field: getattr(tree, field) for field in cls._fields if field != "constituents"}
        return cls(**values, constituents=getattr(tree, "constituents", ""))


@dataclass(frozen=True)
class Sentence:
    """A sentence and its Universal Dependencies v2 tree; every tuple has one entry a word.

    ``heads[i]`` is the head of word i: 1-based, 0 for the root (``pipeline.syntax.tree``). ``feats`` are UD
    features such as ``Number=Sing|Person=3``, ``""`` where a word has none. ``constituents`` is the source
    and the brackets of a constituency tree that came with the sentence, such as ``gold (S ...)``, or
    ``""``. ``surface`` is the text where the words may not spell it, as where *au* is *à* and *le*.
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
    surface: str = field(default="", repr=False)

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def text(self) -> str:
        """``surface``, else the words with the spaces that follow them, stripped at the end."""
        if self.surface:
            return self.surface
        return "".join(
            word + (" " if space else "") for word, space in zip(self.words, self.space_after, strict=True)
        ).rstrip()

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> "Sentence":
        """Build from a parsed row (``Table.to_pylist``): its eight columns, and constituents if present."""
        columns: dict[str, Any] = {column: tuple(row[column]) for column in COLUMNS}
        return cls(**columns, constituents=row.get("constituents") or "")

    def row(self) -> dict[str, Any]:
        """The eight columns and the text as one Arrow row; with constituents if there are any.

        Raises SynsemError where there are more words than its heads, int16, can number.
        """
        if len(self) > MOST_WORDS:
            raise SynsemError(
                f"{self.text[:40]!r}...: has {len(self):,} words; the data hold sentences and benchmark "
                f"texts of at most {MOST_WORDS:,}: shorten it or take it out"
            )
        columns = {"text": self.text} | {column: list(getattr(self, column)) for column in COLUMNS}
        return columns | {"constituents": self.constituents} if self.constituents else columns


def distinct_sentences(sentences: Sequence[HasTree]) -> tuple[list[HasTree], list[int]]:
    """The sentences without repeats, in order, and the place of each one given among them.

    Two are the same if text, heads and relations are.
    """
    known: dict[Any, int] = {}
    found: list[HasTree] = []
    places = []
    for each in sentences:
        key = (each.text, tuple(each.heads), tuple(each.deprels))
        if key not in known:
            known[key] = len(found)
            found.append(each)
        places.append(known[key])
    return found, places
