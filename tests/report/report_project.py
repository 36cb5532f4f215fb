"""A small project as the other stages would have left it: two systems, seeds, benchmarks, trees, variants."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pipeline import store
from pipeline.evaluation.records import PROJECTION, SIMILARITY
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

    def curve(self, run: str, name: str, points: Sequence[tuple[int, float]]) -> None:
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
        store.write_rows(self.data / "parsed" / "corpus" / "part-00000.arrow", written, store.SENTENCE)

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
        store.write_rows(self.data / "augmented" / "part-00000.arrow", written, store.VARIANT)


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
