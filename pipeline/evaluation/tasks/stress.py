"""Task ``stress``: parts of the test pairs of a benchmark, chosen by form.

- ``stress_long`` and ``stress_reordered``: long sentences, and nearly the same words in another order. Scores
  and threshold are those of the whole benchmark (``pairs.choosing``). A part with fewer than ``FEWEST`` pairs
  or of one class is left out.
- ``easy`` and ``hard``: paraphrases with equal and with different top constituents (ParaBART, Huang et al.
  2021, section 4.4). Up to 1000 positives of either kind are tested against the same negatives, as many. As
  in the paper, the threshold is the best for the tested pairs themselves in steps of 0.01. ``derived_trees``
  is the percentage of trees whose constituents were derived from dependencies.
"""

import sys
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from pipeline.core import metrics
from pipeline.core.errors import SynsemError
from pipeline.core.params import metric_key
from pipeline.core.seeding import SEED, stable_hash
from pipeline.evaluation import tasks
from pipeline.evaluation.embed import LATE
from pipeline.evaluation.tasks.pairs import choosing, labelled
from pipeline.syntax.constituency import DERIVED, constituents_and_kind, top_constituents
from pipeline.syntax.sentence import Sentence

LONG = 25  # words
OVERLAP = 0.9  # Jaccard of the word sets
FEWEST = 20
_EASY_OR_HARD = 1000  # positives of either kind, and negatives
SentencePair = tuple[Sentence, Sentence]


def is_long(pair: SentencePair) -> bool:
    """Return whether both sentences are longer than 25 words."""
    return min(map(len, pair)) > LONG


def is_reordered(pair: SentencePair) -> bool:
    """Return whether two sentences have nearly the same words, and those in common in another order."""
    a, b = ([word.lower() for word in side.words] for side in pair)
    if len({*a} & {*b}) < OVERLAP * len({*a} | {*b}):
        return False
    return _in_order(a, b) < (Counter(a) & Counter(b)).total()


def _in_order(a: Sequence[str], b: Sequence[str]) -> int:
    """Return the length of the longest common subsequence of words."""
    lengths = [0] * (len(b) + 1)
    for word in a:
        before, lengths = lengths, [0]
        for place, other in enumerate(b):
            lengths.append(before[place] + 1 if word == other else max(before[place + 1], lengths[place]))
    return lengths[-1]


SUBSETS: dict[str, Callable[[SentencePair], bool]] = {"long": is_long, "reordered": is_reordered}


class Task(tasks.Task):
    """AP and accuracy of each part, for every view."""

    shape = "pairs"

    def run(self) -> None:
        """Score the parts that are large enough; SynsemError if none is."""
        self.name = metric_key(self.benchmark)
        self.examples, self.gold = labelled(self.context, self.benchmark)
        self.test = np.array([each.split == "test" for each in self.examples])
        a, b = self.context.benchmarks.sides(self.examples)
        self.pairs = [
            (x, y) if isinstance(x, Sentence) and isinstance(y, Sentence) else None
            for x, y in zip(a, b, strict=True)
        ]
        first, second, late = self.context.embeddings.pairs(a, b)
        scores: dict[tuple[str, str], NDArray[np.floating]] = {
            (view, ""): metrics.cosines(first[view], second[view]) for view in first
        }
        self._easy_and_hard({view: score for (view, _), score in scores.items()})
        if late is not None:
            scores[LATE, "_late"] = late
        self._subsets(scores)
        if not self.outcome.metrics:
            raise SynsemError(f"{self.benchmark}: no part has {FEWEST} test pairs of both labels with trees")

    def _subsets(self, scores: dict[tuple[str, str], NDArray[np.floating]]) -> None:
        gold = self.gold
        choose = choosing(self.examples, gold, self.test)
        for name, rule in SUBSETS.items():
            rows = self.test & np.array([pair is not None and rule(pair) for pair in self.pairs])
            if rows.sum() < FEWEST or len(set(gold[rows])) < 2:
                continue
            for (view, suffix), score in scores.items():
                section = f"{self.name}.stress_{name}"
                self.put(view, f"{section}.pairs", int(rows.sum()), digits=0)
                self.put(view, f"{section}.ap{suffix}", metrics.average_precision(gold[rows], score[rows]))
                if choose.any():
                    right = (score[rows] >= metrics.best_threshold(gold[choose], score[choose])) == gold[rows]
                    self.put(view, f"{section}.accuracy_dev_threshold{suffix}", 100 * right.mean())

    def _easy_and_hard(self, scores: dict[str, NDArray[np.floating]]) -> None:
        kinds, derived = self._by_top_constituents()
        size = min(_EASY_OR_HARD, *map(len, kinds.values()))
        if size < FEWEST:
            counts = ", ".join(f"{len(rows)} {name}" for name, rows in kinds.items())
            print(f"{self.benchmark}: {counts} pairs with trees; easy and hard need {FEWEST} of each",
                  file=sys.stderr)  # fmt: skip
            return
        truth = np.array([1] * size + [0] * size)
        for view, score in scores.items():
            for name in ("easy", "hard"):
                chosen = score[kinds[name][:size] + kinds["negative"][:size]]
                best = max(metrics.accuracy(truth, chosen >= step / 100) for step in range(-100, 101))
                self.put(view, f"{self.name}.{name}.accuracy_oracle_threshold", best)
                self.put(view, f"{self.name}.{name}.pairs", 2 * size, digits=0)
                self.put(view, f"{self.name}.{name}.derived_trees", 100 * derived)

    def _by_top_constituents(self) -> tuple[dict[str, list[int]], float]:
        """Return the test rows of each kind in a seeded order, and the share of derived trees."""
        kinds = dict[str, list[int]](easy=[], hard=[], negative=[])
        rows = np.flatnonzero(self.test).tolist()
        rows.sort(
            key=lambda i: stable_hash(SEED, "easy or hard", self.examples[i].a, self.examples[i].b or "")
        )
        derived: list[bool] = []
        for row in rows:
            pair = self.pairs[row]
            if pair is None:
                continue
            if not self.gold[row]:
                kinds["negative"].append(row)
            elif min(len(kinds["easy"]), len(kinds["hard"])) < _EASY_OR_HARD:
                trees = [constituents_and_kind(side) for side in pair]
                derived += [kind == DERIVED for _, kind in trees]
                tops = [top_constituents(tree) for tree, _ in trees]
                kinds["easy" if tops[0] == tops[1] else "hard"].append(row)
        return kinds, float(np.mean(derived)) if derived else 0.0
