"""What the tree adds to the sketch, and what surface order gives without it: whole test sets.

    python benchmarks/sketch_orders.py      # needs data/ as PROFILE=mirror has it
    python benchmarks/sketch_orders.py models/sscp/* --out reports/controls/sketch-orders-sscp.json

The cosine of the untouched backbone, or the mean cosine of a model's views, beside the cosine of the sketch,
whose content words stand in the tree's order, in that of the text, or in that of a control tree
(``pipeline/nn/tree_controls.py``). Writes for each order the figures of the joint vector and of the sketch
alone, the contrast set by phenomenon too; of several models their mean and standard deviation, and each.
"""

import argparse
from pathlib import Path
from typing import get_args

import numpy as np
from judged_pairs import BLIND, READ_BEFORE, Texts, contrast_pairs, gold, numbered, trees
from numpy.typing import NDArray

from pipeline.core.metrics import average_precision, spearman
from pipeline.core.store import read, write_json
from pipeline.evaluation.tasks.contrast import contrast_set
from pipeline.evaluation.tasks.pairs import FIRST_UNREAD
from pipeline.nn.sketch import Order, sketch
from pipeline.nn.tree_controls import TreeControl
from pipeline.params import load
from pipeline.systems import base, registry

CONTRASTS = ("contrast", "contrast_dev", *READ_BEFORE, *BLIND)
Scores = dict[str, float]
Report = dict[str, dict[str, Scores]]  # order -> joint or alone; in a summary: mean or sd -> order


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("models", type=Path, nargs="*", help="default: the untouched backbone")
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--params", type=Path, default=Path("params.yaml"))
    parser.add_argument("--out", type=Path, default=Path("reports/controls/sketch-orders.json"))
    parser.add_argument("--unread", type=int, help="of PAWS-Wiki only so many of the unread test pairs")
    options = parser.parse_args()

    encoder = load(options.params, "encoder").encoder
    settings = encoder.sketch
    if settings is None:
        parser.error(f"{options.params} has no encoder.sketch")
    contrasts = contrast_set()
    sets = test_pairs(options.data) | {
        f"{name}.all": pairs for name, pairs in contrast_pairs(CONTRASTS).items()
    }
    paws = sets.pop("paws.test")
    unread = paws[FIRST_UNREAD["paws-wiki"] :]
    if options.unread is None:
        sets |= {"paws.test": paws, "paws.test_unread": unread}
    else:
        sets["paws.test_unread"] = unread[: options.unread]
    texts, found = numbered(sets)
    phenomena = np.array([each.phenomenon for each in contrasts])

    known = trees(options.data)
    sentences = [known[text] for text in texts]

    def scores(similarity: dict[str, NDArray[np.float32]]) -> Scores:
        result = {}
        for name, pairs in found.items():
            if name.startswith("sts"):
                result[f"{name}.spearman"] = spearman(pairs.gold, similarity[name])
            else:
                result[f"{name}.ap"] = average_precision(pairs.gold, similarity[name])
        for name in sorted(set(phenomena)):
            own = phenomena == name
            result[f"contrast.{name}.ap"] = average_precision(
                found["contrast.all"].gold[own], similarity["contrast.all"][own]
            )
        return {name: round(value, 2) for name, value in result.items()}

    orders: tuple[Order, ...] = ("tree", "surface", *get_args(TreeControl))
    sketches = {order: sketch(sentences, settings.dimensions, settings.reach, order) for order in orders}

    def measured(model: base.Embedder) -> Report:
        views = {name: rows for name, rows in model.embed(sentences).items() if name != "joint"}
        cosine = {
            name: np.mean([pairs.similarity(rows) for rows in views.values()], axis=0)
            for name, pairs in found.items()
        }
        report: Report = {"none": {"joint": scores(cosine)}}
        for order in orders:
            alone = {name: pairs.similarity(sketches[order]) for name, pairs in found.items()}
            both = {name: cosine[name] + settings.weight**2 * alone[name] for name in found}
            report[order] = {"joint": scores(both), "alone": scores(alone)}
        return report

    if not options.models:
        untouched = registry.backbone(encoder.model_copy(update={"sketch": None}))
        write_json(options.out, measured(untouched))
        return
    each = {}
    for folder in options.models:
        each[str(folder)] = measured(registry.load(folder))
        print(folder, each[str(folder)]["tree"]["joint"])
    write_json(options.out, {**summary(list(each.values())), "models": each})


def summary(reports: list[Report]) -> Report:
    """Mean and standard deviation of each order's joint figures."""
    found: Report = {"mean": {}, "sd": {}}
    for order in reports[0]:
        both = spread([report[order]["joint"] for report in reports])
        found["mean"][order], found["sd"][order] = both["mean"], both["sd"]
    return found


def spread(figures: list[Scores]) -> dict[str, Scores]:
    """Mean and standard deviation (n - 1; 0 for one model) of each figure over models."""
    found: dict[str, Scores] = {"mean": {}, "sd": {}}
    for name in figures[0]:
        values = np.array([each[name] for each in figures])
        found["mean"][name] = round(float(values.mean()), 2)
        found["sd"][name] = round(float(values.std(ddof=1)) if len(values) > 1 else 0.0, 2)
    return found


def test_pairs(data: Path) -> dict[str, Texts]:
    """The pairs of each test set, by its name."""
    names = {"paws-wiki": "paws.test"} | {
        task: f"{task}.test" for task in ("qqp", "stsb", "sts12", "sts14", "sts16")
    }
    sets: dict[str, Texts] = {name: [] for name in names.values()}
    for row in read(data / "benchmarks").to_pylist():
        if row["split"] == "test" and row["task"] in names:
            sets[names[row["task"]]].append((row["a"], row["b"], gold(row)))
    return sets


if __name__ == "__main__":
    main()
