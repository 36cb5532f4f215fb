"""Fit the constants of ``Model.same`` on development data, and show what pairs of one's own add.

    python benchmarks/same.py --mirror FOLDER      # QQP needs the network or a mirror

The first 4,000 pairs of PAWS-Wiki dev, QQP dev and the spent contrast sets 1 to 6 count the same, whatever
their number of pairs. Then pairs of each kind are one's own, next to constants fitted without that kind.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray
from peers import calibration_error, read_set

from pipeline.export.same import FEATURES, OWN_PRIOR, PRIOR, Scorer
from pipeline.pretrained import SCORER

Floats = NDArray[np.floating[Any]]
Known = tuple[Floats, Floats]  # features [n, F] and labels [n]
MOST = {"paws-wiki": 4000}
KINDS = {"paws": ["paws-wiki"], "qqp": ["qqp"], "templates": [f"contrast_{n}" for n in range(1, 7)]}

TESTS = {"paws": "paws-wiki", "qqp": "qqp", "templates": "contrast_8"}


def fit(kinds: Iterable[Known]) -> Scorer:
    """Return a scorer fitted to kinds of pairs that count the same."""
    known = list(kinds)
    rows, labels = (np.concatenate(each) for each in zip(*known, strict=True))
    share = np.concatenate([np.full(len(own), 1 / len(own) / len(known)) for _, own in known])
    mean = share @ rows
    start = Scorer(mean, np.sqrt(share @ (rows - mean) ** 2), np.zeros(1 + sum(range(2, len(FEATURES) + 2))))
    return start.fitted(rows, labels, PRIOR, share)


def main(
    mirror: Annotated[str | None, typer.Option(help="As download.mirror.")] = None, out: Path = SCORER
) -> None:
    from pipeline.core.metrics import average_precision
    from pipeline.export.texts import open_system, pair_features

    system, parse = open_system(Path("pretrained"), "cpu", None)

    def read(name: str, split: str) -> Known:
        a, b, gold, _ = read_set(name, mirror, split)
        pairs = list(zip(a, b, strict=True))[: MOST.get(name) if split == "dev" else None]
        known = pair_features(pairs, system, parse)[1]
        assert known is not None
        return known, gold[: len(pairs)]

    kinds: dict[str, Known] = {}
    for kind, names in KINDS.items():
        sets = [read(name, "test" if kind == "templates" else "dev") for name in names]
        kinds[kind] = np.concatenate([found for found, _ in sets]), np.concatenate([gold for _, gold in sets])
    fit(kinds.values()).save(out)
    for kind, name in TESTS.items():
        rows, gold = read(name, "test")
        without = fit(each for other, each in kinds.items() if other != kind)
        own, labels = kinds[kind]
        for size in (0, 50, 100, 500):
            found = []
            for draw in range(10 if size else 1):
                some = np.random.default_rng(draw).choice(len(own), size, replace=False)
                chance = without.fitted(own[some], labels[some], OWN_PRIOR)(rows)
                found.append((average_precision(gold, chance), calibration_error(gold, chance)))
            precision, error = np.mean(found, axis=0)
            print(
                f"{name}, {size} own pairs: average precision {precision:.1f}, calibration error {error:.1f}"
            )


if __name__ == "__main__":
    typer.run(main)
