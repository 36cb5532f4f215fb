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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from pipeline.core.atomic import atomic_stream
from pipeline.core.errors import SynsemError
from pipeline.syntax.frames.drawing import NOTHING, Draw, draw_frame, written
from pipeline.syntax.frames.frames import Frame
from pipeline.syntax.frames.words import Lexicon

from . import overlap

CANDIDATES = 60


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


def draw_item(phenomenon: str, frame: Frame, lexicon: Lexicon, draw: Draw) -> Item | None:
    """One item of the frame; None where two of its sentences are equal."""
    drawn = draw_frame(frame, lexicon, draw)
    used = {word for filler in drawn.fillers.values() for word in filler.content}
    if used & drawn.adverbial.content:
        drawn = drawn._replace(adverbial=NOTHING)
    anchor, *others = written(frame.triples[drawn.forms], drawn)
    if anchor in others or others[0] == others[1]:
        return None
    return Item(phenomenon, _quotes(anchor), _quotes(others[0]), _quotes(others[1]), drawn.forms)


def _quotes(text: str) -> str:
    """Capital letter of quoted speech."""
    return re.sub(r': "([a-z])', lambda match: f': "{match[1].upper()}', text)


def _after(total: float, score: Callable[[str, str], float], item: Item) -> float:
    """A sum of what ``same`` has over ``different``, with this item."""
    return total + score(item.anchor, item.same) - score(item.anchor, item.different)


def phenomenon_items(name: str, recipe: Recipe) -> list[Item]:
    """The items of one phenomenon, balanced by the trivial scores."""
    frames = recipe.frames[name]
    direction = partial(overlap.direction, lemmas=recipe.lexicon.lemmas())
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
            new = [_after(sums[0], overlap.jaccard, item), _after(sums[1], overlap.bigrams, item)]
            cost = 4 * abs(new[0]) + 4 * abs(new[1])
            # What was used often is avoided, too: words, and a frame's forms.
            known = set(overlap.words(item.anchor))
            stale = sum(used[word] for word in known) / len(known) / (number + 1)
            stale += used[f"{frame.slots}#{item.forms}"]
            if best is not None and cost + stale >= best[0]:
                continue  # the third score takes longest, and adds to the cost
            new.append(_after(sums[2], direction, item))
            cost = cost + abs(new[2]) + stale
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
