"""What bfloat16 does to scores, on the page on performance, is what the files of either precision say."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from measured import CONTROLS, measured, page
from page_tables import disagreement, rows_below

WHOLE = ("stsb", "sts12", "sts14", "sts16", "paws", "qqp")


def flat(tree: Mapping[str, Any], prefix: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], float]]:
    for name, value in tree.items():
        if isinstance(value, Mapping):
            yield from flat(value, (*prefix, name))
        else:
            yield (*prefix, name), float(value)


def kind(task: str, part: str, metric: str) -> str | None:
    """The row of the table that a score belongs to."""
    ranked = metric.removesuffix("_late") == "ap" or metric.startswith("spearman")
    if ranked and (task in WHOLE or part == "all"):
        return "AP and Spearman"
    if ranked and task.startswith("contrast"):
        return "AP of one phenomenon"
    if metric.startswith("accuracy") and task in ("paws", "qqp", "trec"):
        return "accuracy of TREC" if task == "trec" else "accuracy of PAWS-Wiki"
    return None


@pytest.mark.parametrize("row", rows_below(page("docs/performance.md"), "scores"), ids=lambda row: row[0])
def test_the_largest_difference_is_that_of_the_files(row: list[str]) -> None:
    largest, compared = 0.0, 0
    for run in ("backbone", "synsem-13"):
        exact = dict(flat(measured(f"{CONTROLS}/bf16/float32/{run}.json")))
        for (view, task, part, metric), value in flat(measured(f"{CONTROLS}/bf16/{run}.json")):
            if row[0].startswith(kind(task, part, metric) or "-"):
                largest = max(largest, abs(value - exact[view, task, part, metric]))
                compared += 1
    assert compared > 3
    assert disagreement(row[1], [round(largest, 2)]) is None
