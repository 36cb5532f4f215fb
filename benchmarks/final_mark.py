"""How far a trained ``synsem`` depends on the mark that ends a sentence.

    python benchmarks/final_mark.py models/synsem/*

Average precision of the development and the hand-written contrast set, in points, by the joint and the
structural vector: with the sentences as they are, without the full stops that end them, and with exclamation
marks in their place. Writes ``reports/controls/synsem-final-mark.json``.
"""

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np
from judged_pairs import contrast_pairs
from synsem_views import Figures, precision, report_each, vectors

from pipeline.systems.synsem.model import System

SETS = ("contrast_dev", "contrast")
ENDS: dict[str, Callable[[str], str]] = {
    "as is": lambda text: text,
    "none": lambda text: text.removesuffix("."),
    "!": lambda text: text.removesuffix(".") + "!",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("models", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, default=Path("reports/controls/synsem-final-mark.json"))
    options = parser.parse_args()
    report_each(options.models, options.out, measure)


def measure(model: System) -> dict[str, object]:
    """What the model was trained with, and average precision by the sentences' ends, set and view."""
    return {"unmarked": model.params.unmarked} | {name: with_ends(model, end) for name, end in ENDS.items()}


def with_ends(model: System, end: Callable[[str], str]) -> dict[str, Figures]:
    """Average precision by contrast set and view, of sentences that end so."""
    found = {}
    for name, pairs in contrast_pairs(SETS).items():
        first, second, golds = zip(*pairs, strict=True)
        sides = vectors(model, map(end, first)), vectors(model, map(end, second))
        found[name] = precision(np.array(golds), *sides)
    return found


if __name__ == "__main__":
    main()
