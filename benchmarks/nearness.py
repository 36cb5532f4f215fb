"""Structure that counts only between near sentences, tried on a trained ``synsem``.

    python benchmarks/nearness.py models/synsem/13     # needs data/ as PROFILE=mirror has it

The joint vector's inner product is s + w v, with s and v the cosines of the semantic and the structural
vectors. Two forms take the place of v:

- ``near in meaning``: v e^(-c (1 - s));
- ``near in structure``: e^(-c (1 - v)).

Either e is a Gaussian kernel, so random features would give the form as one vector (Rahimi & Recht 2007). It
is computed exactly, for several c and squared weights w, on development pairs. Beside it stands what a
logistic regression weighs s and v with, each of variance 1. Writes ``reports/controls/nearness.json``.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from judged_pairs import development_pairs, figure
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from synsem_views import growth, joint_cosines

from pipeline.core.metrics import cosines
from pipeline.core.store import write_json
from pipeline.evaluation.embedding_cache import EmbeddingCache
from pipeline.syntax.sentence import Side
from pipeline.systems import registry
from pipeline.systems.synsem.model import System

Floats = NDArray[np.float64]
SHARPNESS = (0.5, 1.0, 2.0, 4.0, 8.0)
SQUARED_WEIGHTS = (0.1, 0.16, 0.25, 0.4, 0.6)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--out", type=Path, default=Path("reports/controls/nearness.json"))
    options = parser.parse_args()
    system = registry.trained(System, options.model, "model")
    cache = EmbeddingCache(system)
    report: dict[str, dict[str, Any]] = {}
    for name, pairs in development_pairs(options.data).items():
        sides = [[Side(a, (), ()) for a, _, _ in pairs], [Side(b, (), ()) for _, b, _ in pairs]]
        first, second, _ = cache.pairs(*sides)
        semantic, structural = (cosines(first[view], second[view]) for view in ("semantic", "structural"))
        grown = [growth(each, system.params.weight) for each in (first, second)]
        gold = np.array([gold for *_, gold in pairs])
        for form, counted in forms(semantic, structural).items():
            for squared in SQUARED_WEIGHTS:
                joint = joint_cosines(semantic, counted, *(squared**0.5 * each for each in grown))
                row = report.setdefault(f"{form}, squared weight {squared:g}", {})
                row[name] = figure(name, gold, joint)
        if set(gold) == {0.0, 1.0}:
            report.setdefault("logistic regression", {})[name] = weighed(gold, semantic, structural)
        print(name, flush=True)
    write_json(options.out, report)


def forms(semantic: Floats, structural: Floats) -> dict[str, Floats]:
    """What takes the place of the structural cosines, [n], by the form's name."""
    found = {"as built": structural}
    for c in SHARPNESS:
        found[f"near in meaning, c {c:g}"] = structural * np.exp(-c * (1 - semantic))
        found[f"near in structure, c {c:g}"] = np.exp(-c * (1 - structural))
    return found


def weighed(gold: Floats, semantic: Floats, structural: Floats) -> dict[str, float]:
    """The coefficients of both cosines, each of variance 1, in a logistic regression on all pairs."""
    both = np.stack([semantic, structural], axis=1)
    model = make_pipeline(StandardScaler(), LogisticRegression(C=100.0)).fit(both, gold)
    weights = model[-1].coef_[0]
    return {"semantic": round(float(weights[0]), 2), "structural": round(float(weights[1]), 2)}


if __name__ == "__main__":
    main()
