"""What role order gives over canonical order, by spaCy's trees alone: development data, nothing trained.

    python benchmarks/role_order.py      # needs data/ with stsb, paws-wiki and qqp, as PROFILE=mirror has

The cosine of the untouched backbone, plus WEIGHT times the cosine of signed counts of word pairs: each pair
of lemmas at most REACH apart counts + in one direction and - in the other, less the further apart. So an
exchange of two words counts against a pair. Writes ``reports/controls/role-order.json``.
"""

import argparse
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from math import sqrt
from pathlib import Path
from typing import TypeVar

import numpy as np
from sketch_orders import Pairs, gold

from pipeline.core.metrics import average_precision, spearman
from pipeline.core.store import read, rows, write_json
from pipeline.evaluation.tasks.contrast import contrast_set
from pipeline.params import load
from pipeline.syntax.canonical import canonical_order, lemma
from pipeline.syntax.sentence import HasTree, Sentence
from pipeline.systems import registry
from pipeline.systems.synsem.heads import DECAY
from pipeline.systems.synsem.role_order import role_order

WEIGHT, REACH = 0.2, 4
# Task of the benchmarks, split, and how many of its pairs.
SETS = {
    "paws.dev": ("paws-wiki", "dev", 4000),
    "stsb.dev": ("stsb", "dev", None),
    "qqp.dev": ("qqp", "dev", 1500),
}
CONTRASTS = ("contrast", "contrast_dev")
ORDERS: dict[str, tuple[Callable[[HasTree], list[int]], float]] = {
    "canonical, equal weights": (canonical_order, 1.0),
    "role, equal weights": (role_order, 1.0),
    "canonical": (canonical_order, DECAY),
    "role": (role_order, DECAY),
    "surface, equal weights": (lambda tree: sorted(role_order(tree)), 1.0),
    "surface": (lambda tree: sorted(role_order(tree)), DECAY),
}
Direction = dict[tuple[str, str], float]
Link = TypeVar("Link", bound=Hashable)


def direction(lemmas: Sequence[str], decay: float) -> Direction:
    """Signed counts of pairs of lemmas, + where they stand in alphabetical order."""
    counts: Direction = defaultdict(float)
    for gap in range(1, REACH + 1):
        for word, later in zip(lemmas, lemmas[gap:], strict=False):
            if word != later:
                sign = 1 if word < later else -1
                counts[min(word, later), max(word, later)] += sign * decay ** (gap - 1)
    return counts


def cosine(one: Mapping[Link, float], other: Mapping[Link, float]) -> float:
    """Of two sparse vectors, 0 where one of them is all zeros."""
    norm = sqrt(sum(v * v for v in one.values()) * sum(v * v for v in other.values()))
    return sum(count * other.get(pair, 0.0) for pair, count in one.items()) / norm if norm else 0.0


def development_pairs(data: Path) -> dict[str, list[tuple[str, str, float]]]:
    """Two texts and their gold score or label of each pair, by the name of its set."""
    table = read(data / "benchmarks").to_pylist()
    sets = {
        name: [
            (row["a"], row["b"], gold(row)) for row in table if (row["task"], row["split"]) == (task, split)
        ][:most]
        for name, (task, split, most) in SETS.items()
    }
    for task in CONTRASTS:
        sets[task] = [(each.a, each.b, float(each.meaning == "same")) for each in contrast_set(task)]
    return sets


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--params", type=Path, default=Path("params.yaml"))
    parser.add_argument("--out", type=Path, default=Path("reports/controls/role-order.json"))
    options = parser.parse_args()

    sets = development_pairs(options.data)
    texts = sorted({text for pairs in sets.values() for a, b, _ in pairs for text in (a, b)})
    places = {text: place for place, text in enumerate(texts)}
    found = {name: Pairs(pairs, places) for name, pairs in sets.items()}
    known = {row["text"]: Sentence.from_row(row) for row in rows(options.data / "parsed" / "benchmarks")}
    sentences = [known[text] for text in texts]
    encoder = load(options.params, "encoder").encoder.model_copy(update={"sketch": None})
    vectors = registry.backbone(encoder).embed(sentences)["semantic"]

    def scores(order: Callable[[HasTree], list[int]], decay: float, weight: float) -> dict[str, float]:
        directions = [direction([lemma(tree, word) for word in order(tree)], decay) for tree in sentences]
        result = {}
        for name, pairs in found.items():
            bound = [cosine(directions[a], directions[b]) for a, b in zip(pairs.a, pairs.b, strict=True)]
            measure = spearman if name.startswith("stsb") else average_precision
            value = measure(pairs.gold, pairs.similarity(vectors) + weight * np.array(bound))
            result[name] = round(value, 2)
        return result

    report = {"none": scores(role_order, 1.0, 0.0)}
    report |= {name: scores(order, decay, WEIGHT) for name, (order, decay) in ORDERS.items()}
    for name, values in report.items():
        print(name, values)
    write_json(options.out, report)


if __name__ == "__main__":
    main()
