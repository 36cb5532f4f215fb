"""How well ``synsem`` knows the frames that it learnt from: sentences of them that are drawn anew.

    python benchmarks/frames_learnt.py models/synsem/13

A triplet is a sentence, the same in another construction, and the same words otherwise. A model is right
where its structural vectors have the first two nearer to each other than the first and the last. Families of
frames with few right are not learnt yet. The contrast sets, which have other words, tell what a family is
worth beyond its frames. Writes ``reports/controls/frames-learnt.json``: per cent right of all triplets and of
each family's, and how many triplets there are.
"""

import argparse
from collections import Counter, defaultdict
from collections.abc import Mapping
from itertools import islice
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from synsem_views import by_name

from pipeline.core.metrics import cosines
from pipeline.core.store import write_json
from pipeline.evaluation.embedding_cache import EmbeddingCache
from pipeline.syntax.sentence import Side
from pipeline.systems import registry
from pipeline.systems.synsem.alternations.drawn import KIND
from pipeline.systems.synsem.alternations.examples import drawn_examples
from pipeline.systems.synsem.model import System

SEED = 99  # not one that mining draws with


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("models", type=Path, nargs="+")
    parser.add_argument("--triplets", type=int, default=4000)
    parser.add_argument("--out", type=Path, default=Path("reports/controls/frames-learnt.json"))
    options = parser.parse_args()
    if options.triplets < 1:
        parser.error("--triplets: at least one")
    drawn = list(islice(drawn_examples(SEED), options.triplets))
    sides = [(row["anchor"], row["positive"], row["negatives"][0]) for row in drawn]
    families = [row["source_id"].removeprefix(f"{KIND}:") for row in drawn]
    report: dict[str, Mapping[str, float]] = {"triplets": Counter(all=len(drawn)) + Counter(families)}
    for name, folder in by_name(options.models).items():
        embed = EmbeddingCache(registry.trained(System, folder, "model"))  # each text once
        anchors, same, others = (
            embed([Side.from_row(row) for row in side])["structural"] for side in zip(*sides, strict=True)
        )
        report[name] = shares(families, cosines(anchors, same) > cosines(anchors, others))
        print(name, *(f"{share:5.1f} {family}" for family, share in report[name].items()), sep="\n  ")
    write_json(options.out, report)


def shares(families: list[str], right: NDArray[np.bool_]) -> dict[str, float]:
    """How many per cent are right of all and of each family, the worst first."""
    found = defaultdict(list, all=right.tolist())
    for family, each in zip(families, right.tolist(), strict=True):
        found[family].append(each)
    rounded = {family: round(100 * sum(each) / len(each), 1) for family, each in found.items()}
    return dict(sorted(rounded.items(), key=lambda item: item[::-1]))


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
