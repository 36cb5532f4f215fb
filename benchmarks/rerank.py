"""Late interaction as a second step of a search: the texts nearest by a vector, ordered by a score of pairs.

    python benchmarks/rerank.py [MODEL] --data data     # without a model: the one that comes with SynSem

A query is a sentence of the test split that has a rewording. It is searched for among all other sentences of
that split, their rewordings and all variants of another meaning; its own further rewordings are left out.
What counts is the rank of its first rewording: how often 1 (``accuracy``), and the mean of 1 / rank. Equal
scores count against the model. The nearest 10 by the joint vector are ordered by late interaction, and by
a sum of it and the joint cosine, with several weights. Writes ``reports/controls/rerank.json``.
"""

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import synsem
from pipeline.core.store import write_json
from pipeline.evaluation.data import HeldOut

NEAREST = 10
WEIGHTS = (0.0, 1.0, 2.0, 4.0, 8.0)

Floats = NDArray[np.float32]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model", type=Path, nargs="?")
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--queries", type=int, default=1000, help="the first ones, at most")
    parser.add_argument("--out", type=Path, default=Path("reports/controls/rerank.json"))
    options = parser.parse_args()
    model = synsem.load(options.model)
    variants = texts_by_query(HeldOut(options.data / "parsed", options.data / "augmented", seed=13))
    queries = [query for query, own in variants.items() if own["same"]][: options.queries]
    every = [text for own in variants.values() for some in own.values() for text in some]
    pool = list(dict.fromkeys([*variants, *every]))
    row = {text: number for number, text in enumerate(pool)}
    report: dict[str, object] = {"queries": len(queries), "texts": len(pool)}
    scores: list[Floats] = []
    golds = [row[variants[query]["same"][0]] for query in queries]
    for view in ("semantic", "joint"):
        vectors = model.encode(pool, view)
        scores = [vectors @ vectors[row[query]] for query in queries]
        for query, own in zip(queries, scores, strict=True):
            own[[row[query], *(row[text] for text in variants[query]["same"][1:])]] = -np.inf
        report[view] = figures([rank(own, gold) for own, gold in zip(scores, golds, strict=True)])
    near = [np.argsort(-own, kind="stable")[:NEAREST] for own in scores]
    late = model.score_pairs(
        [query for query, some in zip(queries, near, strict=True) for _ in some],
        [pool[number] for some in near for number in some],
    ).reshape(len(queries), -1)
    for weight in WEIGHTS:
        ranks = []
        for own, some, again, gold in zip(scores, near, late, golds, strict=True):
            place = np.flatnonzero(some == gold)
            ranks.append(rank(again + weight * own[some], place[0]) if len(place) else rank(own, gold))
        report[f"late interaction + {weight:g} joint"] = figures(ranks)
    write_json(options.out, report)
    for name, found in report.items():
        print(name, found)


def texts_by_query(corpus: HeldOut) -> dict[str, dict[str, list[str]]]:
    """Each sentence of the test split with the texts of its variants by meaning."""
    found = {}
    for held in corpus.sentences:
        own = corpus.variants.get(held.sent_id, [])
        found[held.sentence.text] = {
            meaning: [each.side.text for each in own if each.meaning == meaning]
            for meaning in ("same", "different")
        }
    return found


def rank(scores: Floats, gold: int) -> int:
    """The 1-based rank of a text by its scores; equal ones come before it."""
    return 1 + int((np.delete(scores, gold) >= scores[gold]).sum())


def figures(ranks: list[int]) -> dict[str, float]:
    inverse = 1 / np.array(ranks)
    return {
        "accuracy": round(100 * float(np.mean(inverse == 1)), 1),
        "mrr": round(100 * float(inverse.mean()), 1),
    }


if __name__ == "__main__":
    main()
