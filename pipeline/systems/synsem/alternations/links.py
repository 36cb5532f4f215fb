"""Which word follows which in a sentence made of a frame.

All ways of a frame say the same, so one order serves them all: that of the first way, or one that is
given. The words of a slot stand at the slot's place in it, a noun before its modifiers. Words of the way
itself (*moved* in ``{x} moved to {c}``) stand where the first way has its own.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from pipeline.syntax.frames.words import Filler, Noun
from pipeline.syntax.sentence import Side

SideRow = dict[str, Any]  # columns of ``schemas.SIDE``

OWN = -1  # the slot of words that are the way's own
_BEGIN, _END = 0xE000, "\uf8ff"  # private characters around the words of a slot
_MARK = re.compile("[\ue000-\uf8ff]")
_TOKEN = re.compile(r"[\ue000-\uf8ff]|\w+(?:'\w+)?|'s\b|[^\w\s]")
_IN_FORM = re.compile(r"\{(\w+)[^}]*\}|(\w+)")
# Words of the frames that are no content words, and so have no link.
_FUNCTION_WORDS = """
    a an the this that these those each other one it he they him her them his its their who whom whose
    which what by of to in on at for from with as than so is was were are be been being has had have
    having did does do will would can could not and or but also only even if then when while once because
    since although after before until during without whenever therefore nevertheless there got going seems
    about more less fewer many some any every all no nobody nothing up out away whereas instead both used
    provided suppose such order
    above according ahead am among behind below beneath beside besides beyond between despite doing either
    else ever everyone everything except few former hence himself how however i into latter lest me most
    much must neither never next none nor near now otherwise over owing rather respectively several she
    should someone soon sooner though onto against via through down along off herself itself themselves
    upon towards within around across too under underneath unless unlike where whether whoever whomever
    why yet you
"""
_FUNCTION = frozenset(_FUNCTION_WORDS.split())


@dataclass(frozen=True)
class Marked:
    """A filler that puts marks with the number of its slot around its words."""

    filler: Filler
    number: int

    def __format__(self, form: str) -> str:
        return f"{chr(_BEGIN + self.number)}{format(self.filler, form)}{_END}"

    @property
    def content(self) -> frozenset[str]:
        """See ``Filler``."""
        return self.filler.content


class Marking(NamedTuple):
    """A written sentence, its words, and the number of the slot of each, or OWN."""

    text: str
    words: list[str]
    slots: list[int]


def marked(fillers: Iterable[Filler]) -> list[Filler]:
    """Fillers that mark their words, numbered from 0."""
    return [Marked(filler, number) for number, filler in enumerate(fillers)]


def read_marks(text: str) -> Marking:
    """A sentence of marked fillers without its marks."""
    found, slot = Marking(_MARK.sub("", text), [], []), OWN
    for token in _TOKEN.findall(text):
        if _MARK.match(token):
            slot = OWN if token == _END else ord(token) - _BEGIN
        else:
            found.words.append(token)
            found.slots.append(slot)
    return found


def order_of(form: str, slots: Sequence[str]) -> list[int | str]:
    """What a form has, in its order: numbers of slots, each once, and its own content words."""
    found: list[int | str] = []
    for slot, word in _IN_FORM.findall(form):
        if slot and slots.index(slot) not in found:
            found.append(slots.index(slot))
        elif word and is_content(word):
            found.append(OWN)
    return found


def chain(marking: Marking, order: Sequence[int | str], fillers: Sequence[Filler]) -> list[int]:
    """0-based positions of a sentence's content words in ``order``.

    That names slots by number, own words of the way by themselves, and the next of these, whatever it is, by
    OWN. Own words that it does not name come last; slots that it does not name are left out.
    """
    places: dict[int, list[int]] = defaultdict(list)
    for place, (word, slot) in enumerate(zip(marking.words, marking.slots, strict=True)):
        if is_content(word):
            places[slot].append(place)
    own = places[OWN]
    found: list[int] = []
    for each in order:
        if isinstance(each, str):
            some = [place for place in own if marking.words[place].lower() == each]
        elif each == OWN:
            some = own[:1]
        else:
            some = places[each]
            filler = fillers[each] if each < len(fillers) else None
            if isinstance(filler, Noun):
                some = sorted(some, key=lambda place: _modifies(marking.words[place], filler))
        own = [place for place in own if place not in some]
        found += some
    return found + own


def _modifies(word: str, noun: Noun) -> bool:
    """Whether a word of a noun phrase stands before or after the noun itself."""
    return word.lower() in f"{noun.before} {noun.after}".lower().split()


def is_content(word: str) -> bool:
    """Whether a word of a frame's sentence is a content word."""
    return word[0].isalnum() and word.lower() not in _FUNCTION


def side(marking: Marking, order: Sequence[int] = ()) -> SideRow:
    """The columns of ``schemas.SIDE``; its tree is a list in that order, or, without one, there is none.

    Role order reads such a list as it stands.
    """
    size = len(marking.words)
    row: SideRow = {name: [] for name in Side._fields if name != "constituents"}
    row |= {"text": marking.text, "words": marking.words}
    if order:
        row["heads"], row["deprels"], row["upos"] = [0] * size, ["punct"] * size, ["PUNCT"] * size
        for before, place in zip((-1, *order), order, strict=False):
            row["heads"][place] = before + 1
            row["deprels"][place] = "list" if before >= 0 else "root"
            row["upos"][place] = "X"
        # Role order keeps negations, so each hangs from the content word that it precedes in the text.
        content = max(order)
        for place in reversed(range(size)):
            if row["upos"][place] == "X":
                content = place
            else:
                row["heads"][place] = content + 1
    return row
