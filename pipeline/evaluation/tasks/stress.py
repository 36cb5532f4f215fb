"""Task ``stress``: parts of the test pairs of a benchmark, chosen by form.

- ``stress_long`` and ``stress_reordered``: long sentences, and nearly the same words in another order. Scores
  and threshold are those of the whole benchmark (``pairs.choosing``). A part with fewer than ``FEWEST`` pairs
  or of one class is left out.
- ``easy`` and ``hard``: paraphrases with equal and with different top constituents (ParaBART, Huang et al.
  2021, section 4.4). Up to 1000 positives of either kind are tested against the same negatives, as many. As
  in the paper, the threshold is the best for the tested pairs themselves in steps of 0.01.
"""

import sys
from collections import Counter
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pipeline.core import metrics
from pipeline.core.errors import SynsemError
from pipeline.core.params import metric_key
from pipeline.core.seeding import SEED, stable_hash
from pipeline.evaluation import tasks
from pipeline.evaluation.classifiers import Ints, Rows
from pipeline.evaluation.data import Row
from pipeline.evaluation.tasks.pairs import choosing, labelled
from pipeline.syntax.constituency import derive, top_constituents
from pipeline.syntax.sentence import Sentence

LONG = 25  # words; each sentence of a long pair has more
OVERLAP = 0.9  # Jaccard of the word sets
FEWEST = 20
_EASY_OR_HARD = 1000  # positives of either kind, and negatives
SentencePair = tuple[Sentence, Sentence]


def is_reordered(pair: SentencePair) -> bool:
    """Return whether two sentences have nearly the same words, and those in common in another order."""
    from rapidfuzz.distance import LCSseq

    a, b = ([word.lower() for word in side.words] for side in pair)
    if len({*a} & {*b}) < OVERLAP * len({*a} | {*b}):
        return False
    return LCSseq.similarity(a, b) < (Counter(a) & Counter(b)).total()


SUBSETS: dict[str, Callable[[SentencePair], bool]] = {
    "long": lambda pair: min(map(len, pair)) > LONG,
    "reordered": is_reordered,
}


class Task(tasks.Task):
    """AP and accuracy of each part, for every view."""

    shape = "pairs"

    def run(self) -> None:
        """Score the parts that are large enough; SynsemError if none is."""
        pairs, gold = labelled(self.context, self.benchmark)
        test = np.array([each["split"] == "test" for each in pairs])
        trees: list[SentencePair | None] = [
            (a, b) if a.deprels and b.deprels else None  # else not parsed
            for a, b in zip(*self.context.benchmarks.sides(pairs), strict=True)
        ]
        kinds = self._by_top_constituents(pairs, trees, gold, test)
        choose = choosing(pairs, gold, test)
        for view, suffix, score in self.similarities(pairs):
            if not suffix:
                self._easy_and_hard(view, score, kinds)
            for name, rule in SUBSETS.items():
                rows = test & np.array([pair is not None and rule(pair) for pair in trees])
                if rows.sum() < FEWEST or len(set(gold[rows])) < 2:
                    continue
                section = f"{metric_key(self.benchmark)}.stress_{name}"
                self.put(view, f"{section}.pairs", int(rows.sum()), digits=0)
                self.put(view, f"{section}.ap{suffix}", metrics.average_precision(gold[rows], score[rows]))
                if choose.any():
                    right = (score[rows] >= metrics.best_threshold(gold[choose], score[choose])) == gold[rows]
                    self.put(view, f"{section}.accuracy_dev_threshold{suffix}", 100 * right.mean())
        if not self.outcome.values:
            raise SynsemError(f"{self.benchmark}: no part has {FEWEST} test pairs of both labels with trees")

    def _by_top_constituents(
        self, pairs: list[Row], trees: list[SentencePair | None], gold: Ints, test: Rows
    ) -> dict[str, list[int]]:
        """Return as many test rows of each kind, in a seeded order; none if one has fewer than ``FEWEST``."""
        kinds = dict[str, list[int]](easy=[], hard=[], negative=[])
        rows = [row for row in np.flatnonzero(test).tolist() if trees[row]]
        rows.sort(key=lambda row: stable_hash(SEED, "easy or hard", pairs[row]["a"], pairs[row]["b"] or ""))
        for row in rows:
            if not gold[row]:
                kinds["negative"].append(row)
            elif min(len(kinds["easy"]), len(kinds["hard"])) < _EASY_OR_HARD:
                first, second = (top_constituents(derive(side)) for side in trees[row] or ())
                kinds["easy" if first == second else "hard"].append(row)
        size = min(_EASY_OR_HARD, *map(len, kinds.values()))
        if size < FEWEST:
            print(f"{self.benchmark}: easy and hard need {FEWEST} pairs with trees each", file=sys.stderr)
            return {}
        return {name: found[:size] for name, found in kinds.items()}

    def _easy_and_hard(self, view: str, score: NDArray[np.floating], kinds: dict[str, list[int]]) -> None:
        for name in kinds.keys() - {"negative"}:
            section, size = f"{metric_key(self.benchmark)}.{name}", len(kinds[name])
            tested = score[kinds[name] + kinds["negative"]]
            truth = np.arange(2 * size) < size
            best = max(metrics.accuracy(truth, tested >= step / 100) for step in range(-100, 101))
            self.put(view, f"{section}.accuracy_oracle_threshold", best)
            self.put(view, f"{section}.pairs", 2 * size, digits=0)
