"""Task ``retrieval``: held-out sentences and their variants by cosine; a picture of a few of them.

- ``alignment.test``: alignment of sentences with their ``same`` variants, uniformity of the sentences (Wang &
  Isola 2020), and the mean cosine of same, different and random pairs, whose values are kept for a histogram.
- ``retrieval.test``: find a sentence's ``same`` variant among its ``different`` variants and all other
  held-out sentences. ``accuracy``: share of ``same`` variants ranked first; ``mrr``: mean reciprocal rank;
  ``accuracy_triplet``: share closer than every ``different`` variant of the sentence, if it has any. Ties
  count against the model.
"""

import numpy as np
from numpy.typing import NDArray

from pipeline.core import metrics
from pipeline.core.errors import SynsemError
from pipeline.core.seeding import SEED, generator
from pipeline.evaluation import tasks
from pipeline.evaluation.data import Row
from pipeline.syntax.sentence import Sentence, Variant

SENTENCES = 1000  # at most
PROJECTED = 60  # of them in the picture
_TIE = 1e-6  # cosines of float32 vectors that differ by less are equal
Floats = NDArray[np.float32]
Drawn = list[tuple[Row, list[Variant]]]
Cosines = dict[str, NDArray[np.float64]]  # of sentences with their variants, by meaning
Owned = tuple[NDArray[np.int64], list[Sentence]]  # variants, after the place of each one's sentence
Variants = dict[str, Owned]  # by meaning


class Task(tasks.Task):
    """Alignment, retrieval, and the rows of two pictures."""

    def run(self) -> None:
        """Score every view on at most ``SENTENCES``; those with a ``same`` variant come first."""
        corpus = self.context.corpus
        if not corpus.sample:
            raise SynsemError(f"{corpus.parsed}: no sentence of the test split; raise download.test_fraction")
        found = corpus.variants([row["sent_id"] for row in corpus.sample])
        drawn = [(row, found.get(row["sent_id"], [])) for row in corpus.sample]
        by_same = sorted(drawn, key=lambda pair: not _of(pair[1], "same"))[:SENTENCES]  # stable
        variants = {meaning: _owned(by_same, meaning) for meaning in ("same", "different")}
        if not variants["same"][1]:
            raise SynsemError(
                f"{corpus.augmented}: no variant of the same meaning in the test split; use more documents, "
                "or, for text that is not English, leave the task out of evaluate.tasks"
            )
        sentences = [Sentence.from_row(row) for row, _ in by_same]
        anchors = self.context.embeddings(sentences)
        vectors = {meaning: self.context.embeddings(sides) for meaning, (_, sides) in variants.items()}
        for view, points in anchors.items():
            cosines = {
                meaning: metrics.cosines(points[owners], vectors[meaning][view])
                for meaning, (owners, _) in variants.items()
                if len(owners)
            }
            self._align(view, points, cosines)
            self._retrieve(view, metrics.unit(points), cosines, sentences, variants)
        self._project(drawn)

    def _align(self, view: str, points: Floats, of_variants: Cosines) -> None:
        # A random partner: each sentence with the one after it in a shuffled ring, never itself.
        ring = generator(SEED, "random pairs").permutation(len(points))
        found = of_variants | {"random": metrics.cosines(points[ring], points[np.roll(ring, 1)])}
        for kind, cosines in found.items():
            self.outcome.similarities += [
                {"view": view, "kind": kind, "similarity": value} for value in cosines.tolist()
            ]
            self.put(view, f"alignment.test.cosine_{kind}", 100 * cosines.mean())
        self.put(view, "alignment.test.alignment", metrics.alignment(found["same"]), digits=4)
        self.put(view, "alignment.test.uniformity", metrics.uniformity(points), digits=4)

    def _retrieve(
        self, view: str, points: Floats, cosines: Cosines, sentences: list[Sentence], variants: Variants
    ) -> None:
        (owners, sides), gold = variants["same"], cosines["same"][:, None]
        among = points[owners] @ points.T
        among[np.arange(len(sides)), owners] = -np.inf
        # A product of matrices rounds otherwise than the cosine of a pair: equal vectors must still tie.
        better = (among >= gold - _TIE).sum(axis=1)
        own = owners[:, None] == variants["different"][0]
        hard = (own & (cosines.get("different", np.empty(0)) >= gold)).sum(axis=1)
        reciprocal = 1.0 / (1 + better + hard)
        self.put(view, "retrieval.test.accuracy", 100 * np.mean(reciprocal == 1))
        every, compared = np.ones(len(sides), dtype=bool), own.any(axis=1)
        for metric, score, rows in (("mrr", reciprocal, every), ("accuracy_triplet", hard == 0, compared)):
            if rows.any():
                self.put(view, f"retrieval.test.{metric}", 100 * np.mean(score[rows]))
                a = [sentences[owner].text for owner in owners[rows]]
                b = [sides[row].text for row in np.flatnonzero(rows)]
                self.keep(view, "retrieval.test", metric, a=a, b=b, score=score[rows])

    def _project(self, drawn: Drawn) -> None:
        """Keep embeddings of a few sentences with one variant of each meaning."""
        found = [(row, _of(own, "same")[:1], _of(own, "different")[:1]) for row, own in drawn]
        found.sort(key=lambda item: -(len(item[1]) + len(item[2])))  # stable
        points: list[tasks.Point] = []
        for row, *variants in found[:PROJECTED]:
            points.append(("anchor", row["sent_id"], "", Sentence.from_row(row)))
            for role, own in zip(("variant", "negative"), variants, strict=True):
                points += [(role, row["sent_id"], each.transformation, each.sentence) for each in own]
        self.project("retrieval", points)


def _of(variants: list[Variant], meaning: str) -> list[Variant]:
    return [variant for variant in variants if variant.meaning == meaning]


def _owned(drawn: Drawn, meaning: str) -> Owned:
    found = [(place, each.sentence) for place, (_, own) in enumerate(drawn) for each in _of(own, meaning)]
    return np.array([place for place, _ in found], dtype=np.int64), [side for _, side in found]
