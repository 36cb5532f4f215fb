"""A trained model: sentences to vectors, how alike two sentences are, and the nearest of many."""

import functools
import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from pipeline.core.errors import SynsemError
from pipeline.pretrained import HOME, SCORER

if TYPE_CHECKING:
    import numpy as np
    import torch
    from numpy.typing import NDArray

    from pipeline.core.params import Parse
    from pipeline.export.graph import Graph
    from pipeline.export.same import Scorer
    from pipeline.export.texts import TextEncoder
    from pipeline.nn.compute import Inference
    from pipeline.systems.base import System

T = TypeVar("T")
_AT_ONCE = 4096  # texts whose trees are in memory together
_LOADING = threading.Lock()  # transformers fails in a thread while another imports it


class Found(NamedTuple):
    """A text that ``Model.search`` found."""

    score: float  # as ``Model.similarity`` of query and text
    text: str


class Model:
    """A trained system with its parser; made by ``load``.

    It has several *views*, each a vector of its own: ``semantic`` reads the words, ``syntactic`` or
    ``structural`` the structure, ``joint`` both. Which there are depends on the system: see ``views``.
    """

    def __init__(self, system: "System | Graph", parser: "Parse | None", scorer: "Scorer") -> None:
        self._system, self._parser, self._scorer = system, parser, scorer
        self._encoder = functools.cache(self._new_encoder)

    def __reduce__(self) -> "tuple[type[Model], tuple[System | Graph, Parse | None, Scorer]]":
        # The cached encoders hold what cannot be copied or sent to another process; they are made anew there.
        return Model, (self._system, self._parser, self._scorer)

    def __repr__(self) -> str:
        views = ", ".join(f"{name} {width}" for name, width in self.views.items())
        return f"<synsem.Model of {self._system.name}, views {views}>"

    @functools.cached_property
    def views(self) -> dict[str, int]:
        """The views by name, with the dimensions of their vectors."""
        from pipeline.systems.views import views

        return views(self._system)

    def encode(
        self, texts: str | Iterable[str], view: str | None = None, precision: "Inference" = "exact"
    ) -> "NDArray[np.float32]":
        """Return unit vectors of n texts, one sentence each: float32 [n, D]; [D] for a single text.

        A ``structural`` vector is zero for a text without two content words. A text of more than 48 words
        gets the mean of overlapping windows of 36 (where the encoder reads 64 tokens).
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

    def similarity(
        self, a: "str | NDArray[np.floating]", b: "str | NDArray[np.floating]", view: str | None = None
    ) -> Any:
        """Return how alike two texts, or vectors [..., D] row by row, are: a float, or float64 [...].

        Of joint vectors with a structural part it is (min(c, 0.9) + 0.03 s) / 0.93, c and s being the cosines
        of their parts: about one topic, structure decides. Of other views it is the cosine. So a database
        finds a hundred candidates by cosine, and these are put in order without reading a text again:

            model.similarity(query_vector, candidate_vectors)  # [D] and [100, D] -> [100]

        Errors are as for ``encode``; SynsemError for vectors of another width or not finite.
        """
        from pipeline.export.same import finite, semantic_width
        from pipeline.systems.synsem.similarity import similarity
        from pipeline.systems.views import usual_view

        view = view or usual_view(self.views)
        if isinstance(a, str) and isinstance(b, str):
            a, b = self.encode([a, b], view)
        first, second = (finite(each, self.views.get(view)) for each in (a, b))
        return similarity(first, second, semantic_width(self.views, view))

    def scores(self, a: str, b: str) -> dict[str, float]:
        """Return all that the model says of two sentences, by name, as ``synsem compare`` prints it.

        The cosine of each view; ``late_interaction``, a score with no fixed scale, if the system has it;
        ``similarity`` and ``same``, as the methods of that name give them.
        """
        return {name: float(column[0]) for name, column in self._pair_scores([(a, b)]).items()}

    def score_pairs(self, a: Iterable[str], b: Iterable[str]) -> "NDArray[np.float32]":
        """Return late-interaction scores of n pairs, float32 [n]: of the first of ``a`` and of ``b``, ...

        Higher is more alike; the scores have no fixed range. In PAWS-like pairs of the same words they say
        more than any cosine. Raises SynsemError if the system has no late interaction, if the two
        columns differ in length, and as ``encode`` does.
        """
        from pipeline.export.texts import LATE

        return self._column(_paired(a, b), LATE).astype("float32")

    def same(self, a: str | Iterable[str], b: str | Iterable[str]) -> Any:
        """Return the probability that two texts say the same, or of n pairs, float64 [n].

        It weighs both cosines, late interaction and the words (``pipeline.export.same``), which one pass over
        each text gives. The constants were fitted on questions, encyclopedic sentences and minimal pairs;
        ``fit_same`` adapts them. Equal texts have 1. In a text without two content words the words and the
        semantic cosine decide. Errors are as for ``score_pairs``; an empty text is one as well.
        """
        if isinstance(a, str) and isinstance(b, str):
            return float(self.same([a], [b])[0])
        return self._column(_paired(a, b, empty=False), "same")

    def fit_same(self, pairs: Iterable[tuple[str, str]], labels: Iterable[int]) -> "Scorer":
        """Adapt ``same`` to n pairs of your own, 1 for the same and 0 for another meaning; fifty will do.

        From now on this model uses what is returned; ``.save("same.json")`` keeps it for
        ``synsem.load(same="same.json")``. The fit starts from the constants in use and moves as far as
        the pairs are many. Raises SynsemError for labels of another number, value or of one kind only.
        """
        import numpy as np

        from pipeline.export.same import OWN_PRIOR
        from pipeline.export.texts import pair_features

        listed = list(pairs)
        if not listed or any(isinstance(pair, str) or len(pair) != 2 for pair in listed):
            raise SynsemError("pairs: must be pairs of texts, such as [(a, b), ...]")
        texts, golds = _paired([a for a, _ in listed], [b for _, b in listed], empty=False), list(labels)
        if len(golds) != len(texts) or {*golds} != {0, 1}:
            raise SynsemError(
                f"labels: must be 0 or 1 for each of {len(texts)} pairs, and both must occur"
                f" (got {len(golds)}: {', '.join(map(repr, sorted({*map(str, golds)})[:4]))})"
            )
        blocks = [pair_features(some, self._system, self._parser)[1] for some in _blocks(texts)]
        known = [block for block in blocks if block is not None]
        if not known:
            raise SynsemError(f"{self._system.name} has no structural view; `same` is for `synsem`")
        self._scorer = self._scorer.fitted(np.concatenate(known), golds, OWN_PRIOR)
        return self._scorer

    def attach(
        self, texts: str | Iterable[str], vectors: "NDArray[np.floating]", weight: float = 1.0
    ) -> "NDArray[np.float32]":
        """Return another encoder's vectors of n texts, or of one, with the structure of each text appended.

        Cosine search then tells a sentence from its reversal in any database, without another model at
        query time than this one and the other encoder:

            vectors = other.encode(texts)  # float [n, D]; any length, scaled to 1
            stored = model.attach(texts, vectors)  # float32 [n, D + 1024], of length 1

        ``weight`` is a multiple of the weight of structure in this model's joint vectors, which grows with
        the number of content words. A text without two content words gets zeros. Attach the same way to
        queries and to texts. Raises SynsemError if the system has no structural view, for vectors that are
        not finite floats [n, D], for a weight below 0, and as ``encode`` does.
        """
        import numpy as np

        from pipeline.export.same import attached, finite, semantic_width

        width = semantic_width(self.views)
        if width is None:
            raise SynsemError(f"{self._system.name} has no structural view; attach that of `synsem`")
        if not 0 <= weight < float("inf"):
            raise SynsemError(f"weight: must be 0 or more (got {weight})")
        if isinstance(texts, str):
            return self.attach([texts], np.asarray(vectors)[None], weight)[0]
        listed = _listed(texts)
        return attached(finite(vectors, len(listed), None), self.encode(listed), width, weight)

    def search(self, query: str, texts: Iterable[str], top: int = 10, view: str | None = None) -> list[Found]:
        """Return the ``top`` texts that are most like the query, best first; of equal scores the earlier.

        Empty texts are skipped. Errors are as for ``encode``; a query whose vector is zero is one as well.
        """
        from pipeline.export.texts import nearest

        found = nearest(query, self._encoder(view, "exact"), _blocks(_listed(texts)), top)
        return [Found(score, text) for score, _, text in found]

    def _pair_scores(self, pairs: Sequence[tuple[str, str]]) -> "dict[str, NDArray[np.floating]]":
        """Return every score of pairs by name, [n] each; none for no pair."""
        import numpy as np

        from pipeline.export.texts import pair_scores

        blocks = [pair_scores(some, self._system, self._parser, self._scorer) for some in _blocks(pairs)]
        names = list(blocks[0]) if blocks else []
        return {name: np.concatenate([block[name] for block in blocks]) for name in names}

    def _column(self, pairs: Sequence[tuple[str, str]], name: str) -> "NDArray[np.floating]":
        """Return one score of pairs; SynsemError if the system does not give it."""
        import numpy as np

        scores = self._pair_scores(pairs)
        if pairs and name not in scores:
            what = name.replace("_", " ")
            raise SynsemError(f"{self._system.name} has no {what} score; compare its vectors instead")
        return scores.get(name, np.zeros(0))

    def _new_encoder(self, view: str | None, precision: "Inference") -> "TextEncoder":
        from pipeline.export.texts import TextEncoder
        from pipeline.systems.views import usual_view

        return TextEncoder(self._system, view or usual_view(self.views), self._parser, precision)


def _blocks(items: Sequence[T]) -> Iterator[Sequence[T]]:
    return (items[start : start + _AT_ONCE] for start in range(0, len(items), _AT_ONCE))


def _listed(texts: Iterable[Any]) -> list[str]:
    """Return texts as a list; SynsemError for a string, and for what holds other things than strings."""
    if isinstance(texts, str):
        raise SynsemError("texts: got one string; put it in a list")
    found = texts.to_pylist() if hasattr(texts, "to_pylist") else list(texts)  # Arrow has objects of its own
    for number, text in enumerate(found):
        if not isinstance(text, str):
            raise SynsemError(f"texts: number {number} is {text!r:.40}, not a string; leave it out")
    return found


def _paired(a: Iterable[Any], b: Iterable[Any], empty: bool = True) -> list[tuple[str, str]]:
    """Return two columns of texts as pairs; SynsemError for two lengths and, unless ``empty``, blanks."""
    first, second = _listed(a), _listed(b)
    if len(first) != len(second):
        raise SynsemError(f"texts: both sides must have the same number (got {len(first)} and {len(second)})")
    for number, text in enumerate([*first, *second]):
        if not empty and not text.strip():
            raise SynsemError(f"texts: number {number % len(first)} is empty; leave it out")
    return list(zip(first, second, strict=True))


def load(
    folder: str | Path | None = None,
    device: "str | torch.device" = "auto",
    params: str | Path | None = None,
    weight: float | None = None,
    same: str | Path | None = None,
) -> Model:
    """Load the model that the pretrain stage left in a folder, by default the one that comes with SynSem.

    That is called ``pretrained`` as well, if no folder here has that name. ``folder`` may also be a graph of
    ``synsem export --onnx``. ``device`` is one of torch, or ``auto``: a GPU, otherwise the CPU, where
    onnxruntime reads the bundled model if that is installed. ``params`` is a parameter file that names
    another parser than the model was trained with. ``weight`` is that of the structural vector in the joint
    one of ``synsem``. ``same`` is a file that ``Model.fit_same(...).save`` wrote. Raises SynsemError if the
    folder holds no model or the file no constants, for a device that this machine lacks, and for a weight
    without such a vector.
    """
    with _LOADING:
        from pipeline.export.same import load_scorer
        from pipeline.export.texts import open_system

        home = HOME if folder is None else Path(folder)
        system, parser = open_system(home, str(device), None if params is None else Path(params))
    if weight is not None:
        system.weigh(weight)
    return Model(system, parser, load_scorer(SCORER if same is None else Path(same)))
