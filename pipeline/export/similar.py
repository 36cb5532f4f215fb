"""``synsem similar``: how alike two sentences are to every view of a system, and how each is read."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pipeline.core.errors import SynsemError
from pipeline.evaluation.models import scores_pairs
from pipeline.export.text_encoder import TextEncoder, alone, clip, ready, trees
from pipeline.params import Parse
from pipeline.parsing.show import draw
from pipeline.syntax.sentence import Sentence, Side
from pipeline.syntax.structural_similarity import structural_similarity, triples
from pipeline.systems.base import System, Views

if TYPE_CHECKING:
    from rich.console import Console
    from rich.tree import Tree


_COSINE = "-1 to 1"


@dataclass(frozen=True)
class PairScores:
    """Two sentences and their scores by name; ``scales`` says in words what each score can be."""

    texts: tuple[str, str]
    drawn: list["Tree"]  # the two parse trees, or what the network reads; empty where it reads words alone
    scores: dict[str, float]
    scales: dict[str, str]


def compare(a: str, b: str, system: System, parse: Parse | None, view: str | None = None) -> PairScores:
    """Score two sentences: the cosine of every view, or of one; late interaction, if the system has it.

    A late interaction has no fixed range: its scale is the score of each sentence with itself.
    ``structural agreement`` of the two trees is symbolic and untrained, from 0 to 1
    (``pipeline.syntax.structural_similarity``). Nothing is parsed where a single ``view`` reads no tree, or
    where ``parse`` is None, for a system that reads text alone.
    Raises SynsemError for a text without a word, for a view that the system lacks, and where no parser is
    there.
    """
    for text in (a, b):
        if not text.strip():
            raise _empty(text)
    encoder = TextEncoder(system, view, parse)
    if parse is None or (view is not None and not encoder.parses):
        drawn = [tree for text in (a, b) if (tree := system.draw(text)) is not None]
        scores = _cosines(encoder([a, b]))
        scales = dict.fromkeys(scores, _COSINE)
        if view is None:
            _add_late(system, [alone(a), alone(b)], scores, scales)
        return PairScores((a, b), drawn, scores, scales)
    ready(parse)
    texts = [clip(text, system.tokenizer.max_tokens) for text in (a, b)]
    first, second = (_tree(text, parse) for text in texts)
    # The text as it stands, as ``encode`` reads it: a tree's own has other spaces.
    sides = [Side.of(tree)._replace(text=text) for tree, text in zip((first, second), texts, strict=True)]
    vectors = system.embed(sides)
    scores = _cosines({name: vectors[name] for name in encoder.views})
    scales = dict.fromkeys(scores, _COSINE)
    if view is None:
        _add_late(system, sides, scores, scales)
    scores["structural agreement"] = structural_similarity(triples(first), triples(second))
    scales["structural agreement"] = "0 to 1"
    return PairScores((a, b), [draw(first), draw(second)], scores, scales)


def show(pair: PairScores, console: "Console") -> None:
    """Print the scores with their scales, and what was read, side by side where the terminal is wide."""
    from rich.columns import Columns
    from rich.padding import Padding
    from rich.table import Table

    scores = Table.grid(padding=(0, 2))
    for name, value in pair.scores.items():
        scores.add_row(name, f"[bold]{value:.3f}[/]", f"[dim]{pair.scales[name]}[/]")
    console.print(scores)
    if pair.drawn:
        console.print()
        console.print(Columns([Padding(tree, (0, 4, 1, 0)) for tree in pair.drawn]))


def _add_late(system: object, sides: list[Side], scores: dict[str, float], scales: dict[str, str]) -> None:
    """Add the late interaction of two sentences, if the system has it."""
    if scores_pairs(system):
        late, *alone = system.late_scores([*sides[:1], *sides], [*sides[1:], *sides])
        scores["late interaction"] = float(late)
        scales["late interaction"] = "each sentence with itself: {:.3f} and {:.3f}".format(*alone)


def _cosines(vectors: Views) -> dict[str, float]:
    return {f"{view} view, cosine": float(np.clip(x @ y, -1, 1)) for view, (x, y) in vectors.items()}


def _tree(text: str, parse: Parse) -> Sentence:
    found: Sequence[Sentence | None] = list(trees([text], parse))
    if found[0] is None:
        raise _empty(text)
    return found[0]


def _empty(text: str) -> SynsemError:
    return SynsemError(f"{text!r}: has no word to compare; give two sentences")
