"""A trained model: sentences to vectors, how alike two sentences are, and the nearest of many."""

import functools
import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from pipeline.core.errors import SynsemError
from pipeline.pretrained import HOME

if TYPE_CHECKING:
    import numpy as np
    import torch
    from numpy.typing import NDArray

    from pipeline.core.params import Parse
    from pipeline.export.texts import TextEncoder
    from pipeline.nn.compute import Inference
    from pipeline.systems.base import System

T = TypeVar("T")
_AT_ONCE = 4096  # texts whose trees are in memory together
_LOADING = threading.Lock()  # transformers fails in a thread while another imports it


class Found(NamedTuple):
    """A text that ``Model.search`` found."""

    score: float  # cosine with the query
    text: str


class Model:
    """A trained system with its parser; made by ``load``.

    It has several *views*, each a vector of its own: ``semantic`` reads the words, ``syntactic`` or
    ``structural`` the structure, ``joint`` both. Which there are depends on the system: see ``views``.
    """

    def __init__(self, system: "System", parser: "Parse | None") -> None:
        self._system, self._parser = system, parser
        self._encoder = functools.cache(self._new_encoder)

    def __reduce__(self) -> "tuple[type[Model], tuple[System, Parse | None]]":
        # The cached encoders hold what cannot be copied or sent to another process; they are made anew there.
        return Model, (self._system, self._parser)

    def __repr__(self) -> str:
        views = ", ".join(f"{name} {width}" for name, width in self.views.items())
        return f"<synsem.Model of {self._system.name}, views {views}>"

    @functools.cached_property
    def views(self) -> dict[str, int]:
        """The views by name, with the dimensions of their vectors."""
        from pipeline.export.sentence_transformers import views

        return views(self._system)

    def encode(
        self, texts: str | Iterable[str], view: str | None = None, precision: "Inference" = "exact"
    ) -> "NDArray[np.float32]":
        """Return unit vectors of n texts, one sentence each: float32 [n, D]; [D] for a single text.

        A ``structural`` vector is zero for a text without two content words.
        ``view`` None is ``joint``, or the first one of a system without it. Every view but ``semantic``
        parses its texts, except in a system that reads text alone. ``precision`` is ``exact`` for float32,
        ``fast`` for float16 if the device multiplies that natively, ``bf16`` for bfloat16 on a CPU that has
        only that. Raises SynsemError for a view that the model lacks, for anything but text, and if a parser
        is needed and not installed.
        """
        import numpy as np

        encoder = self._encoder(view, precision)
        ((view, width),) = encoder.views.items()
        if isinstance(texts, str):
            return encoder([texts])[view][0]
        empty = np.zeros((0, width), dtype=np.float32)
        return np.concatenate([empty, *(encoder(block)[view] for block in _blocks(_listed(texts)))])

    def similarity(self, a: str, b: str, view: str | None = None) -> float:
        """Return the cosine of two sentences' vectors, from -1 to 1; errors are as for ``encode``."""
        import numpy as np

        first, second = self.encode([a, b], view)
        return float(np.clip(first @ second, -1, 1))

    def scores(self, a: str, b: str) -> dict[str, float]:
        """Return all that the model says of two sentences, by name, as ``synsem compare`` prints it.

        The cosine of each view, and ``late_interaction``, a score with no fixed scale, if the system has it.
        """
        from pipeline.export.texts import pair_scores

        scores = pair_scores([(a, b)], self._system, self._parser)
        return {name: float(column[0]) for name, column in scores.items()}

    def score_pairs(self, a: Iterable[str], b: Iterable[str]) -> "NDArray[np.float32]":
        """Return late-interaction scores of n pairs, float32 [n]: of the first of ``a`` and of ``b``, ...

        Higher is more alike; the scores have no fixed range. In PAWS-like pairs of the same words they say
        more than any cosine. Raises SynsemError if the system has no late interaction, and as ``encode``
        does; ValueError for columns of two lengths.
        """
        import numpy as np

        from pipeline.export.texts import LATE, pair_scores

        pairs, scores = list(zip(_listed(a), _listed(b), strict=True)), [np.zeros(0, dtype=np.float32)]
        for block in _blocks(pairs):
            found = pair_scores(block, self._system, self._parser)
            if LATE not in found:
                raise SynsemError(f"{self._system.name} has no late interaction; compare its vectors instead")
            scores.append(found[LATE])
        return np.concatenate(scores)

    def search(self, query: str, texts: Iterable[str], top: int = 10, view: str | None = None) -> list[Found]:
        """Return the ``top`` texts that are most like the query, best first; of equal scores the earlier.

        Empty texts are skipped. Errors are as for ``encode``; a query whose vector is zero is one as well.
        """
        from pipeline.export.texts import nearest

        found = nearest(query, self._encoder(view, "exact"), _blocks(_listed(texts)), top)
        return [Found(score, text) for score, _, text in found]

    def _new_encoder(self, view: str | None, precision: "Inference") -> "TextEncoder":
        from pipeline.export.texts import TextEncoder
        from pipeline.systems.base import usual_view

        return TextEncoder(self._system, view or usual_view(self.views), self._parser, precision)


def _blocks(items: Sequence[T]) -> Iterator[Sequence[T]]:
    return (items[start : start + _AT_ONCE] for start in range(0, len(items), _AT_ONCE))


def _listed(texts: Iterable[Any]) -> list[str]:
    """Return texts as a list; SynsemError for a string, and for what holds other things than strings."""
    if isinstance(texts, str):
        raise SynsemError("texts: one string; put it in a list")
    found = texts.to_pylist() if hasattr(texts, "to_pylist") else list(texts)  # Arrow has objects of its own
    for number, text in enumerate(found):
        if not isinstance(text, str):
            raise SynsemError(f"texts: number {number} is {text!r:.40} and no string; leave it out")
    return found


def load(
    folder: str | Path | None = None,
    device: "str | torch.device" = "auto",
    params: str | Path | None = None,
    weight: float | None = None,
) -> Model:
    """Load the model that the pretrain stage left in a folder, by default the one that comes with SynSem.

    That is called ``pretrained`` as well, if no folder here has that name. ``device`` is ``auto`` or one of
    torch. ``params`` is a parameter file that names another parser than the model was trained with.
    ``weight`` is that of the structural vector in the joint one of ``synsem``. Raises SynsemError if the
    folder holds no model, for a device that this machine lacks, and for a weight without such a vector.
    """
    with _LOADING:
        from pipeline.export.texts import open_system

        home = HOME if folder is None else Path(folder)
        system, parser = open_system(home, str(device), None if params is None else Path(params))
    if weight is not None:
        system.weigh(weight)
    return Model(system, parser)
