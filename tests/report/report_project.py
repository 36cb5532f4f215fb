"""Small projects as the other stages leave them: runs of two systems, benchmarks, trees, variants."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.core import schemas, store
from pipeline.core.metrics import average_precision, spearman
from pipeline.evaluation.records import EXAMPLE_SCORE, NEIGHBOUR, PROJECTION, SIMILARITY
from pipeline.params import Params, load_all

ROOT = Path(__file__).parents[2]
VIEWS = {"backbone": ["semantic"], "simcse": ["semantic"], "sscp": ["semantic", "syntactic", "joint"]}
HTML = "<script>alert(1)</script>"


def parse_row(words: str, upos: str, heads: Sequence[int], deprels: str) -> dict[str, Any]:
    tokens = words.split()
    return {
        "text": words,
        "words": tokens,
        "space_after": [True] * len(tokens),
        "lemmas": tokens,
        "upos": upos.split(),
        "xpos": [""] * len(tokens),
        "feats": [""] * len(tokens),
        "heads": list(heads),
        "deprels": deprels.split(),
    }


ACTIVE = parse_row("Dogs chase cats", "NOUN VERB NOUN", [2, 0, 2], "nsubj root obj")
PASSIVE = parse_row(
    "Cats are chased by dogs", "NOUN AUX VERB ADP NOUN", [3, 3, 0, 5, 3], "nsubj:pass aux:pass root case obl"
)
SWAPPED = parse_row("Cats chase dogs", "NOUN VERB NOUN", [2, 0, 2], "nsubj root obj")
MARKUP = parse_row(f"Dogs chase {HTML}", "NOUN VERB X", [2, 0, 2], "nsubj root obj")
HEBREW = parse_row("הכלב רודף אחרי החתול", "NOUN VERB ADP NOUN", [2, 0, 4, 2], "nsubj root case obl")


class Project:
    """Writes the inputs of the report below a folder."""

    def __init__(self, root: Path) -> None:
        self.root, self.data, self.models, self.reports = (
            root,
            root / "data",
            root / "models",
            root / "reports",
        )

    def params(self, systems: Sequence[str], seeds: Sequence[int]) -> Params:
        params = load_all(ROOT / "params.yaml")
        return params.model_copy(update={"systems": list(systems), "seeds": list(seeds)})

    def metrics(self, run: str, metrics: Mapping[str, Any]) -> None:
        store.write_json(self.reports / "metrics" / f"{run}.json", metrics)

    def curve(self, run: str, name: str, points: Sequence[tuple[float, float]]) -> None:
        path = self.reports / "curves" / run / "plots" / "metrics" / f"{name}.tsv"
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [f"step\t{path.stem}", *(f"{step}\t{value}" for step, value in points)]
        path.write_text("\n".join(lines) + "\n")

    def evaluation(
        self, run: str, views: Sequence[str], sentences: int = 4, text: str = "Dogs chase cats"
    ) -> None:
        rng = np.random.default_rng(len(run))
        folder = self.reports / "evaluation" / run
        similarities = [
            {"view": view, "kind": kind, "similarity": float(np.clip(rng.normal(mean, 0.1), -1, 1))}
            for view in views
            for kind, mean in (("same", 0.9), ("different", 0.8), ("random", 0.1))
            for _ in range(50)
        ]
        store.write_rows(folder / "similarities.arrow", similarities, SIMILARITY)
        points = []
        for view in views:
            for number in range(sentences):
                centre = rng.normal(size=16 if view == "joint" else 8)
                for role in ("anchor", "variant", "negative"):
                    vector = centre + rng.normal(scale=0.1, size=len(centre))
                    points.append(
                        {
                            "view": view,
                            "role": role,
                            "source_id": f"s{number}",
                            "transformation": "" if role == "anchor" else "passive",
                            "text": text,
                            "embedding": vector.tolist(),
                        }
                    )
        store.write_rows(folder / "projection.arrow", points, PROJECTION)

    def sentences(self, rows: Mapping[str, Mapping[str, Any]]) -> None:
        common = {"doc_id": "d", "lang": "en", "split": "test"}
        written = [{"sent_id": key, **common, **row} for key, row in rows.items()]
        store.write_rows(self.data / "parsed" / "corpus" / "part-00000.arrow", written, schemas.SENTENCE)

    def variants(self, rows: Sequence[tuple[str, str, str, Mapping[str, Any], Sequence[int]]]) -> None:
        written = [
            {
                "source_id": source,
                "split": "test",
                "transformation": transformation,
                "meaning": meaning,
                "alignment": list(alignment),
                **row,
            }
            for source, transformation, meaning, row, alignment in rows
        ]
        store.write_rows(self.data / "augmented" / "part-00000.arrow", written, schemas.VARIANT)


def metrics_of(view: str, base: float, benchmarks: bool = True) -> dict[str, Any]:
    scores: dict[str, Any] = {
        "retrieval": {"test": {"accuracy": base, "mrr": base + 5}},
        "alignment": {"test": {"alignment": base / 1000, "uniformity": -2.5, "cosine_same": 90.0}},
        "probe": {"tree_depth": {"accuracy": base - 10, "majority": 25.0}},
    }
    if benchmarks:
        scores["stsb"] = {"dev": {"spearman": 99.0}, "test": {"spearman": base + 1}}
        scores["paws"] = {"test": {"ap": base, "accuracy_dev_threshold": base, "accuracy_logistic": base}}
    return scores


SCORED_VIEWS = {
    "backbone": ["semantic", "structural_agreement", "bag_of_words"],
    "simcse": ["semantic"],
    "sscp": ["semantic", "syntactic", "joint", "late"],
}
PAIRS = 200
SKILL = {"backbone": 0.5, "simcse": 0.45, "sscp": 0.9}  # how much of gold a system's scores hold


def scored(system: str, seed: int | None, view: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
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
    if view not in ("late", "structural_agreement"):
        metrics["probe"] = {}
        for probe in ("tree_depth", "subject_number"):
            right = (rng.uniform(size=PAIRS) < 0.4 + skill / 4).astype(float)
            metrics["probe"][probe] = {"accuracy": round(100 * right.mean(), 2), "majority": 30.0}
            keep(f"probe.{probe}", "accuracy", None, right, paired=False)
    return metrics, rows


def fill(project: Project, seeds: Sequence[int], text: str = "Dogs chase cats") -> None:
    """Give the project runs of every system from these seeds, with all that the report can show."""
    for system, views in SCORED_VIEWS.items():
        for seed in [None] if system == "backbone" else seeds:
            run = system if seed is None else f"{system}-{seed}"
            found = {view: scored(system, seed, view) for view in views}
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
            store.write_json(project.reports / "cost" / run / "cost.json", cost)
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
    changes = {"full": {}, "no-bias": {"sscp.bias": "none"}, "no-distillation": {"sscp.distillation": 0.0}}
    for name, change in changes.items():
        for seed in seeds:
            found = {view: scored("sscp", seed, view)[0] for view in SCORED_VIEWS["sscp"]}
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
