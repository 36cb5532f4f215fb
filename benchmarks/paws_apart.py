"""How independent the unread test pairs of PAWS-Wiki are of those that were looked at.

    python benchmarks/paws_apart.py               # needs data/ with paws-wiki, as PROFILE=mirror has
    python benchmarks/paws_apart.py models/sscp/13

PAWS makes several pairs of a sentence, and its test file has them in random order. So most unread pairs have
a sentence of a pair that was looked at. Writes how many pairs of each part there are, the share of positives,
and the average precision of each view of the models on each part; ``apart`` are the unread pairs without such
a sentence, ``shared`` the others.
"""

import argparse
from pathlib import Path

import numpy as np

from pipeline.core.metrics import average_precision, cosines
from pipeline.core.store import write_json
from pipeline.evaluation.data import Benchmarks
from pipeline.evaluation.embedding_cache import EmbeddingCache
from pipeline.evaluation.tasks.pairs import FIRST_UNREAD, unread_parts
from pipeline.params import load
from pipeline.systems import registry

TASK = "paws-wiki"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("models", type=Path, nargs="*", help="beside the untouched backbone")
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--params", type=Path, default=Path("params.yaml"))
    parser.add_argument("--out", type=Path, default=Path("reports/controls/paws-apart.json"))
    options = parser.parse_args()

    benchmarks = Benchmarks(options.data / "benchmarks", options.data / "parsed", needs_trees=False)
    examples = [each for each in benchmarks.examples(TASK) if each.split == "test"]
    gold = np.array([int(each.label == "1") for each in examples])
    every = np.arange(len(examples))
    found = unread_parts(TASK, [(each.a, each.b or "") for each in examples], every)
    parts = {
        "looked_at": every[: FIRST_UNREAD[TASK]],
        "unread": found["unread"],
        "shared": np.setdiff1d(found["unread"], found["apart"]),
        "apart": found["apart"],
    }
    report: dict[str, object] = {
        "pairs": {name: len(rows) for name, rows in parts.items()},
        "positive": {name: round(100 * float(gold[rows].mean()), 1) for name, rows in parts.items()},
    }
    a = benchmarks.sentences([each.a for each in examples])
    b = benchmarks.sentences([each.b or "" for each in examples])
    models = {"backbone": registry.backbone(load(options.params, "encoder").encoder)}
    models |= {str(path): registry.load(path) for path in options.models}
    for name, model in models.items():
        embeddings = EmbeddingCache(model)
        first, second = embeddings(a), embeddings(b)
        report[name] = {
            view: {
                part: round(average_precision(gold[rows], cosines(first[view][rows], second[view][rows])), 2)
                for part, rows in parts.items()
            }
            for view in first
        }
        print(name, report[name])
    write_json(options.out, report)


if __name__ == "__main__":
    main()
