"""Write the contrast sets, or check them: ``python -m benchmarks.contrast_sets [--check]``.

Without an argument, the development set and the blind sets are written beside the task that reads them.
``--check`` writes nothing: it prints, for each phenomenon, the mean word overlap of the two halves and the
average precision of scores that read no structure. All are frozen (docs/contrast-sets.md).
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.contrast_sets import overlap
from benchmarks.contrast_sets.generate import Item, Recipe, items, write
from benchmarks.contrast_sets.recipes import RECIPES
from pipeline.core import metrics
from pipeline.core.errors import SynsemError
from pipeline.evaluation import tasks

FOLDER = Path(tasks.__file__).parent


def measured(recipe: Recipe, found: Sequence[Item]) -> list[str]:
    """A table in Markdown: pairs, word overlap of both halves, AP of the three scores, by phenomenon."""
    lemmas = recipe.lexicon.lemmas()
    lines = [
        "| phenomenon | pairs | overlap, same | overlap, different | AP: overlap | bigrams | direction |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for name in (*recipe.frames, "all"):
        chosen = [each for each in found if name in (each.phenomenon, "all")]
        same = [overlap.scores(each.anchor, each.same, lemmas) for each in chosen]
        different = [overlap.scores(each.anchor, each.different, lemmas) for each in chosen]
        gold = [1] * len(same) + [0] * len(different)
        columns = list(zip(*(same + different), strict=True))
        ap = [f"{metrics.average_precision(gold, column):.1f}" for column in columns]
        half = len(same)
        means = [f"{sum(part) / half:.3f}" for part in (columns[0][:half], columns[0][half:])]
        lines.append(f"| {' | '.join([name, str(2 * half), *means, *ap])} |")
    return lines


def main(
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; print what tells the halves apart.")
    ] = False,
) -> None:
    """Write the development set and the blind sets, byte for byte as they are, beside their task."""
    for name, recipe in RECIPES.items():
        if check:
            print(f"\n{name}\n\n" + "\n".join(measured(recipe, items(recipe))))
        else:
            write(recipe, FOLDER / f"{name}.tsv")


if __name__ == "__main__":
    try:
        typer.run(main)
    except SynsemError as error:
        sys.exit(f"error: {error}")
