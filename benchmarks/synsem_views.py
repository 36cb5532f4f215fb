"""A trained ``synsem`` on development data: each view, the joint vector by its weight, late interaction.

    python benchmarks/synsem_views.py models/synsem/*     # needs data/ as PROFILE=mirror has it

Average precision of PAWS-Wiki dev, QQP dev and the two contrast sets that are development data, Spearman of
STS-B dev, in points. Of several models the mean and the standard deviation too. No test set is read.
Writes ``reports/controls/synsem-development.json``.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from role_order import development_pairs
from sketch_orders import Pairs, spread

from pipeline.core.metrics import average_precision, spearman
from pipeline.core.store import write_json
from pipeline.evaluation.models import scores_pairs
from pipeline.evaluation.tasks.contrast import contrast_set
from pipeline.params import load
from pipeline.syntax.sentence import Side
from pipeline.systems import base, registry

SQUARED_WEIGHTS = (0.05, 0.1, 0.15, 0.2, 0.3)  # of the structural vector in the joint one
Figures = dict[str, float]  # by the name of a set
Texts = list[tuple[str, str, float]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("models", type=Path, nargs="+")
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--params", type=Path, default=Path("params.yaml"))
    parser.add_argument("--out", type=Path, default=Path("reports/controls/synsem-development.json"))
    options = parser.parse_args()

    sets = development_pairs(options.data)
    backbone = load(options.params, "encoder").encoder.model_copy(update={"sketch": None})
    report = {"backbone": measured(registry.backbone(backbone), sets)}
    models = {}
    for folder in options.models:
        models[folder.name] = measured(registry.load(folder), sets)
        for view, figures in models[folder.name].items():
            print(f"{folder.name:8} {view:14}", figures, flush=True)
    if len(models) > 1:
        names = next(iter(models.values()))
        for kind in ("mean", "sd"):
            report[kind] = {view: spread([model[view] for model in models.values()])[kind] for view in names}
    write_json(options.out, report | models)


def measured(model: base.Embedder, sets: dict[str, Texts]) -> dict[str, Figures]:
    """Figures of each view that a model has, and of what its views give together."""
    texts = sorted({text for pairs in sets.values() for a, b, _ in pairs for text in (a, b)})
    places = {text: place for place, text in enumerate(texts)}
    found = {name: Pairs(pairs, places) for name, pairs in sets.items()}
    sentences = [Side(text, (), ()) for text in texts]
    views = {name: rows for name, rows in model.embed(sentences).items() if name != "joint"}
    cosines = {
        view: {name: pairs.similarity(rows) for name, pairs in found.items()} for view, rows in views.items()
    }
    if "structural" in cosines:
        for weight in SQUARED_WEIGHTS:
            cosines[f"joint, {weight}"] = {
                name: cosines["semantic"][name] + weight * cosines["structural"][name] for name in found
            }
    if scores_pairs(model):
        cosines["late"] = {
            name: model.late_scores([sentences[i] for i in pairs.a], [sentences[i] for i in pairs.b])
            for name, pairs in found.items()
        }
    report = {}
    for view, similarity in cosines.items():
        report[view] = {name: _figure(name, pairs.gold, similarity[name]) for name, pairs in found.items()}
        report[view] |= _by_phenomenon(similarity["contrast_dev"])
    return report


def _figure(name: str, gold: NDArray[np.float64], similarity: NDArray[np.float32]) -> float:
    measure = spearman if name.startswith("stsb") else average_precision
    return round(measure(gold, similarity), 2)


def _by_phenomenon(similarity: Sequence[float] | NDArray[np.float32]) -> Figures:
    """Average precision of each phenomenon of ``contrast_dev``."""
    pairs = contrast_set("contrast_dev")
    phenomena = np.array([each.phenomenon for each in pairs])
    same = np.array([float(each.meaning == "same") for each in pairs])
    scores = np.asarray(similarity)
    return {
        f"contrast_dev.{name}": round(average_precision(same[own], scores[own]), 2)
        for name in sorted(set(phenomena))
        for own in [phenomena == name]
    }


if __name__ == "__main__":
    main()
