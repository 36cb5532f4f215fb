"""Draw what fills a frame, and write its sentences.

The numbers are drawn by hashing, so that every version of Python gives the same bytes.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeVar

from pipeline.core.errors import SynsemError
from pipeline.core.seeding import stable_hash
from pipeline.syntax.frames.frames import Frame
from pipeline.syntax.frames.words import Filler, Lexicon, Noun, Text, article

NOTHING = Text("")  # in place of an adverbial
_ATTEMPTS = 200
_T = TypeVar("_T")


class Drawn(NamedTuple):
    """What the sentences of one triple of a frame are made of."""

    forms: int  # which triple of the frame
    fillers: Mapping[str, Filler]  # by slot
    adverbial: Filler
    first: tuple[bool, bool]  # whether the adverbial stands at the front, of the anchor and of the others


class Draw:
    """A stream of choices that depends on nothing but its seed."""

    def __init__(self, seed: int, name: str) -> None:
        self.seed, self.name, self.count = seed, name, 0

    def number(self, below: int) -> int:
        """A number from 0 to ``below`` - 1."""
        self.count += 1
        return stable_hash(self.seed, self.name, str(self.count)) % below

    def one(self, of: Sequence[_T]) -> _T:
        """One of them."""
        return of[self.number(len(of))]


def draw_frame(frame: Frame, lexicon: Lexicon, draw: Draw) -> Drawn:
    """One triple of the frame, with fillers and, where the frame has room for one, often an adverbial."""
    forms = draw.number(len(frame.triples))
    fillers = fill(frame, lexicon, draw)
    adverbial: Filler = NOTHING
    first = (False, False)
    if frame.adverbial and draw.number(10) < 6:
        adverbial = draw.one(lexicon.fillers["when"])
        if frame.adverbial == "moves":
            first = (bool(draw.number(2)), bool(draw.number(2)))
        elif frame.adverbial == "first":
            first = (True, True)
    return Drawn(forms, fillers, adverbial, first)


def written(forms: Sequence[str], drawn: Drawn) -> list[str]:
    """The sentences of forms, the anchor's first."""
    return [
        sentence(form.format(**drawn.fillers), format(drawn.adverbial), drawn.first[min(number, 1)])
        for number, form in enumerate(forms)
    ]


def fill(frame: Frame, lexicon: Lexicon, draw: Draw) -> dict[str, Filler]:
    """A filler for each slot; no two share a content word."""
    many = frame.many and draw.number(4) == 0
    for _ in range(_ATTEMPTS):
        found: dict[str, Filler] = {}
        for slot, category in frame.categories().items():
            if category in ("person", "someone"):
                found[slot] = person(lexicon, draw, many, category == "person")
            elif category in lexicon.fillers:
                found[slot] = draw.one(lexicon.fillers[category])
            else:
                raise SynsemError(f"{frame.slots}: the lexicon has no category {category!r}")
        content = [word for filler in found.values() for word in filler.content]
        if len(content) == len(set(content)):
            return found
    raise SynsemError(f"{frame.slots}: the lexicon has too few words to fill these slots with different ones")


def person(lexicon: Lexicon, draw: Draw, many: bool, after: bool) -> Noun:
    """A name, or a description with or without a modifier; a description where ``many`` are meant.

    ``after``: modifiers may follow the noun. They may not where the phrase is to be a possessive.
    """
    kind = draw.number(10)
    noun = draw.one(lexicon.fillers["name" if kind < 4 and not many else "role"])
    assert isinstance(noun, Noun)
    if noun.name or kind < 7:
        return replace(noun, many=many)
    if kind < 9 or many or not after:
        return replace(noun, before=format(draw.one(lexicon.fillers["looks"])), many=many)
    return replace(noun, after=format(draw.one(lexicon.fillers["origin"])), many=many)


def sentence(core: str, adverbial: str, front: bool) -> str:
    """The written sentence: capital letter, final punctuation, the adverbial at the front or at the end."""
    if adverbial:
        core = f"{adverbial}, {core}" if front else f"{core} {adverbial}"
    end = "" if core.endswith(("?", '"')) else "."
    if core.endswith('"'):
        core = core[:-1] + '."'
    # A filler may begin with a mark, which is no word (`synsem.alternations.links`).
    core = re.sub(r"\ba (\W?)(\w+)", lambda match: f"{article(match[2])} {match[1]}{match[2]}", core)
    first = re.search(r"[a-zA-Z]", core)
    assert first is not None
    return core[: first.start()] + core[first.start()].upper() + core[first.end() :] + end
