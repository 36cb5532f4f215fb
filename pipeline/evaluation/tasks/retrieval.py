"""Task ``retrieval``: held-out sentences and their variants by cosine; a picture of a few of them.

- ``alignment.test``: alignment of sentences with their ``same`` variants, uniformity of the sentences (Wang &
  Isola 2020), and the mean cosine of same, different and random pairs, whose values are kept for a histogram.
- ``retrieval.test``: find a sentence's ``same`` variant among its ``different`` variants and all other
  held-out sentences. ``accuracy``: share of ``same`` variants ranked first; ``mrr``: mean reciprocal rank;
  ``accuracy_triplet``: share closer than every ``different`` variant of the sentence, if it has any. Ties
  count against the model.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.core import metrics
from pipeline.core.errors import SynsemError
from pipeline.core.seeding import SEED, generator
from pipeline.evaluation import tasks
from pipeline.evaluation.data import HeldOutSentence, Variant
from pipeline.syntax.sentence import HasTree, Side
from pipeline.systems.base import Views

SENTENCES = 1000  # at most
PROJECTED = 60  # of them in the picture
_TIE = 1e-6  # cosines of float32 vectors that differ by less are equal


class Owned(NamedTuple):
    """Variants of one meaning, and the place of each one's sentence among the drawn ones, int [n]."""

    owners: NDArray[np.int64]
    sides: list[Side]


class Task(tasks.Task):
    """Alignment, retrieval, and the rows of two pictures."""

    def run(self) -> None:
        """Score every view on at most ``SENTENCES``; those with a ``same`` variant come first."""
        corpus, variants = self.context.corpus, self.context.corpus.variants
        drawn = [(held, variants.get(held.sent_id, [])) for held in corpus.sentences]
        if not drawn:
            raise SynsemError(f"{corpus.parsed}: no sentence of the test split; raise download.test_fraction")
        by_same = sorted(drawn, key=lambda pair: not _of(pair[1], "same"))  # stable: keeps the seeded order
        by_same = by_same[:SENTENCES]
        same, different = (_owned(by_same, meaning) for meaning in ("same", "different"))
        if not same.sides:
            raise SynsemError(
                f"{corpus.augmented}: no variant of meaning same in the test split; take more documents, or, "
                "for text that is not English, leave the task out of evaluate.tasks"
            )
        sentences = [held.sentence for held, _ in by_same]
        anchors, of_same, of_different = (
            self.context.embeddings(each) for each in (sentences, same.sides, different.sides)
        )
        self._align(anchors, of_same, of_different, same.owners, different.owners)
        for view in anchors:
            self._retrieve(view, anchors[view], of_same[view], of_different[view], sentences, same, different)
        self._project(drawn)

    def _align(
        self, anchors: Views, of_same: Views, of_different: Views, same: NDArray, different: NDArray
    ) -> None:
        count = len(next(iter(anchors.values())))
        # A random partner: each sentence with the one after it in a shuffled ring, never itself.
        ring = generator(SEED, "random pairs").permutation(count)
        for view, points in anchors.items():
            found = {"same": metrics.cosines(points[same], of_same[view])}
            if len(different):
                found["different"] = metrics.cosines(points[different], of_different[view])
            found["random"] = metrics.cosines(points[ring], points[np.roll(ring, 1)])
            for kind, similarity in found.items():
                self.outcome.similarities += [
                    {"view": view, "kind": kind, "similarity": float(value)} for value in similarity
                ]
                self.put(view, f"alignment.test.cosine_{kind}", 100 * similarity.mean())
            self.put(view, "alignment.test.alignment", metrics.alignment(found["same"]), digits=4)
            self.put(view, "alignment.test.uniformity", metrics.uniformity(points), digits=4)

    def _retrieve(
        self,
        view: str,
        vectors: NDArray[np.float32],
        of_same: NDArray[np.float32],
        of_different: NDArray[np.float32],
        sentences: Sequence[HasTree],
        same: Owned,
        different: Owned,
    ) -> None:
        points, count = metrics.unit(vectors), len(same.sides)
        gold = metrics.cosines(points[same.owners], of_same)
        among = points[same.owners] @ points.T
        among[np.arange(count), same.owners] = -np.inf
        # A product of matrices rounds otherwise than the cosine of a pair: equal vectors must still tie.
        better = (among >= gold[:, None] - _TIE).sum(axis=1)
        hard, has_different = np.zeros(count, dtype=int), np.zeros(count, dtype=bool)
        if len(of_different):
            own = same.owners[:, None] == different.owners[None, :]
            similarity = metrics.cosines(points[different.owners], of_different)
            hard = (own & (similarity[None, :] >= gold[:, None])).sum(axis=1)
            has_different = own.any(axis=1)
        reciprocal = 1.0 / (1 + better + hard)
        self.put(view, "retrieval.test.accuracy", 100 * np.mean(reciprocal == 1))
        self.put(view, "retrieval.test.mrr", 100 * reciprocal.mean())
        kept = [("mrr", np.arange(count), reciprocal)]
        if has_different.any():
            self.put(view, "retrieval.test.accuracy_triplet", 100 * np.mean(hard[has_different] == 0))
            kept.append(("accuracy_triplet", np.flatnonzero(has_different), (hard == 0).astype(float)))
        for metric, rows, score in kept:
            self.keep(
                view,
                "retrieval.test",
                metric,
                a=[sentences[same.owners[row]].text for row in rows],
                b=[same.sides[row].text for row in rows],
                score=score[rows],
            )

    def _project(self, drawn: list[tuple[HeldOutSentence, list[Variant]]]) -> None:
        """Keep embeddings of a few sentences with one variant of each meaning."""
        found = [(held, _of(own, "same")[:1], _of(own, "different")[:1]) for held, own in drawn]
        found.sort(key=lambda item: -(len(item[1]) + len(item[2])))  # stable
        points: list[tuple[str, str, str, HasTree]] = []
        for held, same, different in found[:PROJECTED]:
            points.append((held.sent_id, "anchor", "", held.sentence))
            points += [(held.sent_id, "variant", each.transformation, each.side) for each in same]
            points += [(held.sent_id, "negative", each.transformation, each.side) for each in different]
        for view, matrix in self.context.embeddings([point[3] for point in points]).items():
            self.outcome.projection += [
                {
                    "view": view,
                    "role": role,
                    "source_id": source,
                    "transformation": transformation,
                    "text": sentence.text,
                    "embedding": vector.tolist(),
                }
                for (source, role, transformation, sentence), vector in zip(points, matrix, strict=True)
            ]


def _of(variants: list[Variant], meaning: str) -> list[Variant]:
    return [variant for variant in variants if variant.meaning == meaning]


def _owned(drawn: list[tuple[HeldOutSentence, list[Variant]]], meaning: str) -> Owned:
    found = [(place, each.side) for place, (_, own) in enumerate(drawn) for each in _of(own, meaning)]
    return Owned(np.array([place for place, _ in found], dtype=np.int64), [side for _, side in found])
