"""How far a trained ``synsem`` depends on what stands around a statement.

    python benchmarks/surroundings.py models/synsem/*

Average precision of the development contrast set, in points, by the joint and the structural vector: with
something added to both texts of a pair, or to the second alone. Writes
``reports/controls/synsem-surroundings.json``.
"""

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np
from judged_pairs import contrast_pairs
from synsem_views import Figures, precision, report_each, vectors

from pipeline.systems.synsem.model import System


def _within(text: str) -> str:
    """The text with a small first letter, as it stands within a sentence."""
    return text[0].lower() + text[1:]


ADDED: dict[str, Callable[[str], str]] = {
    "as is": lambda text: text,
    "in quotes": lambda text: f'"{text}"',
    "an item of a list": lambda text: f"1. {text}",
    "after In fact": lambda text: f"In fact, {_within(text)}",
    "after She said that": lambda text: f"She said that {_within(text)}",
    "after a sentence": lambda text: f"It was a long day. {text}",
    "before a sentence": lambda text: f"{text} That was yesterday.",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("models", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, default=Path("reports/controls/synsem-surroundings.json"))
    options = parser.parse_args()
    report_each(options.models, options.out, measure)


def measure(model: System) -> dict[str, dict[str, Figures]]:
    """Average precision by what is added, to which texts, and view."""
    (pairs,) = contrast_pairs(("contrast_dev",)).values()
    a, b, labels = zip(*pairs, strict=True)
    golds, as_is = np.array(labels), vectors(model, a)
    found = {}
    for name, add in ADDED.items():
        first, second = (vectors(model, map(add, side)) for side in (a, b))
        found[name] = {"both": precision(golds, first, second), "the second": precision(golds, as_is, second)}
    return found


if __name__ == "__main__":
    main()
