"""Sentences made of frames: one, the same in another construction, and the same words otherwise.

No parser reads them: a frame (``frames/``) knows what its sentences say. Its words are of ``lexicon/``.
"""

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from pipeline.core.hash_numbers import HashNumbers
from pipeline.core.seeding import stable_hash
from pipeline.core.store import read_yaml
from pipeline.syntax.frames.drawing import NOTHING, Draw, draw_frame, written
from pipeline.syntax.frames.frames import Frame, triples, ways
from pipeline.syntax.frames.words import Lexicon
from pipeline.systems.synsem.alternations.links import (
    OWN,
    SideRow,
    chain,
    marked,
    order_of,
    read_marks,
    side,
)

KIND = "alternation"
_ATTEMPTS = 200  # in a row that bring nothing new, after which there is no more


class Alternation(NamedTuple):
    """A frame, and the order of the content words in all its sentences; None where it has none."""

    name: str
    frame: Frame
    order: list[int | str] | None
    swap: str  # the two slots that the contrast exchanges


class Drawn(NamedTuple):
    """What one drawing of a frame says, each a row of ``schemas.SIDE``."""

    name: str  # of the alternation
    anchor: SideRow
    same: SideRow
    different: SideRow


def drawn_sides(seed: int) -> Iterator[Drawn]:
    """Frames drawn at random, no pair of anchor and same twice; always the same for a ``seed``.

    Frames with pairs of words are drawn more often (``_times``).
    """
    draw, seen = Draw(seed, KIND), HashNumbers()
    fruitless = 0
    pool = [each for each in alternations() for _ in range(_times(each.frame))]
    while fruitless < _ATTEMPTS:
        alternation = draw.one(pool)
        found = Drawn(alternation.name, *sides_of(alternation, draw))
        texts = {each["text"] for each in (found.anchor, found.same, found.different)}
        if len(texts) < 3 or not seen.add(stable_hash(0, found.anchor["text"], found.same["text"])):
            fruitless += 1
            continue
        fruitless = 0
        yield found


def _times(frame: Frame) -> int:
    """How many times as often a frame is drawn as one without pairs of words: each pair has to be learnt.

    With n pairs such as *lend* and *borrow* it is 1 plus the number of digits of n to base 4.
    """
    forms = " ".join(form for triple in frame.triples for form in triple)
    pairs = (
        len(lexicon().fillers[category])
        for slot, category in frame.categories().items()
        if re.search(rf"{{{slot}:[2-9]}}", forms)
    )
    return 1 + (max(pairs, default=0).bit_length() + 1) // 2


def sides_of(alternation: Alternation, draw: Draw) -> list[SideRow]:
    """Columns of ``schemas.SIDE``: anchor, same, different."""
    frame, order = alternation.frame, alternation.order
    drawn = draw_frame(frame, lexicon(), draw)
    slots, fillers = list(drawn.fillers), list(drawn.fillers.values())
    *words, adverbial = marked([*fillers, drawn.adverbial])
    marks = drawn._replace(
        fillers=dict(zip(slots, words, strict=True)),
        adverbial=adverbial if drawn.adverbial.content else NOTHING,
    )
    found = []
    for number, text in enumerate(written(frame.triples[drawn.forms], marks)):
        marking = read_marks(text)
        if order is None:
            found.append(side(marking))
            continue
        if number == 2:  # what it says has the two fillers at each other's place
            one, two = (slots.index(slot) for slot in alternation.swap)
            fillers[one], fillers[two] = fillers[two], fillers[one]
            places = {one: two, two: one}
            marking = marking._replace(slots=[places.get(slot, slot) for slot in marking.slots])
        found.append(side(marking, chain(marking, [*order, len(slots)], fillers)))
    return found


@cache
def alternations() -> tuple[Alternation, ...]:
    """Those of all files of ``frames/``."""
    return tuple(
        _alternation(name, entry)
        for file in _files("frames")
        for name, entries in file.items()
        for entry in entries
    )


@cache
def lexicon() -> Lexicon:
    """The words of all files of ``lexicon/``; a category stands in one of them alone."""
    women, men = "", ""
    categories: dict[str, dict[str, str]] = {"nouns": {}, "verbs": {}, "texts": {}}
    for file in _files("lexicon"):
        women, men = file.get("women", women), file.get("men", men)
        for section, found in categories.items():
            found |= file.get(section, {})
    return Lexicon(women, men, **categories)


def _files(folder: str) -> Iterator[dict[str, Any]]:
    """What the YAML files of a folder beside this file say, in the order of their names."""
    for path in sorted(files(__package__).joinpath(folder).iterdir(), key=lambda path: path.name):
        yield read_yaml(path)


def _alternation(name: str, entry: dict[str, Any]) -> Alternation:
    kept = {"adverbial": entry.get("adverbial", ""), "many": entry.get("many", False)}
    if "triples" in entry:
        parts = [re.split(" [=#] ", line) for line in entry["triples"].splitlines()]
        frame = triples(entry["slots"], *((a, b, c) for a, b, c in parts), **kept)
        return Alternation(name, frame, None, "")
    forms, swap = entry["ways"].splitlines(), entry.get("swap", "xy")
    frame = ways(entry["slots"], *forms, swap=swap, **kept)
    slots = list(frame.categories())
    given = entry.get("links", "")
    if given == "none":
        return Alternation(name, frame, None, swap)
    order = [slots.index(each) if each in slots else OWN if each == "_" else each for each in given.split()]
    return Alternation(name, frame, order or order_of(forms[0], slots), swap)
