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
from synsem_views import by_name, contrast_pairs

from pipeline.core.metrics import average_precision, cosines
from pipeline.core.store import write_json
from pipeline.syntax.sentence import Side
from pipeline.systems import base, registry
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
    report = {}
    for name, folder in by_name(options.models).items():
        model = registry.trained(System, folder, "models")
        report[name] = {"unmarked": model.params.unmarked} | {end: precision(model, end) for end in ENDS}
        print(name, report[name], flush=True)
    write_json(options.out, report)


def precision(model: base.Embedder, end: str) -> dict[str, dict[str, float]]:
    """Average precision in points, by contrast set and view."""
    found: dict[str, dict[str, float]] = {}
    for name, pairs in contrast_pairs(SETS).items():
        first, second = (
            model.embed([Side(ENDS[end](text), (), ()) for text in texts])
            for texts in ([a for a, _, _ in pairs], [b for _, b, _ in pairs])
        )
        gold = np.array([gold for *_, gold in pairs])
        found[name] = {
            view: round(average_precision(gold, cosines(first[view], second[view])), 2)
            for view in ("joint", "structural")
        }
    return found


if __name__ == "__main__":
    main()
