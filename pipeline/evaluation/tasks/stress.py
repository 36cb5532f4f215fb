"""Tasks ``stress`` and ``easy_and_hard``: parts of a pair benchmark that are chosen by form.

``stress`` counts subsets of the test pairs: long sentences, words in another order, and marked constructions
in the trees. The scores and the threshold (``pairs.choosing``) are those of the whole test split. A subset
with fewer than ``FEWEST`` pairs or of one class only is left out.

``easy_and_hard`` is ParaBART's split of paraphrases by syntax (Huang et al. 2021, section 4.4).
"""

import sys
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from pipeline.core import metrics
from pipeline.core.errors import SynsemError
from pipeline.core.seeding import stable_hash
from pipeline.evaluation.embedding_cache import LATE
from pipeline.evaluation.records import Context, Outcome
from pipeline.evaluation.tasks.pairs import choosing, labelled, sides
from pipeline.params import metric_key
from pipeline.syntax.constituency import DERIVED, constituents_and_kind, top_constituents
from pipeline.syntax.relations import universal
from pipeline.syntax.sentence import HasTree, Sentence

LONG = 25  # words
OVERLAP = 0.9  # Jaccard of the word sets
FEWEST = 20
_EASY_OR_HARD = 1000  # positives of either kind, and negatives
SentencePair = tuple[Sentence, Sentence]


def is_long(pair: SentencePair) -> bool:
    """Both sentences longer than 25 words."""
    return min(map(len, pair)) > LONG


def is_reordered(pair: SentencePair) -> bool:
    """Nearly the same words, and those in common in another order."""
    a, b = ([word.lower() for word in side.words] for side in pair)
    if len({*a} & {*b}) < OVERLAP * len({*a} | {*b}):
        return False
    return _in_order(a, b) < (Counter(a) & Counter(b)).total()


def _in_order(a: Sequence[str], b: Sequence[str]) -> int:
    """How many words two sentences have in one order: the length of their longest common subsequence."""
    lengths = [0] * (len(b) + 1)
    for word in a:
        before, lengths = lengths, [0]
        for place, other in enumerate(b):
            lengths.append(before[place] + 1 if word == other else max(before[place + 1], lengths[place]))
    return lengths[-1]


def has_cleft(sentence: Sentence) -> bool:
    """*It* with a copula and a relative clause below the root: *it was the dog that barked*."""
    root = sentence.heads.index(0) + 1
    below = [
        (sentence.words[word].lower(), deprel)
        for word, (head, deprel) in enumerate(zip(sentence.heads, sentence.deprels, strict=True))
        if head == root
    ]
    copula = any(deprel == "cop" for _, deprel in below) or sentence.lemmas[root - 1] == "be"
    clause = any(universal(deprel) in ("acl", "advcl", "ccomp", "csubj") for _, deprel in below)
    return copula and clause and any(place in below for place in (("it", "nsubj"), ("it", "expl")))


def has_topic(sentence: Sentence) -> bool:
    """Whether a core object or an oblique of the root stands before its subject."""
    root = sentence.heads.index(0) + 1
    places: dict[str, int] = {}
    for word, (head, deprel) in enumerate(zip(sentence.heads, sentence.deprels, strict=True)):
        if head == root:
            places.setdefault(universal(deprel), word)
    subject = places.get("nsubj")
    return subject is not None and any(places.get(role, subject) < subject for role in ("obj", "obl"))


def has_long_passive(sentence: Sentence) -> bool:
    """Whether some verb has a passive subject and an agent after *by*."""
    passives = {h for h, d in zip(sentence.heads, sentence.deprels, strict=True) if d == "nsubj:pass"}
    by = {
        head
        for head, deprel, word in zip(sentence.heads, sentence.deprels, sentence.words, strict=True)
        if deprel == "case" and word.lower() == "by"
    }
    return any(
        head in passives and (deprel == "obl:agent" or (universal(deprel) == "obl" and word + 1 in by))
        for word, (head, deprel) in enumerate(zip(sentence.heads, sentence.deprels, strict=True))
    )


def _in_either(form: Callable[[Sentence], bool]) -> Callable[[SentencePair], bool]:
    return lambda pair: any(map(form, pair))


SUBSETS: dict[str, Callable[[SentencePair], bool]] = {
    "long": is_long,
    "reordered": is_reordered,
    "cleft": _in_either(has_cleft),
    "topicalised": _in_either(has_topic),
    "long_passive": _in_either(has_long_passive),
}


def stress(context: Context, task: str) -> Outcome:
    """AP, accuracy with the development threshold, and size of each subset of the test pairs.

    For every view, and by late interaction where the model has it. Where no subset is left, stderr says so.
    """
    examples, gold = labelled(context, task)
    a, b = sides(context, examples)
    test = np.array([each.split == "test" for each in examples])
    members = {name: test & _members([a, b], rule) for name, rule in SUBSETS.items()}
    members = {
        name: rows
        for name, rows in members.items()
        if rows.sum() >= FEWEST and len(np.unique(gold[rows])) == 2
    }
    if not members:
        print(
            f"{task}: no part has {FEWEST} test pairs with trees and of both labels, so stress gives nothing",
            file=sys.stderr,
        )
        return Outcome()
    first, second, late = context.embeddings.pairs(a, b)
    scores: dict[tuple[str, str], NDArray[np.floating]] = {
        (view, ""): metrics.cosines(first[view], second[view]) for view in first
    }
    if late is not None:
        scores[LATE, "_late"] = late
    choose = choosing(examples, gold, test)
    outcome = Outcome()
    for (view, suffix), score in scores.items():
        for name, rows in members.items():
            section = f"{metric_key(task)}.stress_{name}"
            outcome.put(view, f"{section}.pairs", int(rows.sum()), digits=0)
            outcome.put(view, f"{section}.ap{suffix}", metrics.average_precision(gold[rows], score[rows]))
            if choose.any():
                right = (score[rows] >= metrics.best_threshold(gold[choose], score[choose])) == gold[rows]
                outcome.put(view, f"{section}.accuracy_dev_threshold{suffix}", 100 * right.mean())
    return outcome


def _members(both: list[list[HasTree]], rule: Callable[[SentencePair], bool]) -> np.ndarray:
    return np.array(
        [
            isinstance(a, Sentence) and isinstance(b, Sentence) and rule((a, b))
            for a, b in zip(*both, strict=True)
        ]
    )


def easy_and_hard(context: Context, task: str) -> Outcome:
    """Accuracy on paraphrases with equal top constituents (easy) and with different ones (hard).

    Up to 1000 positives of either kind are tested against one set of as many negatives. As in the paper, the
    threshold is the best for the tested pairs themselves in steps of 0.01, and the metric is named so.
    ``derived_trees`` is the share of the trees behind the split that were derived from dependencies, in
    percent: 0 where a constituency parser gave all of them.
    """
    first, second, kinds, derived = _by_top_constituents(context, task)
    size = min(_EASY_OR_HARD, *(len(found) for found in kinds.values()))
    if size < FEWEST:
        counts = ", ".join(f"{len(found)} {name}" for name, found in kinds.items())
        raise SynsemError(
            f"{task}: {counts} test pairs with trees, and {FEWEST} of each kind are needed; "
            "parse the benchmark, or leave this task out"
        )
    outcome = Outcome()
    u, v = context.embeddings(first), context.embeddings(second)
    for view in u:
        score = metrics.cosines(u[view], v[view])
        for name in ("easy", "hard"):
            chosen = kinds[name][:size] + kinds["negative"][:size]
            truth = np.array([1] * size + [0] * size)
            accuracies = [metrics.accuracy(truth, score[chosen] >= step / 100) for step in range(-100, 101)]
            outcome.put(view, f"{metric_key(task)}.{name}.accuracy_oracle_threshold", max(accuracies))
            outcome.put(view, f"{metric_key(task)}.{name}.pairs", 2 * size, digits=0)
            outcome.put(view, f"{metric_key(task)}.{name}.derived_trees", 100 * derived)
    return outcome


def _by_top_constituents(
    context: Context, task: str
) -> tuple[list[HasTree], list[HasTree], dict[str, list[int]], float]:
    """The sentences of the test pairs, the positions of each kind of pair, and the share of derived trees."""
    examples, gold = labelled(context, task)
    rows = [i for i, each in enumerate(examples) if each.split == "test"]
    rows.sort(
        key=lambda i: stable_hash(context.params.seed, "easy or hard", examples[i].a, examples[i].b or "")
    )
    first, second = sides(context, [examples[i] for i in rows])
    kinds: dict[str, list[int]] = {"easy": [], "hard": [], "negative": []}
    derived: list[bool] = []
    for position, (row, a, b) in enumerate(zip(rows, first, second, strict=True)):
        if not (isinstance(a, Sentence) and isinstance(b, Sentence)):
            continue
        if not gold[row]:
            kinds["negative"].append(position)
        elif min(len(kinds["easy"]), len(kinds["hard"])) < _EASY_OR_HARD:
            trees = [constituents_and_kind(side) for side in (a, b)]
            derived += [kind == DERIVED for _, kind in trees]
            tops = [top_constituents(tree) for tree, _ in trees]
            kinds["easy" if tops[0] == tops[1] else "hard"].append(position)
    return first, second, kinds, float(np.mean(derived)) if derived else 0.0
