"""A trained model: sentences to vectors, how alike two sentences are, and the nearest of many."""

import functools
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, get_args

from pipeline.core.errors import SynsemError, naming_arguments
from pipeline.pretrained import HOME, named
from synsem.arguments import name_of, path_of, text_of, texts_of

if TYPE_CHECKING:
    import numpy as np
    import torch
    from numpy.typing import NDArray

    from pipeline.export.text_encoder import TextEncoder
    from pipeline.nn.precision import Inference
    from pipeline.params import Parse
    from pipeline.systems.base import System

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
        """Unit vectors of n texts, one sentence each: float32 [n, D]; [D] for a single text.

        A ``structural`` vector is zero where a text has one word, and says nothing without two content words.

        ``view`` None is ``joint``, or the first one of a system without it. Every view but ``semantic``
        parses its texts, except in a system that reads text alone. ``precision`` is that of the computation:
        ``exact`` is float32, ``fast`` float16 where the device multiplies that natively, and ``bf16``
        bfloat16, too, on a CPU that has that alone. Raises SynsemError for a view that the
        model lacks, for what is no text, and where a parser is needed and not installed.
        """
        import numpy as np

        from pipeline.nn.precision import Inference

        if view is not None:
            remedy = f"choose from {', '.join(self.views)}"
            if name_of(view, "view", remedy) not in self.views:
                raise SynsemError(f"view: {self._system.name} has no view {view!r}; {remedy}")
        known = get_args(Inference)
        if name_of(precision, "precision", f"choose from {', '.join(known)}") not in known:
            raise SynsemError(f"precision: {precision!r} is unknown; choose from {', '.join(known)}")
        view = view or self._default
        encoder = self._encoder(view, precision)
        if isinstance(texts, str):
            return encoder(texts_of([texts]))[view][0]
        texts = texts_of(texts)
        blocks = (texts[start : start + _AT_ONCE] for start in range(0, len(texts), _AT_ONCE))
        parts = [encoder(block)[view] for block in blocks]
        return np.concatenate(parts) if parts else np.zeros((0, self.views[view]), dtype=np.float32)

    def similarity(self, a: str, b: str, view: str | None = None) -> float:
        """The cosine of two sentences' vectors, from -1 to 1; ``view`` and errors are as for ``encode``."""
        import numpy as np

        first, second = self.encode([a, b], view)
        return float(np.clip(first @ second, -1, 1))

    @naming_arguments()
    def scores(self, a: str, b: str) -> dict[str, float]:
        """All that the model has to say of two sentences, by name, as ``synsem similar`` shows it.

        The cosine of each view, by the view's name; ``late interaction``, a score with no fixed scale, where
        the system has it; and ``structural agreement`` of the two trees, from 0 to 1, where they are parsed.
        Errors are as for ``encode``.
        """
        from pipeline.export.similar import compare

        a, b = texts_of([a, b])
        scores = compare(a, b, self._system, self._parser).scores
        return {name.removesuffix(" view, cosine"): score for name, score in scores.items()}

    @naming_arguments()
    def score_pairs(self, a: Iterable[str], b: Iterable[str]) -> "NDArray[np.float32]":
        """Late-interaction scores of n pairs, float32 [n]: of the first text of ``a`` with that of ``b``, ...

        Higher is more alike; the scores have no fixed range. In PAWS-like pairs of the same words they tell
        more than any cosine. Each distinct text is read once among some thousand pairs.
        Raises SynsemError where the system has no late interaction, for columns of two lengths, and as
        ``encode`` does.
        """
        import numpy as np

        from pipeline.export.score import late_scores

        a, b = texts_of(a, "a"), texts_of(b, "b")
        if len(a) != len(b):
            many = "text" if len(b) == 1 else "texts"
            raise SynsemError(f"b: has {len(b)} {many} and a has {len(a)}; give one of each for every pair")
        pairs = list(zip(a, b, strict=True))
        blocks = (pairs[start : start + _AT_ONCE] for start in range(0, max(1, len(pairs)), _AT_ONCE))
        return np.concatenate([late_scores(block, self._system, self._parser) for block in blocks])

    def search(self, query: str, texts: Iterable[str], top: int = 10, view: str | None = None) -> list[Found]:
        """The ``top`` texts that are most like the query, best first; of equal scores the earlier text.

        All texts are encoded; for a parsed corpus whose vectors are kept, see ``synsem like``. ``view`` and
        errors are as for ``encode``; a query whose vector is zero is an error, too.
        """
        import numpy as np

        from pipeline.export.text_encoder import demand_direction

        query = text_of(query, "query:", "search for one string at a time")
        texts = texts_of(texts)
        if not isinstance(top, int | np.integer) or isinstance(top, bool) or top < 0:
            raise SynsemError(f"top: {top!r} is no number of texts; give a whole number, such as 10")
        own = self.encode(query, view)
        demand_direction(query, view or self._default, own)
        scores = np.clip(self.encode(texts, view) @ own, -1, 1)
        best = np.argsort(-scores, kind="stable")[:top]
        return [Found(float(scores[row]), texts[row]) for row in best]

    @property
    def _default(self) -> str:
        from pipeline.systems.base import usual_view

        return usual_view(self.views)

    @naming_arguments()
    def _new_encoder(self, view: str, precision: "Inference") -> "TextEncoder":
        from pipeline.export.text_encoder import TextEncoder

        return TextEncoder(self._system, view, self._parser, precision)


def load(
    folder: str | Path | None = None,
    device: "str | torch.device" = "auto",
    params: str | Path | None = None,
    weight: float | None = None,
) -> Model:
    """The model that the pretrain stage left in a folder; without one, the model that comes with SynSem.

    That has the name ``pretrained``, too, where no folder here is called so.
    ``device`` is ``auto``, ``cpu``, ``cuda`` ... or one of torch. ``params`` is a parameter file that names
    another parser than the model was trained with. ``weight`` is that of the structural vector in the joint
    one of ``synsem``; None is its own, 0.4 by default. Raises SynsemError where the folder holds no model or
    a damaged one, where the package of the backbone is missing, for a device that this machine lacks, for a
    weight in a system without a structural vector, and for ``params`` where no text is parsed.
    """
    with _LOADING:
        return _load(folder, device, params, weight)


def _load(
    folder: str | Path | None,
    device: "str | torch.device",
    params: str | Path | None,
    weight: float | None,
) -> Model:
    import torch

    from pipeline.export.encode import device_of
    from pipeline.export.text_encoder import parse_for
    from pipeline.systems import registry

    file = None if params is None else path_of(params, "params")
    device = str(device) if isinstance(device, torch.device) else device
    with naming_arguments():
        place = device_of(name_of(device, "device", "take auto, cpu or cuda"))
        home = HOME if folder is None else named(path_of(folder, "folder"))
        system = registry.load(home)
        parser = parse_for(system, home, file, lang=None)
    if weight is not None:
        system.weigh(weight)
    return Model(system.to(place), parser)
