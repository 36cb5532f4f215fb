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
from synsem_views import by_name, contrast_pairs

from pipeline.core.metrics import average_precision, cosines
from pipeline.core.store import write_json
from pipeline.syntax.sentence import Side
from pipeline.systems import base, registry
from pipeline.systems.synsem.model import System


def _within(text: str) -> str:
    """The text as it goes on after a first word."""
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
    report = {}
    for name, folder in by_name(options.models).items():
        report[name] = precision(registry.trained(System, folder, "models"))
        print(name, report[name], flush=True)
    write_json(options.out, report)


def precision(model: base.Embedder) -> dict[str, dict[str, dict[str, float]]]:
    """Average precision in points, by what is added, to which texts, and by view."""
    (pairs,) = contrast_pairs(("contrast_dev",)).values()
    gold = np.array([gold for *_, gold in pairs])

    def vectors(texts: list[str]) -> base.Views:
        return model.embed([Side(text, (), ()) for text in texts])

    sides = [a for a, _, _ in pairs], [b for _, b, _ in pairs]
    first = vectors(sides[0])
    found = {}
    for name, add in ADDED.items():
        one, other = (vectors([add(text) for text in side]) for side in sides)
        found[name] = {
            to: {
                view: round(average_precision(gold, cosines(left[view], other[view])), 2)
                for view in ("joint", "structural")
            }
            for to, left in (("both", one), ("the second", first))
        }
    return found


if __name__ == "__main__":
    main()
