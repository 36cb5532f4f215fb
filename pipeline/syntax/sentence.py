"""A parsed sentence, as parsing writes it and all later stages read it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from pipeline.core.errors import SynsemError

LABELS = ("deprels", "upos", "xpos", "lemmas")  # one entry a word
MOST_WORDS = 2**15 - 1  # of a sentence: heads are int16 (``schemas.HEADS``)
# Marks that end a sentence whatever follows: of Chinese and Japanese, Indic, Arabic, Ethiopic and Khmer.
ENDS = "。！？।॥؟۔።។"
Meaning = Literal["same", "different", "order"]
COLUMNS = ("words", "space_after", "lemmas", "upos", "xpos", "feats", "heads", "deprels")


def normalised(text: str) -> str:
    """Return the text without differences of case and spacing; equal results mean equal texts."""
    return " ".join(text.casefold().split())


def word_starts(text: str, words: Sequence[str]) -> list[int]:
    """Return where each word begins in the text, in characters.

    Raises SynsemError if a word is not in the text after the one before it.
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


@dataclass(frozen=True)
class Sentence:
    """A sentence and its Universal Dependencies v2 tree, each sequence with one entry per word.

    ``heads[i]`` is the head of word i: 1-based, 0 for the root (``pipeline.syntax.tree``). Columns that
    nothing has filled in are empty: a text that was not parsed has no words, a training example has no
    ``feats``. ``feats`` are UD features such as ``Number=Sing|Person=3``, ``""`` if a word has none.
    Without ``text`` it is the words with the spaces after them, stripped at the end.
    """

    text: str = ""
    words: Sequence[str] = ()
    heads: Sequence[int] = ()
    deprels: Sequence[str] = ()
    upos: Sequence[str] = ()
    xpos: Sequence[str] = ()
    lemmas: Sequence[str] = ()
    feats: Sequence[str] = ()
    space_after: Sequence[bool] = ()

    def __post_init__(self) -> None:
        """Spell the text if it is not given."""
        if not self.text and self.space_after:
            spelt = zip(self.words, self.space_after, strict=True)
            text = "".join(word + " " * space for word, space in spelt).rstrip()
            object.__setattr__(self, "text", text)

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> "Sentence":
        """Build from a row of a table (``Table.to_pylist``), whatever columns of a sentence it has."""
        columns = {name: tuple(row[name]) for name in COLUMNS if row.get(name) is not None}
        return cls(text=row.get("text") or "", **columns)

    def __len__(self) -> int:
        return len(self.words)

    def row(self) -> dict[str, Any]:
        """Return the eight columns and the text as one Arrow row.

        Raises SynsemError if there are more words than its heads, int16, can number.
        """
        if len(self.words) > MOST_WORDS:
            raise SynsemError(
                f"{self.text[:40]!r}...: has {len(self.words):,} words; the data hold sentences and "
                f"benchmark texts of at most {MOST_WORDS:,}: shorten it or take it out"
            )
        return {"text": self.text} | {column: list(getattr(self, column)) for column in COLUMNS}


class Variant(NamedTuple):
    """A rewritten sentence with its tree; its meaning is the source's, another, or not that of a sentence.

    ``alignment`` has one entry per word: the 1-based position of its source word, 0 for an added word.
    """

    transformation: str
    meaning: Meaning
    sentence: Sentence
    alignment: tuple[int, ...] = ()


def distinct_sentences(sentences: Sequence[Sentence]) -> tuple[list[Sentence], list[int]]:
    """Return the sentences without repeats, in order, and the place of each one given among them.

    Two are the same if text, heads and relations are.
    """
    known: dict[Any, tuple[int, Sentence]] = {}
    keys = ((each.text, tuple(each.heads), tuple(each.deprels)) for each in sentences)
    found = [known.setdefault(key, (len(known), each)) for key, each in zip(keys, sentences, strict=True)]
    return [each for _, each in known.values()], [place for place, _ in found]


CONLLU_REMEDY = "fix it, or name conllu:PATH in download.sources, which reads the text only"


def check_conllu(text: str, origin: str, first: int = 1) -> None:
    """Raise SynsemError naming line and column of a missing head or relation, or of a feature given twice.

    ``first`` is the number of the text's first line in its file.
    """
    for number, line in enumerate(text.split("\n"), first):
        if (cells := line.split("\t"))[0].isdecimal() and len(cells) == 10:
            names = [feature.partition("=")[0] for feature in cells[5].split("|")]
            wrong = {
                "column 6 (FEATS) has a feature twice": len(names) > len(set(names)),
                f"column 7 (HEAD) is {cells[6]!r}, not a number": not cells[6].isdecimal(),
                "column 8 (DEPREL) is '_', not a relation": cells[7] == "_",
            }
            if found := [fault for fault, is_there in wrong.items() if is_there]:
                raise SynsemError(f"{origin}: line {number}: {found[0]}; {CONLLU_REMEDY}")
