"""Learning curves: the same classifier on 10, 20, 40, 60, 80 and 100 % of a benchmark's training rows, in
one batch."""

import numpy as np

from pipeline.evaluation import metrics
from pipeline.evaluation.families import scaled
from pipeline.evaluation.pairs import labelled, pair_features
from pipeline.evaluation.records import Outcome, key
from pipeline.evaluation.task import Context
from pipeline.evaluation.transfer import classify, roles
from pipeline.seeding import rank

SHARES = (10, 20, 40, 60, 80, 100)  # percent; each holds the smaller ones


def few_shot(context: Context, task: str) -> Outcome:
    """Test accuracy by share of the training rows, ``few_shot.<task>.accuracy_10`` to ``accuracy_100``."""
    everything = context.benchmarks.examples(task)
    paired = all(each.b is not None for each in everything)
    if paired:
        examples, gold = labelled(context, task)
    else:
        examples = [each for each in everything if each.label is not None]
        names = [str(each.label).split(":")[0] for each in examples]
        gold = np.unique(names, return_inverse=True)[1]
    role = roles(examples, context.params.seed, task)
    draw = np.array([rank(context.params.seed, "few shot", each.a, each.b or "") % 1000 for each in examples])
    shares = [draw < 10 * share for share in SHARES]
    first = context.bank(context.benchmarks.sentences(each.a for each in examples))
    second = context.bank(context.benchmarks.sentences(each.b or "" for each in examples)) if paired else None
    outcome = Outcome()
    for view, u in first.items():
        features = scaled(u) if second is None else pair_features(u, second[view])
        for share, predicted in zip(SHARES, classify(features, gold, role, shares), strict=True):
            value = metrics.accuracy(gold[role.test], predicted[role.test])
            outcome.put(view, f"few_shot.{key(task)}.accuracy_{share}", value)
    return outcome
