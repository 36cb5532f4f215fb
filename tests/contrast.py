"""The contrast sets of data/contrast, for tests."""

import csv
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).parents[1] / "data" / "contrast" / "contrast.tsv"
# Benchmarks, and what the file calls their sets.
SETS = {"contrast": "handwritten", "contrast_dev": "development", "contrast_typed": "typed"} | {
    f"contrast_{number}": f"blind_{number}" for number in range(1, 11)
}


class Contrast(NamedTuple):
    """A pair of a contrast set."""

    phenomenon: str
    meaning: str  # same or different
    a: str
    b: str


def contrast_set(benchmark: str = "contrast") -> list[Contrast]:
    """The pairs of a benchmark."""
    with FILE.open(encoding="utf-8", newline="") as stream:
        rows = csv.reader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [Contrast(*row) for name, *row in rows if name == SETS[benchmark]]
