"""Runs of two systems with a spread between seeds, and all that evaluation, mining and training leave."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from report_project import Project

from pipeline import store
from pipeline.evaluation.metrics import average_precision, spearman
from pipeline.evaluation.records import EXAMPLE_SCORE, NEIGHBOUR

VIEWS = {
    "backbone": ["semantic", "structural_agreement", "bag_of_words"],
    "simcse": ["semantic"],
    "sscp": ["semantic", "syntactic", "joint", "late"],
}
PAIRS = 200
SKILL = {"backbone": 0.5, "simcse": 0.45, "sscp": 0.9}  # how much of gold a system's scores hold


def judged(system: str, seed: int | None, view: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Metrics of a view, nested, and the per-example rows that they were computed from."""
    rng = np.random.default_rng([len(system), seed or 0, len(view)])
    skill = SKILL[system] + {"syntactic": 0.2, "joint": 0.3, "late": 0.6, "structural_agreement": 0.5}.get(
        view, 0
    )
    suffix = "_late" if view == "late" else ""
    truth = np.random.default_rng(7)
    grades, labels = truth.uniform(0, 5, PAIRS), truth.integers(0, 2, PAIRS)
    rows: list[dict[str, Any]] = []

    def keep(
        task: str, metric: str, gold: Sequence[float] | None, score: Sequence[float], paired: bool = True
    ) -> None:
        rows.extend(
            {
                "view": view,
                "task": task,
                "metric": metric,
                "subset": "",
                "a": f"Sentence {number} of {task}",
                "b": f"Its partner {number}" if paired else None,
                "gold": None if gold is None else float(gold[number]),
                "score": float(score[number]),
            }
            for number in range(len(score))
        )

    metrics: dict[str, Any] = {}
    if view != "bag_of_words":
        ranked = skill * labels + rng.normal(size=PAIRS)
        metrics["paws"] = {"test": {f"ap{suffix}": round(average_precision(labels, ranked), 2)}}
        keep("paws.test", f"ap{suffix}", labels, ranked)
    if view not in ("bag_of_words", "structural_agreement"):
        graded = skill * grades + rng.normal(size=PAIRS)
        metrics["stsb"] = {"test": {f"spearman{suffix}": round(spearman(grades, graded), 2)}}
        keep("stsb.test", f"spearman{suffix}", grades, graded)
    if view in ("semantic", "syntactic", "joint"):
        right = (rng.uniform(size=PAIRS) < 0.5 + skill / 4).astype(float)
        metrics["paws"]["test"]["accuracy_logistic"] = round(100 * right.mean(), 2)
        keep("paws.test", "accuracy_logistic", None, right)
        ranks = 1 / rng.integers(1, 4, PAIRS)
        metrics["retrieval"] = {"test": {"accuracy": round(100 * (ranks == 1).mean(), 2), "mrr": 70.0}}
        keep("retrieval.test", "mrr", None, ranks)
        curve = {
            f"accuracy_{share}": round(50 + skill * share / 5 + rng.normal(), 2) for share in (10, 40, 100)
        }
        metrics["few_shot"] = {"paws": curve}
    if view not in ("late", "structural_agreement"):
        metrics["probe"] = {}
        for probe in ("tree_depth", "subject_number"):
            right = (rng.uniform(size=PAIRS) < 0.4 + skill / 4).astype(float)
            metrics["probe"][probe] = {"accuracy": round(100 * right.mean(), 2), "majority": 30.0}
            keep(f"probe.{probe}", "accuracy", None, right, paired=False)
    return metrics, rows


def fill(project: Project, seeds: Sequence[int], text: str = "Dogs chase cats") -> None:
    """Give the project runs of every system from these seeds, with all that the report can show."""
    for system, views in VIEWS.items():
        for seed in [None] if system == "backbone" else seeds:
            run = system if seed is None else f"{system}-{seed}"
            found = {view: judged(system, seed, view) for view in views}
            project.metrics(run, {view: metrics for view, (metrics, _) in found.items()})
            embedded = [view for view in views if view in ("semantic", "syntactic", "joint")]
            project.evaluation(run, embedded, text=text)
            home = project.reports / "evaluation" / run
            rows = [row for _, own in found.values() for row in own]
            store.write_rows(home / "examples.arrow", rows, EXAMPLE_SCORE)
            store.write_rows(home / "neighbours.arrow", list(near(embedded, text)), NEIGHBOUR)
            if seed is None:
                continue
            project.curve(run, "train/loss", [(step, 2 / step) for step in range(1, 61)])
            project.curve(run, "dev/loss", [(step, 1.5 - step / 100) for step in range(0, 61, 15)])
            cost = {"seconds": 200.5, "tokens_per_second": 4321.0, "peak_memory_mb": 1800.0, "device": "cpu"}
            store.write_json(project.reports / "curves" / run / "cost.json", cost)
    bins = [0] * 18 + [6, 4]
    side = {"count": 10, "mean": 0.93, "bins": bins}
    spread = {"positive": side, "negative": {**side, "bins": [5, 5] + [0] * 18, "mean": 0.05}}
    edges = [place / 20 for place in range(21)]
    store.write_json(
        project.data / "triplets" / "sscp" / "similarity.json",
        {"edges": edges, "overlap": spread, "cosine": spread},
    )


def near(views: Sequence[str], text: str) -> Sequence[dict[str, Any]]:
    kinds = ("same", "different", "other")
    return [
        {
            "view": view,
            "query": f"{text} {query}",
            "rank": rank,
            "text": f"{text} nearby {rank}",
            "kind": kind,
            "transformation": "passive" if kind != "other" else "",
            "similarity": 1 - rank / 10,
        }
        for view in views
        for query in range(3)
        for rank, kind in enumerate(kinds, 1)
    ]


def ablate(project: Project, seeds: Sequence[int]) -> None:
    """Runs of three ablations: the full system, one that hurts and one that does nothing."""
    changes = {"full": {}, "no-bias": {"sscp.bias": "none"}, "no-guard": {"sscp.guard": 0.0}}
    for name, change in changes.items():
        for seed in seeds:
            found = {view: judged("sscp", seed, view)[0] for view in VIEWS["sscp"]}
            if name == "no-bias":
                found["joint"]["paws"]["test"]["ap"] -= 9 + seed / 10
            store.write_json(
                project.reports / "ablations" / f"{name}-{seed}.json",
                {
                    "ablation": name,
                    "system": "sscp",
                    "changes": change,
                    "seed": seed,
                    "key": "k",
                    "metrics": found,
                },
            )
