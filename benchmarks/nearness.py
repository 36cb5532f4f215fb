"""Structure that counts only between sentences of like meaning, tried on a trained ``synsem``.

    python benchmarks/nearness.py models/synsem/13     # needs data/ as PROFILE=mirror has it

The joint vector's inner product is s + w v, with s and v the cosines of the semantic and the structural
vectors. Here it is s + w v e^(-c (1 - s)): the factor is a Gaussian kernel of the semantic vectors, so
random features of theirs, times the structural vector's, would give it as one vector (Rahimi & Recht 2007).
It is computed exactly, for several c (0: as built) and squared weights w, on development pairs. Writes
``reports/controls/nearness.json``.
"""

import argparse
from pathlib import Path

import numpy as np
from role_order import development_pairs
from synsem_views import figure, growth, joint_cosines

from pipeline.core.metrics import cosines
from pipeline.core.store import write_json
from pipeline.evaluation.embedding_cache import EmbeddingCache
from pipeline.syntax.sentence import Side
from pipeline.systems import registry
from pipeline.systems.synsem.model import System

SHARPNESS = (0.0, 2.0, 4.0, 8.0, 16.0)
SQUARED_WEIGHTS = (0.1, 0.16, 0.25, 0.4, 0.6)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--out", type=Path, default=Path("reports/controls/nearness.json"))
    options = parser.parse_args()
    system = registry.trained(System, options.model, "model")
    cache = EmbeddingCache(system)
    report: dict[str, dict[str, float]] = {}
    for name, pairs in development_pairs(options.data).items():
        sides = [[Side(pair[side], (), ()) for pair in pairs] for side in (0, 1)]
        first, second, _ = cache.pairs(*sides)
        semantic, structural = (cosines(first[view], second[view]) for view in ("semantic", "structural"))
        grown = [growth(each, system.params.weight) for each in (first, second)]
        gold = np.array([gold for *_, gold in pairs])
        for sharpness in SHARPNESS:
            near = structural * np.exp(-sharpness * (1 - semantic))
            for squared in SQUARED_WEIGHTS:
                joint = joint_cosines(semantic, near, *(squared**0.5 * each for each in grown))
                row = report.setdefault(f"sharpness {sharpness:g}, squared weight {squared:g}", {})
                row[name] = figure(name, gold, joint)
        print(name, flush=True)
    write_json(options.out, report)


if __name__ == "__main__":
    main()
