"""Which views a system has, found by asking it."""

from pipeline.errors import SynsemError
from pipeline.sentences import Side
from pipeline.systems.base import Embedder

_PROBE = Side(
    "Rain fell.", ["Rain", "fell", "."], [2, 0, 2], ["nsubj", "root", "punct"],
    ["NOUN", "VERB", "PUNCT"], ["NN", "VBD", "."],
)  # fmt: skip


def views(system: Embedder) -> dict[str, int]:
    """Every view by name with the dimensions of its vectors."""
    return {name: int(matrix.shape[1]) for name, matrix in system.embed([_PROBE]).items()}


def require(system: Embedder, view: str, place: object) -> int:
    """The dimensions of a view; a SynsemError naming ``place`` where the system lacks it."""
    found = views(system)
    if view not in found:
        raise SynsemError(f"{place}: has no view {view!r}; choose from {', '.join(found)}")
    return found[view]
