"""The views of a model: which there are, and which one is meant if none is named."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from pipeline.core.errors import SynsemError
from pipeline.syntax.sentence import Sentence

if TYPE_CHECKING:
    from pipeline.systems.base import Embedder

_EXAMPLE = Sentence(
    "Rain fell.", ["Rain", "fell", "."], [2, 0, 2], ["nsubj", "root", "punct"],
    ["NOUN", "VERB", "PUNCT"], ["NN", "VBD", "."],
)  # fmt: skip


def views(system: "Embedder") -> dict[str, int]:
    """Return every view by name with the dimensions of its vectors."""
    return {name: int(matrix.shape[1]) for name, matrix in system.embed([_EXAMPLE]).items()}


def require(system: "Embedder", view: str, place: object) -> int:
    """Return the dimensions of a view; raise a SynsemError naming ``place`` if the system lacks it."""
    found = views(system)
    if view not in found:
        raise SynsemError(f"{place}: has no view {view!r}; choose from {', '.join(found)}")
    return found[view]


def usual_view(views: Iterable[str]) -> str:
    """Return the view that is meant if none is named: ``joint`` or, without one, the first."""
    names = list(views)
    return "joint" if "joint" in names else names[0]
