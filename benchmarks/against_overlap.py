"""Shared words that count against a pair, tried on a trained ``synsem``.

    python benchmarks/against_overlap.py models/synsem/13     # needs data/ as PROFILE=mirror has it

The joint vector's inner product is s + w v, with s and v the cosines of the semantic and the structural
vectors. Here it is s + w (v - b u - c o): u is the cosine of what is bound without regard to order (plus in
place of minus in the binding), o that of the mean word features. So a pair gains by shared order only beyond
what its shared words predict. No vector has this as its cosine, because a vector's inner product with itself
cannot be negative. Two vectors of a text would do, one for queries and one for documents, with some signs
flipped. It is computed here for several b, c and squared weights w, on development pairs. Writes
``reports/controls/against-overlap.json``.
"""

import argparse
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from judged_pairs import development_pairs, figure
from numpy.typing import NDArray
from torch.nn import functional as F

from pipeline.core.store import write_json
from pipeline.nn.inference import in_given_order
from pipeline.syntax.sentence import Side
from pipeline.systems import registry
from pipeline.systems.synsem.heads import evened, structural_weights
from pipeline.systems.synsem.model import System
from pipeline.systems.synsem.reading import Reading

AGAINST = ((0.0, 0.0), (0.0, 1.0), (0.25, 0.75), (0.5, 0.5), (0.75, 0.5), (1.0, 0.0))  # b and c
SQUARED_WEIGHTS = (0.05, 0.1, 0.16, 0.24)


class Parts(NamedTuple):
    """Of n texts; all but the last are vectors of length 1."""

    semantic: torch.Tensor
    ordered: torch.Tensor
    unordered: torch.Tensor
    words: torch.Tensor
    growth: torch.Tensor  # [n], of the weight


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--out", type=Path, default=Path("reports/controls/against-overlap.json"))
    options = parser.parse_args()
    system = registry.trained(System, options.model, "model")
    report: dict[str, dict[str, float]] = {}
    for name, pairs in development_pairs(options.data).items():
        first, second = (parts_of(system, [pair[side] for pair in pairs]) for side in (0, 1))
        cosines = [(a * b).sum(dim=1) for a, b in zip(first[:4], second[:4], strict=True)]
        gold = np.array([gold for *_, gold in pairs])
        for b, c in AGAINST:
            for squared in SQUARED_WEIGHTS:
                scores = joint(cosines, squared * first.growth**2, squared * second.growth**2, b, c)
                row = report.setdefault(f"b {b:g}, c {c:g}, squared weight {squared:g}", {})
                row[name] = figure(name, gold, scores)
        print(name, flush=True)
    write_json(options.out, report)


def joint(
    cosines: list[torch.Tensor], first: torch.Tensor, second: torch.Tensor, b: float, c: float
) -> NDArray[np.floating]:
    """Inner products, each by the root of either text's with itself, [n].

    ``cosines`` [n] are those of the four vectors of ``Parts``, ``first`` and ``second`` squared weights [n].
    """
    semantic, ordered, unordered, words = cosines
    product = semantic + (first * second).sqrt() * (ordered - b * unordered - c * words)
    sizes = [(1 + squared * (1 - b - c)).sqrt() for squared in (first, second)]
    return (product / (sizes[0] * sizes[1])).numpy()


@torch.inference_mode()
def parts_of(system: System, texts: list[str]) -> Parts:
    """What the network makes of each text."""
    groups, found = [], []
    for rows, reading, _ in system._readings([Side(text, (), ()) for text in texts]):
        groups.append(rows)
        found.append(parts(system, reading))
    return Parts(*(in_given_order([each[k] for each in found], groups) for k in range(len(Parts._fields))))


def parts(system: System, reading: Reading) -> Parts:
    """As ``Binding.forward``, and also with plus in place of minus: what is bound without regard to order."""
    binding, (_, pointed, features) = system.heads.binding, reading.structure
    gates = pointed.gates.sigmoid()[..., None]
    links = binding.links(features, pointed)
    p = torch.cos(features @ binding.first + binding.phases[0])
    q = torch.cos(features @ binding.second + binding.phases[1])
    unordered = (p * (evened(links + links.transpose(1, 2)) @ q)).sum(dim=1)
    return Parts(
        reading.semantic,
        reading.structure.vectors,
        F.normalize(unordered, dim=1),
        F.normalize((gates * features).sum(dim=1), dim=1),
        structural_weights(pointed, 1.0, system.params.growth),
    )


if __name__ == "__main__":
    main()
