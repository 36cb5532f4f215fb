"""Frames: sentences with slots, from which triples of an anchor, a paraphrase and a contrast are made.

A frame is given in one of two ways:

- ``ways(slots, form, form, ...)``: ways to say one thing. The anchor is in one form; the paraphrase is in
  another; the contrast is the paraphrase with two slots exchanged (``swap``), so of the same words.
- ``triples(slots, (anchor, same, different), ...)``: written out.
"""

from dataclasses import dataclass
from itertools import permutations

from pipeline.core.errors import SynsemError


@dataclass(frozen=True)
class Frame:
    """Sentences with slots, and how an adverbial may be added.

    ``slots`` names the category of each slot: ``"x y:person v:deed"``. ``adverbial`` is ``"moves"`` (it may
    stand at the front or at the end without a change of meaning), ``"first"`` (at the front: at the end it
    could belong to a part of the sentence alone), or ``""`` (none).
    """

    slots: str
    triples: tuple[tuple[str, str, str], ...]
    adverbial: str = ""
    many: bool = False  # noun phrases may be plural

    def categories(self) -> dict[str, str]:
        """The category of each slot."""
        found: dict[str, str] = {}
        waiting: list[str] = []
        for word in self.slots.split():
            name, _, category = word.partition(":")
            waiting.append(name)
            if category:
                found |= dict.fromkeys(waiting, category)
                waiting = []
        return found


def exchanged(form: str, swap: str) -> str:
    """The form with its two slots exchanged: ``swap`` is the two letters."""
    one, other = swap[0], swap[1]
    marked = form.replace("{" + one, "{\0").replace("{" + other, "{" + one)
    return marked.replace("{\0", "{" + other)


def ways(slots: str, *forms: str, swap: str = "xy", adverbial: str = "moves", many: bool = False) -> Frame:
    """A frame of several ways to say one thing; SynsemError where there are none to tell apart."""
    found = [(a, b, exchanged(b, swap)) for a, b in permutations(forms, 2)]
    if adverbial == "moves":
        # Only the adverbial moves: the generator leaves out what is then equal.
        found += [(form, form, exchanged(form, swap)) for form in forms]
    if not found:
        raise SynsemError(f"{slots}: one form alone gives no pair; add a form")
    return Frame(slots, tuple(found), adverbial, many)


def triples(slots: str, *found: tuple[str, str, str], adverbial: str = "", many: bool = False) -> Frame:
    """A frame whose triples are written out: anchor, same, different."""
    return Frame(slots, found, adverbial, many)


def opposed(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[tuple[str, str, str], ...]:
    """Triples of two lists of forms that run in parallel; a list's forms mean the same, the lists differ."""
    return tuple(
        (mine[i], mine[j], yours[j])
        for mine, yours in ((one, other), (other, one))
        for i in range(len(one))
        for j in range(len(one))
        if i != j
    )
