"""Matchers by start, share of the pairs and seed: what each reaches, and what it gains on the backbone."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from pipeline.evaluation.significance import paired_t

BACKBONE = "backbone"  # the start that every other is compared with

Record = Mapping[str, Any]  # start, share (percent), seed, and under test its metrics in points


def summary(runs: Iterable[Record]) -> list[dict[str, Any]]:
    """A row for each share and start, the backbone first: ``mean`` and ``sd`` of every metric over seeds.

    ``gain`` is the mean difference from the backbone over the ``paired`` seeds that both have, ``p`` that of
    the paired t-test; None where there is none, as for the backbone itself, or too few seeds.
    """
    records = list(runs)
    table = []
    for share in sorted({run["share"] for run in records}):
        at = [run for run in records if run["share"] == share]
        base = {run["seed"]: run["test"] for run in at if run["start"] == BACKBONE}
        for name in sorted({run["start"] for run in at}, key=lambda name: (name != BACKBONE, name)):
            own = {run["seed"]: run["test"] for run in at if run["start"] == name}
            paired = sorted(own.keys() & base.keys()) if name != BACKBONE else []
            metrics = {
                metric: _row([own[seed][metric] for seed in own])
                | _gain([own[seed][metric] for seed in paired], [base[seed][metric] for seed in paired])
                for metric in next(iter(own.values()))
            }
            row = {"start": name, "share": share, "seeds": len(own), "paired": len(paired)}
            table.append(row | {"metrics": metrics})
    return table


def _row(values: list[float]) -> dict[str, float | None]:
    sd = float(np.std(values, ddof=1)) if len(values) > 1 else None
    return {"mean": float(np.mean(values)), "sd": sd}


def _gain(own: list[float], base: list[float]) -> dict[str, float | None]:
    if not own:
        return {"gain": None, "p": None}
    p = paired_t(base, own) if len(own) > 1 else None
    return {"gain": float(np.mean(np.subtract(own, base))), "p": p}
