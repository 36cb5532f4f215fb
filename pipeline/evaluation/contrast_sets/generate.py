"""Draw a contrast set from its frames and its lexicon, and write it.

An item is an anchor with one paraphrase and one contrast, that is two pairs. For each item of a phenomenon
its frames take turns; ``CANDIDATES`` items are drawn from the frame, and the one is taken that keeps the sums
of what ``same`` has over ``different`` by each trivial score (``overlap.py``) nearest to zero, and that does
not repeat forms and words. So word overlap, common bigrams and surface order tell the two halves apart as
little as the frames allow. No model is run.

The numbers are drawn by hashing, so that every version of Python gives the same bytes.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, TypeVar

from pipeline.core.atomic import atomic_stream
from pipeline.core.errors import SynsemError
from pipeline.core.seeding import stable_hash
from pipeline.evaluation.contrast_sets import overlap
from pipeline.evaluation.contrast_sets.frames import Frame
from pipeline.evaluation.contrast_sets.words import Filler, Lexicon, Noun, article

CANDIDATES = 60
_ATTEMPTS = 200
_T = TypeVar("_T")


class Item(NamedTuple):
    """An anchor with a sentence of the same meaning and one of another, of the same words."""

    phenomenon: str
    anchor: str
    same: str
    different: str
    forms: int  # which triple of the frame


@dataclass(frozen=True)
class Recipe:
    """What a contrast set is made of."""

    frames: Mapping[str, Sequence[Frame]]
    lexicon: Lexicon
    items: int  # of each phenomenon
    seed: int


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
    core = re.sub(r"\ba (\w+)", lambda match: f"{article(match[1])} {match[1]}", core)
    first = re.search(r"[a-zA-Z]", core)
    assert first is not None
    return core[: first.start()] + core[first.start()].upper() + core[first.end() :] + end


def draw_item(phenomenon: str, frame: Frame, lexicon: Lexicon, draw: Draw) -> Item | None:
    """One item of the frame; None where two of its sentences are equal."""
    number = draw.number(len(frame.triples))
    forms = frame.triples[number]
    fillers = fill(frame, lexicon, draw)
    cores = [form.format(**fillers) for form in forms]
    adverbial, fronts = "", (0, 0)
    if frame.adverbial and draw.number(10) < 6:
        when = draw.one(lexicon.fillers["when"])
        used = {word for filler in fillers.values() for word in filler.content}
        adverbial = "" if used & when.content else format(when)
        if frame.adverbial == "moves":
            fronts = (draw.number(2), draw.number(2))
        elif frame.adverbial == "first":
            fronts = (1, 1)
    anchor = sentence(cores[0], adverbial, bool(fronts[0]))
    others = [sentence(core, adverbial, bool(fronts[1])) for core in cores[1:]]
    if anchor in others or others[0] == others[1]:
        return None
    return Item(phenomenon, _quotes(anchor), _quotes(others[0]), _quotes(others[1]), number)


def _quotes(text: str) -> str:
    """Capital letter of quoted speech."""
    return re.sub(r': "([a-z])', lambda match: f': "{match[1].upper()}', text)


def phenomenon_items(name: str, recipe: Recipe) -> list[Item]:
    """The items of one phenomenon, balanced by the trivial scores."""
    frames = recipe.frames[name]
    lemmas = recipe.lexicon.lemmas()
    draw = Draw(recipe.seed, name)
    chosen: list[Item] = []
    used: Counter[str] = Counter()
    sums = [0.0] * len(overlap.NAMES)
    for number in range(recipe.items):
        frame = frames[number % len(frames)]
        best: tuple[float, Item, list[float]] | None = None
        for _ in range(CANDIDATES):
            item = draw_item(name, frame, recipe.lexicon, draw)
            if item is None or any(used[text] for text in item[1:4]):
                continue
            new = [
                total + one - other
                for total, one, other in zip(
                    sums,
                    overlap.scores(item.anchor, item.same, lemmas),
                    overlap.scores(item.anchor, item.different, lemmas),
                    strict=True,
                )
            ]
            # What was used often is avoided, too: words, and a frame's forms.
            known = set(overlap.words(item.anchor))
            stale = sum(used[word] for word in known) / len(known) / (number + 1)
            stale += used[f"{frame.slots}#{item.forms}"]
            cost = 4 * abs(new[0]) + 4 * abs(new[1]) + abs(new[2]) + stale
            if best is None or cost < best[0]:
                best = (cost, item, new)
        if best is None:
            raise SynsemError(f"{name}: frame {frame.slots!r} gives no new item; add words or forms")
        _, item, sums = best
        chosen.append(item)
        used[f"{frame.slots}#{item.forms}"] += 1
        used.update(item[1:4])
        used.update(set(overlap.words(item.anchor)))
    return chosen


def items(recipe: Recipe) -> list[Item]:
    """All items of a set, phenomenon by phenomenon."""
    return [item for name in recipe.frames for item in phenomenon_items(name, recipe)]


def table(found: Sequence[Item]) -> str:
    """The file's text: a header and two lines an item, tab-separated."""
    lines = ["phenomenon\tmeaning\ta\tb"]
    for item in found:
        lines.append(f"{item.phenomenon}\tsame\t{item.anchor}\t{item.same}")
        lines.append(f"{item.phenomenon}\tdifferent\t{item.anchor}\t{item.different}")
    return "\n".join(lines) + "\n"


def write(recipe: Recipe, path: Path) -> None:
    """Write the set, or nothing."""
    with atomic_stream(path) as stream:
        stream.write(table(items(recipe)).encode())
