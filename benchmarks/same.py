"""Fit the constants of ``Model.same`` on development data, and show what pairs of one's own add.

    python benchmarks/same.py --mirror FOLDER      # QQP needs the network or a mirror

The first 4,000 pairs of PAWS-Wiki dev, QQP dev and the spent contrast sets 1 to 6 count the same, whatever
their number of pairs. Then pairs of QQP dev are one's own, next to constants fitted without QQP.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray
from peers import calibration_error, read_set

from pipeline.export.same import FEATURES, OWN_PRIOR, PRIOR, Scorer
from pipeline.pretrained import SCORER

Known = tuple[NDArray[np.float64], NDArray[np.float64]]  # features [n, F] and labels [n]
MOST = {"paws-wiki": 4000}
KINDS = {"paws": ["paws-wiki"], "qqp": ["qqp"], "templates": [f"contrast_{n}" for n in range(1, 7)]}


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
        a, b, gold = read_set(name, mirror, split)
        pairs = list(zip(a, b, strict=True))[: MOST.get(name)]
        known = pair_features(pairs, system, parse)[1]
        assert known is not None
        return known, gold[: len(pairs)]

    kinds = {}
    for kind, names in KINDS.items():
        sets = [read(name, "test" if kind == "templates" else "dev") for name in names]
        kinds[kind] = tuple(map(np.concatenate, zip(*sets, strict=True)))
    fit(kinds.values()).save(out)
    rows, gold = read("qqp", "test")
    without, (own, labels) = fit(kinds[kind] for kind in ("paws", "templates")), kinds["qqp"]
    for size in (0, 50, 100, 500):
        found = []
        for draw in range(10 if size else 1):
            some = np.random.default_rng(draw).choice(len(own), size, replace=False)
            chance = without.fitted(own[some], labels[some], OWN_PRIOR)(rows)
            found.append((average_precision(gold, chance), calibration_error(gold, chance)))
        print(f"{size:4} own pairs of QQP: AP {np.mean(found, 0)[0]:.1f}, ECE {np.mean(found, 0)[1]:.1f}")


if __name__ == "__main__":
    typer.run(main)
