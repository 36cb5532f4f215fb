"""Stress subsets of pair benchmarks: long sentences, shuffled words, and marked constructions found in the
trees.

The scores are those of the whole test split and the threshold that of all development pairs; only the rows
counted differ. A subset with fewer than ``FEWEST`` pairs or one class only is left out.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pipeline.constituency import DERIVED, constituents_and_kind, top_constituents
from pipeline.errors import SynsemError
from pipeline.evaluation import metrics
from pipeline.evaluation.bank import LATE
from pipeline.evaluation.pairs import labelled, sides
from pipeline.evaluation.records import Outcome, key
from pipeline.evaluation.task import Context
from pipeline.seeding import rank
from pipeline.sentences import HasTree, Sentence

LONG = 25  # words
OVERLAP = 0.9  # Jaccard of the word sets
FEWEST = 20
_EASY_OR_HARD = 1000  # positives of either kind, and negatives
Pair = tuple[Sentence, Sentence]


def is_long(pair: Pair) -> bool:
    """Both sentences longer than 25 words."""
    return min(map(len, pair)) > LONG


def is_reordered(pair: Pair) -> bool:
    """Nearly the same words in another order."""
    a, b = ([word.lower() for word in side.words] for side in pair)
    return a != b and len({*a} & {*b}) >= OVERLAP * len({*a} | {*b})


def is_cleft(pair: Pair) -> bool:
    """A cleft in either sentence."""
    return any(map(has_cleft, pair))


def has_cleft(sentence: Sentence) -> bool:
    """*It* with a copula and a relative clause below the root: *it was the dog that barked*."""
    root = sentence.heads.index(0) + 1
    below = [
        (sentence.words[word].lower(), deprel)
        for word, (head, deprel) in enumerate(zip(sentence.heads, sentence.deprels, strict=True))
        if head == root
    ]
    copula = any(deprel == "cop" for _, deprel in below) or sentence.lemmas[root - 1] == "be"
    clause = any(deprel.split(":")[0] in ("acl", "advcl", "ccomp", "csubj") for _, deprel in below)
    return copula and clause and any(place in below for place in (("it", "nsubj"), ("it", "expl")))


def is_topicalised(pair: Pair) -> bool:
    """An object or oblique before the subject of the root in either sentence."""
    return any(map(has_topic, pair))


def has_topic(sentence: Sentence) -> bool:
    """Whether a core object or an oblique of the root stands before its subject."""
    root = sentence.heads.index(0) + 1
    places: dict[str, int] = {}
    for word, (head, deprel) in enumerate(zip(sentence.heads, sentence.deprels, strict=True)):
        if head == root:
            places.setdefault(deprel.split(":")[0], word)
    subject = places.get("nsubj")
    return subject is not None and any(places.get(role, subject) < subject for role in ("obj", "obl"))


def is_long_passive(pair: Pair) -> bool:
    """A passive with its agent in either sentence."""
    return any(map(has_long_passive, pair))


def has_long_passive(sentence: Sentence) -> bool:
    """Whether some verb has a passive subject and an agent after *by*."""
    passives = {h for h, d in zip(sentence.heads, sentence.deprels, strict=True) if d == "nsubj:pass"}
    by = {
        head
        for head, deprel, word in zip(sentence.heads, sentence.deprels, sentence.words, strict=True)
        if deprel == "case" and word.lower() == "by"
    }
    return any(
        head in passives and (deprel == "obl:agent" or (deprel.split(":")[0] == "obl" and word + 1 in by))
        for word, (head, deprel) in enumerate(zip(sentence.heads, sentence.deprels, strict=True))
    )


SUBSETS: dict[str, Callable[[Pair], bool]] = {
    "long": is_long,
    "reordered": is_reordered,
    "cleft": is_cleft,
    "topicalised": is_topicalised,
    "long_passive": is_long_passive,
}


def stress(context: Context, task: str) -> Outcome:
    """AP and accuracy with the development threshold on each subset of the test pairs, with the subset's
    size; for every view, and by late interaction where the model has it."""
    examples, gold = labelled(context, task)
    a, b = sides(context, examples)
    test = np.array([each.split == "test" for each in examples])
    members = {name: test & _members([a, b], rule) for name, rule in SUBSETS.items()}
    members = {
        name: rows
        for name, rows in members.items()
        if rows.sum() >= FEWEST and len(np.unique(gold[rows])) == 2
    }
    first, second = context.bank(a), context.bank(b)
    scores: dict[tuple[str, str], NDArray[np.floating]] = {
        (view, ""): metrics.cosines(first[view], second[view]) for view in first
    }
    late = context.bank.late(a, b)
    if late is not None:
        scores[LATE, "_late"] = late
    dev = np.array([each.split == "dev" for each in examples])
    outcome = Outcome()
    for (view, suffix), score in scores.items():
        for name, rows in members.items():
            home = f"{key(task)}.stress_{name}"
            outcome.put(view, f"{home}.pairs", int(rows.sum()), digits=0)
            outcome.put(view, f"{home}.ap{suffix}", metrics.average_precision(gold[rows], score[rows]))
            if dev.any():
                right = (score[rows] >= metrics.best_threshold(gold[dev], score[dev])) == gold[rows]
                outcome.put(view, f"{home}.accuracy_dev_threshold{suffix}", 100 * right.mean())
    return outcome


def _members(both: list[list[HasTree]], rule: Callable[[Pair], bool]) -> np.ndarray:
    return np.array(
        [
            isinstance(a, Sentence) and isinstance(b, Sentence) and rule((a, b))
            for a, b in zip(*both, strict=True)
        ]
    )


def easy_and_hard(context: Context, task: str) -> Outcome:
    """ParaBART's split of paraphrases by syntax (Huang et al. 2021, section 4.3).

    Easy: up to 1000 positives whose top constituents are equal; hard: as many whose tops differ; both
    against the same as many negatives. Accuracy with the best threshold of the tested pairs themselves in
    steps of 0.01, as there; the name says so. ``derived_trees`` is the share of the trees behind the split
    that were derived from dependencies, in percent: 0 where a parser of constituents gave all of them.
    """
    examples, gold = labelled(context, task)
    rows = [i for i, each in enumerate(examples) if each.split == "test"]
    rows.sort(key=lambda i: rank(context.params.seed, "easy or hard", examples[i].a, examples[i].b or ""))
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
    size = min(_EASY_OR_HARD, *(len(found) for found in kinds.values()))
    if size < FEWEST:
        counts = ", ".join(f"{len(found)} {name}" for name, found in kinds.items())
        raise SynsemError(
            f"{task}: {counts} test pairs with trees, and {FEWEST} of each kind are needed; "
            "parse the benchmark, or leave this task out"
        )
    outcome = Outcome()
    u, v = context.bank(first), context.bank(second)
    for view in u:
        score = metrics.cosines(u[view], v[view])
        for name in ("easy", "hard"):
            chosen = kinds[name][:size] + kinds["negative"][:size]
            truth = np.array([1] * size + [0] * size)
            accuracies = [metrics.accuracy(truth, score[chosen] >= step / 100) for step in range(-100, 101)]
            outcome.put(view, f"{key(task)}.{name}.accuracy_oracle_threshold", max(accuracies))
            outcome.put(view, f"{key(task)}.{name}.pairs", 2 * size, digits=0)
            outcome.put(view, f"{key(task)}.{name}.derived_trees", 100 * float(np.mean(derived)))
    return outcome
