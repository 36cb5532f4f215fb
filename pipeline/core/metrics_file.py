"""The metrics file of a run, ``reports/metrics/RUN.json``, with the dotted names of its metrics.

It has an object for each view; below it the metrics of a task, nested: ``{"semantic": {"stsb": {"test": ...``
"""

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pipeline.core.errors import SynsemError
from pipeline.core.store import read_json


def read_metrics(path: Path) -> dict[str, dict[str, float]]:
    """The metrics file of a run: by view, every metric under its dotted name.

    Raises SynsemError where the file is no object of views, or a metric is no finite number.
    """
    return dotted_metrics(read_json(path), path)


def dotted_metrics(metrics: Any, path: Path) -> dict[str, dict[str, float]]:
    """``read_metrics`` of what was read from ``path`` already."""
    if not isinstance(metrics, dict) or not all(isinstance(view, dict) for view in metrics.values()):
        raise SynsemError(f"{path}: not one object of metrics for each view; run `synsem evaluate` again")
    return {
        view: {name: _finite(name, value, path) for name, value in dotted(found)}
        for view, found in metrics.items()
    }


def dotted(node: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Every value of nested objects with its dotted name, in the order of the names."""
    for key, value in sorted(node.items()):
        if isinstance(value, dict):
            yield from dotted(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def _finite(name: str, value: Any, path: Path) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    raise SynsemError(f"{path}: {name} is {value!r}, not a finite number; run `synsem evaluate` again")
