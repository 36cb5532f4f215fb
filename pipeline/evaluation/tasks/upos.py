"""Task ``upos``: do sentences with the same UPOS sequence lie together?

Nearest neighbours by UPOS sequence, and functional dissimilarity (Liu et al. 2019, sections 4.1 and 4.2). A
group is the sentences of one language with the same UPOS sequence, punctuation included. Two sets are judged:

- ``test``, the sentences of held-out documents;
- ``unseen``, as in the paper: whole groups that are kept out of training, drawn at random among all UPOS
  sequences of the corpus whatever the documents' split (``pipeline.syntax.similarity``). Only the system
  ``upos`` is trained without them; another may have read their sentences.

The paper leaves two things open. The gold neighbours of a sentence are all others of its group, so 5-NN
accuracy is the share of its five nearest that are in its group. Functional dissimilarity compares distances
with distances: D, min-max-normalised cosine distances, with L, normalised Levenshtein distances. The paper
prints "the complement" of the latter, which would reward an embedding for placing like sentences far apart.
||L - D||_F / n is the root of the mean squared difference, from 0 (best) to 1. One pair's distance, the
largest, decides the scale of D; ``distance_correlation``, Spearman's of L and D, does not depend on it.
"""

import sys
from collections import defaultdict
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from pipeline.core import metrics
from pipeline.core.errors import SynsemError
from pipeline.core.seeding import SEED, stable_hash
from pipeline.core.store import languages
from pipeline.evaluation import tasks
from pipeline.syntax.sentence import Sentence
from pipeline.syntax.similarity import held_out, normalised_distances

SMALLEST = 6  # sentences of a group
GROUPS = 160  # judged at most: as many as the paper's in English
NEAREST = (1, 5)
_COMPARED = 500  # sentences between all of which edit distances are taken


class Task(tasks.Task):
    """For each language ``upos.LANG.test``, and ``upos.LANG.unseen`` if it has two groups."""

    def run(self) -> None:
        """Score every view; with baselines, also a bag of words."""
        folder = self.context.corpus.corpus
        for lang in languages(folder):
            section = f"upos.{lang}.test"
            test = self._drawn(lang, lambda split, _: split == "test")
            if len(test) > 1:
                if not self.neighbourhoods(section, test):
                    print(f"{section}: no two groups of {SMALLEST} sentences share tags", file=sys.stderr)
                self.distances(section, test)
            self.neighbourhoods(f"upos.{lang}.unseen", self._drawn(lang, lambda _, upos: held_out(upos)))
        if not self.outcome.values:
            raise SynsemError(f"{folder}: fewer than two test sentences; add documents")

    def _drawn(self, lang: str, wanted: Callable[[str, list[str]], bool]) -> list[Sentence]:
        """Return a language's sentences of which ``wanted(split, upos)`` holds, in an order of the seed."""
        rows = self.context.corpus.drawn(
            ("lang", "split", "upos"),
            lambda own, split, upos: own == lang and wanted(split, upos),
            lambda row: stable_hash(SEED, "upos", row["text"]),
        )
        return [Sentence.from_row(row) for row in rows]

    def distances(self, section: str, sentences: Sequence[Sentence]) -> None:
        """Put the metrics on distances of the first sentences."""
        sample = sentences[:_COMPARED]
        edits = normalised_distances([sentence.upos for sentence in sample])
        for view, vectors in self.views(sample).items():
            apart = cosine_distances(vectors)
            self.put(view, f"{section}.functional_dissimilarity", dissimilarity(edits, apart), digits=4)
            self.put(view, f"{section}.distance_correlation", correlation(edits, apart))

    def neighbourhoods(self, section: str, sentences: Sequence[Sentence]) -> bool:
        """Put the metrics of nearest neighbours on the groups; return whether there are any."""
        members, groups = grouped(sentences)
        if not members:
            return False
        chosen = [sentences[member] for member in members]
        sizes = np.bincount(groups)
        for view, vectors in self.views(chosen).items():
            for k, share in zip(NEAREST, neighbours(vectors, groups), strict=True):
                self.put(view, f"{section}.accuracy_{k}nn", 100 * share.mean())
                self.keep(view, section, f"accuracy_{k}nn", a=[s.text for s in chosen], score=share)
            self.put(view, f"{section}.chance", 100 * (sizes[groups] - 1).mean() / (len(groups) - 1))
            self.put(view, f"{section}.sentences", len(groups), digits=0)
            self.put(view, f"{section}.groups", len(sizes), digits=0)
        return True


def grouped(sentences: Sequence[Sentence]) -> tuple[list[int], NDArray[np.int64]]:
    """Return the positions of the sentences of at most ``GROUPS`` groups, and the number of each one's group.

    The groups are drawn at random among those of six or more, whatever their size. With fewer than two, the
    result is empty.
    """
    found: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for position, sentence in enumerate(sentences):
        found[tuple(sentence.upos)].append(position)
    large = [shape for shape, positions in found.items() if len(positions) >= SMALLEST]
    drawn = sorted(large, key=lambda shape: stable_hash(SEED, "group", *shape))[:GROUPS]
    if len(drawn) < 2:
        return [], np.array([], dtype=np.int64)
    members = [position for shape in drawn for position in found[shape]]
    return members, np.repeat(np.arange(len(drawn)), [len(found[shape]) for shape in drawn])


def neighbours(vectors: NDArray[np.float32], groups: NDArray[np.int64]) -> list[NDArray[np.float64]]:
    """Return for each k of ``NEAREST`` the share of a sentence's k nearest in its group, float64 [n].

    By cosine. Of equally near ones those of other groups come first, so that ties count against the model.
    """
    points = metrics.unit(vectors).astype(np.float64)
    # Equal vectors must tie although the product rounds them otherwise.
    similarity = np.round(points @ points.T, metrics.COSINE_DIGITS)
    np.fill_diagonal(similarity, -np.inf)
    same = groups[:, None] == groups[None]
    order = np.lexsort((same, -similarity), axis=1)[:, : max(NEAREST)]
    right = np.take_along_axis(same, order, axis=1)
    return [right[:, :k].mean(axis=1) for k in NEAREST]


def cosine_distances(vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return 1 - cosine between all vectors [n, d], to 12 digits; float64 [n, n], zero on the diagonal.

    A matrix product gives equal pairs of vectors values that differ in the last bits; rounded they are ties.
    """
    points = metrics.unit(vectors).astype(np.float64)
    apart = np.round(1 - points @ points.T, 12)
    np.fill_diagonal(apart, 0)
    return apart


def dissimilarity(edits: NDArray[np.floating], apart: NDArray[np.float64]) -> float:
    """Return ||L - D||_F / n of edit and cosine distances [n, n]; 0 is best. See the module."""
    lowest = apart.min()
    scaled = (apart - lowest) / max(1e-12, float(apart.max() - lowest))
    return float(np.linalg.norm(edits - scaled) / len(edits))


def correlation(edits: NDArray[np.floating], apart: NDArray[np.float64]) -> float:
    """Return Spearman's, in points, of both kinds of distance over all pairs; 0 if one never varies."""
    pairs = np.triu_indices(len(edits), k=1)
    constant = min(np.ptp(edits[pairs]), np.ptp(apart[pairs])) == 0
    return 0.0 if constant else metrics.spearman(edits[pairs], apart[pairs])
