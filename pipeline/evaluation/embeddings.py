"""A model's vectors of sentences and scores of pairs, each computed once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pipeline.core.errors import SynsemError

if TYPE_CHECKING:
    from pipeline.syntax.sentence import Sentence
    from pipeline.systems.base import Embedder, Views

Floats = NDArray[np.float32]


class Embeddings:
    """Vectors by text and late-interaction scores by pair of texts, each computed once, on demand.

    Two sentences with one text share the tree of the first.
    """

    def __init__(self, model: Embedder) -> None:
        self.model = model
        self._row: dict[str, int] = {}
        self._vectors: Views = {}
        self._late: dict[tuple[str, str], float] = {}
        self._alignment: dict[tuple[str, str], Floats] = {}

    def __len__(self) -> int:
        return len(self._row)

    def __call__(self, sentences: Sequence[Sentence]) -> Views:
        """Return the vectors of n sentences, float32 [n, d] for each view.

        Raises SynsemError if the model gives NaN or infinity.
        """
        if new := [sentences[row] for row in self._unknown(sentences).values()]:
            self._keep(new, self.model.embed(new))
        rows = [self._row[each.text] for each in sentences]
        return {view: matrix[rows] for view, matrix in self._vectors.items()}

    def pairs(self, a: Sequence[Sentence], b: Sequence[Sentence]) -> tuple[Views, Views, Floats | None]:
        """Return the vectors of both sides of n pairs and, if the model has any, late scores, float32 [n]."""
        late = self._scores(a, b)  # first: one pass may give vectors and scores
        vectors = self([*a, *b])
        first = {view: matrix[: len(a)] for view, matrix in vectors.items()}
        return first, {view: matrix[len(a) :] for view, matrix in vectors.items()}, late

    def alignment(self, a: Sequence[Sentence], b: Sequence[Sentence]) -> dict[str, Floats]:
        """Return how well the words of pairs that were scored are found in each other, float32 [n] each.

        See ``late_interaction.alignment``; for a model that reads pairs.
        """
        found = np.stack([self._alignment[x.text, y.text] for x, y in zip(a, b, strict=True)])
        return {"weakest": found[:, 0], "covered": found[:, 1]}

    def _scores(self, a: Sequence[Sentence], b: Sequence[Sentence]) -> Floats | None:
        model: Any = self.model
        reads = hasattr(model, "read_pairs")
        if not (reads or hasattr(model, "late_scores")):
            return None
        keys = [(x.text, y.text) for x, y in zip(a, b, strict=True)]
        new = {key: row for row, key in enumerate(keys) if key not in self._late}
        if new:
            first, second = ([side[row] for row in new.values()] for side in (a, b))
            if reads:
                found = model.read_pairs(first, second)
                scores = found.scores
                self._alignment |= dict(zip(new, found.alignment, strict=True))
                self._keep(found.sentences, found.vectors)
            else:
                scores = model.late_scores(first, second)
            _check_finite("late scores", scores, [text for text, _ in new])
            self._late |= dict(zip(new, scores.tolist(), strict=True))
        return np.array([self._late[key] for key in keys], dtype=np.float32)

    def _unknown(self, sentences: Sequence[Sentence]) -> dict[str, int]:
        """Return the texts that are not known, each with its first place."""
        first: dict[str, int] = {}
        for row, sentence in enumerate(sentences):
            if sentence.text not in self._row:
                first.setdefault(sentence.text, row)
        return first

    def _keep(self, sentences: Sequence[Sentence], vectors: Views) -> None:
        """Add the vectors of sentences whose texts were not known before."""
        first = self._unknown(sentences)
        for view, matrix in vectors.items():
            new = np.asarray(matrix, dtype=np.float32)[list(first.values())]
            _check_finite(f"view {view}", new, list(first))
            self._vectors[view] = np.concatenate([self._vectors.get(view, new[:0]), new])
        self._row |= {text: len(self._row) + number for number, text in enumerate(first)}


def _check_finite(what: str, values: NDArray[np.floating], texts: Sequence[str]) -> None:
    """Raise SynsemError if a row of values, [n] or [n, d], of n texts holds NaN or infinity."""
    bad = ~np.isfinite(values).all(axis=tuple(range(1, values.ndim)))
    if bad.any():
        raise SynsemError(
            f"{what}: {int(bad.sum())} of {len(bad)} hold NaN or infinity, first for "
            f"'{texts[int(bad.argmax())][:60]}'; the model is broken or its precision too low"
        )
