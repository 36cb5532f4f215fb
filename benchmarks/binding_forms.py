"""What word features and which weight a joint vector of ``synsem`` wants: kernels of a trained model's links.

    python benchmarks/binding_forms.py models/synsem/13     # needs data/ as PROFILE=mirror has it

The structural vectors' inner product is a kernel: the sum, over pairs of words of either sentence, of their
links and of the similarities of their words. Here it is computed exactly, for several similarities of two
words and several growths of the weight with the number of content words, on development pairs. Average
precision of PAWS-Wiki, QQP and the contrast sets, Spearman of STS-B, in points, at each squared weight.
Writes ``reports/controls/binding-forms.json``.
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from judged_pairs import development_pairs, figure
from numpy.typing import NDArray
from synsem_views import joint_cosines

from pipeline.core.metrics import cosines
from pipeline.core.store import write_json
from pipeline.syntax.sentence import Side
from pipeline.systems import registry
from pipeline.systems.synsem.heads import SHARPNESS, TYPICAL_LENGTH, evened
from pipeline.systems.synsem.model import System

Floats = NDArray[np.float32]
SIMILARITIES: dict[str, Callable[[Floats], Floats]] = {
    "x . y": lambda x: x,
    "(x . y)^2": lambda x: x.clip(0) ** 2,
    "(x . y)^3": lambda x: x.clip(0) ** 3,
    "(x . y)^5": lambda x: x.clip(0) ** 5,
    "e^(4 (x . y - 1))": lambda x: np.exp(SHARPNESS * (x - 1)),
}
GROWTHS = (0.0, 0.25, 0.5, 1.0)
SQUARED_WEIGHTS = (0.06, 0.12, 0.16, 0.2, 0.3)


class Words(NamedTuple):
    """One sentence."""

    semantic: Floats  # [D], of unit length
    features: Floats  # [W, E], of unit length
    links: Floats  # [W, W]: of i to j, less those of j to i, evened
    content: float  # number of content words


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--out", type=Path, default=Path("reports/controls/binding-forms.json"))
    options = parser.parse_args()
    system = registry.trained(System, options.model, "model")
    sets = development_pairs(options.data)
    texts = sorted({text for pairs in sets.values() for a, b, _ in pairs for text in (a, b)})
    words = dict(zip(texts, read(system, texts), strict=True))
    report: dict[str, dict[str, float]] = {}
    for name, alike in SIMILARITIES.items():
        own = {text: kernel(each, each, alike) for text, each in words.items()}
        for task, pairs in sets.items():
            sides = [[words[a] for a, _, _ in pairs], [words[b] for _, b, _ in pairs]]
            size = np.sqrt([max(own[a] * own[b], 1e-12) for a, b, _ in pairs])
            structural = np.array([kernel(a, b, alike) for a, b in zip(*sides, strict=True)]) / size
            semantic = cosines(*(np.stack([each.semantic for each in side]) for side in sides))
            gold = np.array([gold for *_, gold in pairs])
            report.setdefault(f"{name}: alone", {})[task] = figure(task, gold, structural)
            for growth in GROWTHS:
                counts = [np.array([max(each.content, 1.0) for each in side]) for side in sides]
                grown = [(each / TYPICAL_LENGTH) ** growth for each in counts]
                for squared in SQUARED_WEIGHTS:
                    joint = joint_cosines(semantic, structural, *(squared**0.5 * each for each in grown))
                    row = report.setdefault(f"{name}: growth {growth:g}, squared weight {squared:g}", {})
                    row[task] = figure(task, gold, joint)
        print(name, report[f"{name}: alone"], flush=True)
    write_json(options.out, report)


def read(system: System, texts: list[str]) -> list[Words]:
    """What the network reads in each text."""
    found: dict[int, Words] = {}
    with torch.inference_mode():
        for rows, reading, counts in system._readings([Side(text, (), ()) for text in texts]):
            _, pointed, features = reading.structure
            gates = pointed.gates.sigmoid()
            links = system.heads.binding.links(features, pointed)
            links = evened(links - links.transpose(1, 2))
            semantic = reading.views()["semantic"]
            for place, (row, size) in enumerate(zip(rows.tolist(), counts, strict=True)):
                found[row] = Words(
                    semantic[place].numpy(),
                    features[place, :size].numpy(),
                    links[place, :size, :size].numpy(),
                    float(gates[place].sum()),
                )
    return [found[row] for row in range(len(texts))]


def kernel(a: Words, b: Words, alike: Callable[[Floats], Floats]) -> float:
    """Sum over i, j of a and k, l of b of L^a_ij m_ik m_jl L^b_kl, m the similarity of two words."""
    match = alike(a.features @ b.features.T)
    return float((a.links * (match @ b.links @ match.T)).sum())


if __name__ == "__main__":
    main()
