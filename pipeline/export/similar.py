"""``synsem similar``: how alike two sentences are to every view of a system, and their trees."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pipeline.core.errors import SynsemError
from pipeline.export.text_encoder import clip, ready, trees
from pipeline.params import Parse
from pipeline.parsing.show import draw
from pipeline.syntax.sentence import Sentence, Side
from pipeline.syntax.structural_similarity import structural_similarity, triples
from pipeline.systems.base import System

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True)
class PairScores:
    """Two sentences, their trees and their scores by name."""

    texts: tuple[str, str]
    trees: tuple[Sentence, Sentence]
    scores: dict[str, float]


def compare(a: str, b: str, system: System, parse: Parse) -> PairScores:
    """Score two sentences: the cosine of every view; late interaction, if the system has it; their structure.

    ``structural agreement`` is symbolic and untrained, from 0 to 1
    (``pipeline.syntax.structural_similarity``).
    Raises SynsemError for a text without a word, and where no parser is there.
    """
    ready(parse)
    first, second = (_tree(clip(text, system.tokenizer.max_tokens), parse) for text in (a, b))
    sides = [Side.of(tree) for tree in (first, second)]
    scores = {f"{view} view, cosine": float(x @ y) for view, (x, y) in system.embed(sides).items()}
    late_scores = getattr(system, "late_scores", None)
    if callable(late_scores):
        scores["late interaction"] = float(late_scores(sides[:1], sides[1:])[0])
    scores["structural agreement"] = structural_similarity(triples(first), triples(second))
    return PairScores((a, b), (first, second), scores)


def show(pair: PairScores, console: "Console") -> None:
    """Print the scores and the two trees, side by side where the terminal is wide enough."""
    from rich.columns import Columns
    from rich.padding import Padding
    from rich.table import Table

    scores = Table.grid(padding=(0, 2))
    for name, value in pair.scores.items():
        scores.add_row(name, f"[bold]{value:.3f}[/]")
    console.print(scores)
    console.print()
    drawn = [Padding(draw(tree), (0, 4, 1, 0)) for tree in pair.trees]
    console.print(Columns(drawn))


def _tree(text: str, parse: Parse) -> Sentence:
    found: Sequence[Sentence | None] = list(trees([text], parse))
    if found[0] is None:
        raise SynsemError(f"{text!r}: has no word to compare; give two sentences")
    return found[0]
