"""Nearest neighbours to browse: a held-out sentence, and what lies closest to it under each embedding."""

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.report.arcs import is_right_to_left
from pipeline.report.inputs import Run, firsts, view_rank


@dataclass(frozen=True)
class Near:
    """One neighbour; ``kind`` is what it is to the query: same, different, order (variants) or other."""

    text: str
    similarity: float
    kind: str
    transformation: str


@dataclass(frozen=True)
class Query:
    """A sentence with its nearest under each (system, view), nearest first."""

    text: str
    direction: str  # rtl or ltr
    lists: tuple[tuple[str, str, tuple[Near, ...]], ...]


def queries(runs: Sequence[Run]) -> list[Query]:
    """Every query of the first seed of each system, in the order in which evaluation drew them."""
    found: dict[str, dict[tuple[str, str], list[tuple[int, Near]]]] = {}
    for run in firsts(runs):
        for row in run.evaluation.get("neighbours", []):
            near = Near(row["text"], row["similarity"], row["kind"], row["transformation"])
            lists = found.setdefault(row["query"], {})
            lists.setdefault((run.system, row["view"]), []).append((row["rank"], near))
    systems = [run.system for run in firsts(runs)]
    return [
        Query(
            text,
            "rtl" if is_right_to_left(text) else "ltr",
            tuple(
                (*group, tuple(near for _, near in sorted(lists[group], key=lambda entry: entry[0])))
                for group in sorted(lists, key=lambda group: (systems.index(group[0]), view_rank(group[1])))
            ),
        )
        for text, lists in found.items()
    ]
