"""A small project as the other stages leave it: a backbone, simcse and sscp, from any seeds."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.core import schemas, store
from pipeline.core.metrics import average_precision
from pipeline.core.params import load_all
from pipeline.evaluation.tasks import EXAMPLE_SCORE, PROJECTION, SIMILARITY
from pipeline.report.page import write_report

ROOT = Path(__file__).parents[2]
HTML = "<script>alert(1)</script>"
VIEWS = {
    "backbone": ["semantic", "structural_agreement", "bag_of_words"],
    "simcse": ["semantic"],
    "sscp": ["semantic", "syntactic", "joint", "late"],
}
PAIRS = 100
SKILL = {"backbone": 0.5, "simcse": 0.45, "sscp": 0.9}  # how much of gold a system's scores hold


def parse_row(words: str, upos: str, heads: Sequence[int], deprels: str) -> dict[str, Any]:
    tokens = words.split()
    row: dict[str, Any] = {
        "text": words,
        "words": tokens,
        "space_after": [True] * len(tokens),
        "lemmas": tokens,
    }
    row |= dict.fromkeys(("xpos", "feats"), [""] * len(tokens))
    return row | {"upos": upos.split(), "heads": heads, "deprels": deprels.split()}


ACTIVE = parse_row("Dogs chase cats", "NOUN VERB NOUN", [2, 0, 2], "nsubj root obj")
PASSIVE = parse_row(
    "Cats are chased by dogs", "NOUN AUX VERB ADP NOUN", [3, 3, 0, 5, 3], "nsubj:pass aux:pass root case obl"
)
SWAPPED = parse_row("Cats chase dogs", "NOUN VERB NOUN", [2, 0, 2], "nsubj root obj")
MARKUP = parse_row(f"Dogs chase {HTML}", "NOUN VERB X", [2, 0, 2], "nsubj root obj")

# As `dvc exp show --csv` writes it: the commit, and an ablation from two seeds.
ABLATIONS = """\
Experiment,rev,typ,Created,parent,contrast.sscp,stsb.sscp,seeds,sscp.bias,run.py
,workspace,baseline,,,1,1,[13],tree,cb55bbb743ea3b137b12cea53488c21b
,master,baseline,2026-11-29,,60.0,70.0,[13],tree,cb55bbb743ea3b137b12cea53488c21b
no-bias-14,47f809b,branch_commit,2026-11-29,,51.0,,[14],none,cb55bbb743ea3b137b12cea53488c21c
no-bias,25c72d8,branch_base,2026-11-29,,53.0,,[13],none,cb55bbb743ea3b137b12cea53488c21c
"""


class Project:
    """Writes the inputs of the report below a folder."""

    text = "Dogs chase cats"

    def __init__(self, root: Path) -> None:
        self.data, self.models, self.reports = root / "data", root / "models", root / "reports"
        self.sentences({"s0": ACTIVE})
        self.variants([])

    def page(
        self, seeds: Sequence[int] = (1,), systems: Sequence[str] = ("simcse", "sscp"), **more: Any
    ) -> str:
        params = load_all(ROOT / "params.yaml")
        finetune = params.finetune.model_copy(update={"tasks": ["qqp"], "shares": [20, 100]})
        params = params.model_copy(
            update={"systems": list(systems), "seeds": list(seeds), "finetune": finetune}
        )
        path = write_report(self.data, self.models, self.reports, self.reports, params, **more)
        return path.read_text(encoding="utf-8")

    def metrics(self, run: str, metrics: Mapping[str, Any]) -> None:
        store.write_json(self.reports / "metrics" / f"{run}.json", metrics)

    def matcher(self, start: str, share: int, f1: float) -> None:
        name, points = f"{start}-1-qqp-{share}", {"accuracy": 75.0, "f1": f1, "ap": 60.0}
        found = points if share == 100 else {f"share_{share}": points}
        self.metrics(f"finetuned/{name}", {"fine-tuned": {"matching": {"qqp": found}}})
        facts = {"test": points, "curve": [{"step": 5, **points}]}
        store.write_json(self.models / "finetuned" / name / "training.json", facts)

    def examples(self, run: str, rows: Sequence[Mapping[str, Any]]) -> None:
        store.write_rows(self.reports / "evaluation" / run / "examples.arrow", rows, EXAMPLE_SCORE)

    def curve(self, run: str, name: str, points: Sequence[tuple[float, float]]) -> None:
        path = self.reports / "curves" / run / "plots" / "metrics" / f"{name}.tsv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(["step\tloss", *(f"{step}\t{loss}" for step, loss in points)]) + "\n")

    def embeddings(self, run: str, views: Sequence[str]) -> None:
        rng, folder = np.random.default_rng(len(run)), self.reports / "evaluation" / run
        similar = [
            {"view": view, "kind": kind, "similarity": float(np.clip(rng.normal(mean, 0.1), -1, 1))}
            for view in views
            for kind, mean in (("same", 0.9), ("different", 0.8), ("random", 0.1))
            for _ in range(50)
        ]
        points = [
            {
                "task": "retrieval",
                "view": view,
                "role": role,
                "source_id": f"s{number}",
                "transformation": "" if role == "anchor" else "passive",
                "text": self.text,
                "embedding": rng.normal(size=16 if view == "joint" else 8).tolist(),
            }
            for view in views
            for number in range(4)
            for role in ("anchor", "variant", "negative")
        ]
        store.write_rows(folder / "similarities.arrow", similar, SIMILARITY)
        store.write_rows(folder / "projection.arrow", points, PROJECTION)

    def sentences(self, rows: Mapping[str, Mapping[str, Any]]) -> None:
        common = {"doc_id": "d", "lang": "en", "split": "test"}
        written = [{"sent_id": key, **common, **row} for key, row in rows.items()]
        store.write_rows(self.data / "parsed" / "corpus" / "part-00000.arrow", written, schemas.SENTENCE)

    def variants(self, rows: Sequence[tuple[str, str, str, Mapping[str, Any], Sequence[int]]]) -> None:
        names = ("source_id", "transformation", "meaning", "alignment")
        written = [
            {"split": "test", **dict(zip(names, [*named, alignment], strict=True)), **row}
            for *named, row, alignment in rows
        ]
        store.write_rows(self.data / "augmented" / "part-00000.arrow", written, schemas.VARIANT)

    def fill(self, seeds: Sequence[int], text: str = text) -> None:
        """Runs of every system from these seeds, with all that the report can show."""
        self.text = text
        self.sentences({"s0": ACTIVE, "s1": MARKUP})
        self.variants(
            [
                ("s0", "passive", "same", PASSIVE, [3, 0, 2, 0, 1]),
                ("s0", "argument_swap", "different", SWAPPED, [3, 2, 1]),
                ("s1", "permutation", "order", MARKUP, [1, 2, 3]),
            ]
        )
        for system, views in VIEWS.items():
            for seed in [None] if system == "backbone" else seeds:
                run = system if seed is None else f"{system}-{seed}"
                found = {view: scored(system, seed, view) for view in views}
                self.metrics(run, {view: metrics for view, (metrics, _) in found.items()})
                self.examples(run, [row for _, rows in found.values() for row in rows])
                self.embeddings(run, [view for view in views if view in ("semantic", "syntactic", "joint")])
                if seed is not None:
                    self.curve(run, "train/loss", [(step, 2 / step) for step in range(1, 61)])
                    self.curve(run, "dev/loss", [(step, 1.5 - step / 100) for step in range(0, 61, 15)])
                    facts = {"steps": 60, "device": text, "examples": {"train": 1000, "dev": 50}}
                    store.write_json(self.models / system / str(seed) / "training.json", facts)
        for name, counts in {
            "corpus": {"kept": {"wiki": 10}, "dropped": {"too short": 3, "duplicate": 1}},
            "augmented": {"kept": {"all": 5}, "applies": {f"{number}": number for number in range(13)}},
            "triplets/sscp": {"kept": {"positive: passive": 4}, "dropped": {text: 2}},
        }.items():
            store.write_json(self.data / name / "report.json", counts)


def row(view: str, task: str, metric: str, gold: float | None, score: float, **more: Any) -> dict[str, Any]:
    """The score of an example, as evaluation keeps it."""
    texts = {"subset": "", "a": "a sentence", "b": "another", **more}
    return {"view": view, "task": task, "metric": metric, "gold": gold, "score": float(score), **texts}


def scored(system: str, seed: int | None, view: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Metrics of a view, nested, and the per-example rows that they were computed from."""
    rng = np.random.default_rng([len(system), seed or 0, len(view)])
    skill = SKILL[system] + {"joint": 0.3, "late": 0.6, "structural_agreement": 0.5}.get(view, 0)
    late = "_late" if view == "late" else ""
    pairs = np.tile([1.0, 0.0], PAIRS // 2)
    rows: list[dict[str, Any]] = []

    def keep(task: str, metric: str, scores: Any, subset: str = "") -> None:
        for number, (gold, score) in enumerate(zip(pairs, scores, strict=True)):
            texts = {"a": f"Sentence {number // 2}", "b": f"Its partner {number}", "subset": subset}
            rows.append(row(view, task, metric, gold, score, **texts))

    metrics: dict[str, Any] = {}
    if view != "bag_of_words":
        for task, subset, parts in (("paws.test", "", ["test"]), ("contrast", "voice", ["all", "voice"])):
            ranked = skill * pairs + rng.normal(size=PAIRS)
            ap = round(average_precision(pairs, ranked), 2)
            metrics[task.partition(".")[0]] = {part: {f"ap{late}": ap} for part in parts}
            keep(task, f"ap{late}", ranked, subset)
    if view in ("semantic", "syntactic", "joint"):
        metrics["stsb"] = {"test": {"spearman": 100 * skill / 2}}
    if view not in ("late", "structural_agreement"):
        right = (rng.uniform(size=PAIRS) < 0.4 + skill / 4).astype(float)
        metrics["probe"] = {"tree_depth": {"accuracy": round(100 * right.mean(), 2), "majority": 30.0}}
        keep("probe.tree_depth", "accuracy", right)
    return metrics, rows
