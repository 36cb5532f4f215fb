"""Pair benchmarks judged by trees alone: the symbolic baseline, no model and nothing trained."""

import numpy as np
from numpy.typing import NDArray

from pipeline.agreement import agreement, triples
from pipeline.errors import SynsemError
from pipeline.evaluation.data import Benchmarks, Example

VIEW = "structural_agreement"


def structural_scores(benchmarks: Benchmarks, examples: list[Example]) -> NDArray[np.float64]:
    """Conditional structural agreement of each pair, float64 [n]; SynsemError where a text has no tree."""
    texts = {text for each in examples for text in (each.a, each.b or "")}
    missing = sorted(texts - benchmarks.trees.keys())
    if missing:
        raise SynsemError(
            f"{benchmarks.parsed / 'benchmarks'}: no tree for {len(missing)} of {len(texts)} texts, "
            f"first '{missing[0][:60]}'; run parse again"
        )
    known = {text: triples(benchmarks.trees[text]) for text in texts}
    return np.array([agreement(known[each.a], known[each.b or ""]) for each in examples])
