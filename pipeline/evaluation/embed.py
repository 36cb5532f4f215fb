"""Embed each unique sentence of a run once, and score each pair once by late interaction.

Where the device multiplies float16 natively, the project's own models compute in it, as in ``synsem encode``.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from pipeline.core.errors import SynsemError
from pipeline.evaluation.models import reads_pairs, scores_pairs
from pipeline.nn.precision import inferred
from pipeline.syntax.sentence import HasTree
from pipeline.systems.base import Embedder, Views

LATE = "late"  # the view of scores of pairs, which belong to no vector
Floats = NDArray[np.float32]
Result = TypeVar("Result")


class Embeddings:
    """Vectors by text and late-interaction scores by pair of texts, computed on demand.

    Two sentences with one text share the tree of the first.
    """

    def __init__(self, model: Embedder) -> None:
        self.model = model
        device = getattr(model, "device", None)
        self._device = device if isinstance(device, torch.device) else None  # None: not a model of ours
        self._row: dict[str, int] = {}
        self._vectors: Views = {}
        self._late: dict[tuple[str, str], float] = {}

    def __len__(self) -> int:
        return len(self._row)

    def __call__(self, sentences: Sequence[HasTree]) -> Views:
        """Return the vectors of n sentences, float32 [n, d] for each view.

        Raises SynsemError if the model gives NaN or infinity.
        """
        new: dict[str, HasTree] = {}
        for each in sentences:
            if each.text not in self._row:
                new.setdefault(each.text, each)
        if new:
            unknown = list(new.values())
            views = self._fast(lambda: self.model.embed(unknown), lambda views: views.values())
            self._keep(unknown, views)
        rows = [self._row[each.text] for each in sentences]
        return {view: matrix[rows] for view, matrix in self._vectors.items()}

    def pairs(self, a: Sequence[HasTree], b: Sequence[HasTree]) -> tuple[Views, Views, Floats | None]:
        """Return the vectors of both sides of n pairs, and their late-interaction scores, float32 [n].

        The scores are None for a model that has none.
        """
        late = self._scores(a, b)  # first: one pass may give vectors and scores
        vectors = self([*a, *b])
        first = {view: matrix[: len(a)] for view, matrix in vectors.items()}
        return first, {view: matrix[len(a) :] for view, matrix in vectors.items()}, late

    def _scores(self, a: Sequence[HasTree], b: Sequence[HasTree]) -> Floats | None:
        model = self.model
        if not scores_pairs(model):
            return None
        keys = [(x.text, y.text) for x, y in zip(a, b, strict=True)]
        new = {key: row for row, key in enumerate(keys) if key not in self._late}
        if new:
            first, second = ([side[row] for row in new.values()] for side in (a, b))
            if reads_pairs(model):
                found = self._fast(
                    lambda: model.read_pairs(first, second),
                    lambda found: [found.scores, *found.vectors.values()],
                )
                scores = found.scores
                self._keep(found.sentences, found.vectors)
            else:
                scores = model.late_scores(first, second)
            check_finite("late scores", scores, [text for text, _ in new])
            self._late |= dict(zip(new, scores.tolist(), strict=True))
        return np.array([self._late[key] for key in keys], dtype=np.float32)

    def _fast(
        self, compute: Callable[[], Result], arrays: Callable[[Result], Iterable[np.ndarray]]
    ) -> Result:
        return compute() if self._device is None else inferred(self._device, "fast", compute, arrays)

    def _keep(self, sentences: Sequence[HasTree], vectors: Views) -> None:
        """Add the vectors of sentences that were not known before."""
        first: dict[str, int] = {}
        for row, sentence in enumerate(sentences):
            if sentence.text not in self._row:
                first.setdefault(sentence.text, row)
        rows = list(first.values())
        for view, matrix in vectors.items():
            new = np.asarray(matrix, dtype=np.float32)[rows]
            check_finite(f"view {view}", new, list(first))
            known = self._vectors.get(view, new[:0])
            self._vectors[view] = np.concatenate([known, new])
        start = len(self._row)
        self._row |= {text: start + number for number, text in enumerate(first)}


def check_finite(what: str, values: NDArray[np.floating], texts: Sequence[str]) -> None:
    """Raise SynsemError if a row of values, [n] or [n, d], of n texts holds NaN or infinity."""
    bad = ~np.isfinite(values.reshape(len(texts), -1)).all(axis=1)
    if bad.any():
        raise SynsemError(
            f"{what}: {int(bad.sum())} of {len(bad)} hold NaN or infinity, first for "
            f"'{texts[int(bad.argmax())][:60]}'; the model is broken or its precision too low"
        )
