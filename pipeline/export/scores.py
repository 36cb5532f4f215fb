"""What evaluation measured of a model, reduced to what a card shows."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.store import read_json

# In this order, those that were measured. Everything is on test data, zero-shot.
HEADLINE = (
    ("sts12.test.spearman_all", "STS12 Spearman"),
    ("sts14.test.spearman_all", "STS14 Spearman"),
    ("sts16.test.spearman_all", "STS16 Spearman"),
    ("stsb.test.spearman", "STS-B Spearman"),
    ("stsb.test.spearman_late", "STS-B Spearman, late interaction"),
    ("paws.test.ap", "PAWS-Wiki AP"),
    ("paws.test.ap_late", "PAWS-Wiki AP, late interaction"),
    ("trec.test.accuracy", "TREC accuracy"),
    ("retrieval.test.accuracy", "retrieval among lookalikes, accuracy"),
    ("probe.tree_depth.accuracy", "tree depth probe, accuracy"),
)
BACKBONE = "backbone"


@dataclass(frozen=True)
class Scores:
    """Numbers in points by row (a view, or the untouched backbone) and metric."""

    rows: Mapping[str, Mapping[str, float]]

    def markdown(self) -> str:
        """A table with a row a view; a dash where nothing was measured."""
        shown = [(key, title) for key, title in HEADLINE if any(key in row for row in self.rows.values())]
        lines = [["", *(title for _, title in shown)], ["---", *["---:"] * len(shown)]]
        for name, row in self.rows.items():
            lines.append([name, *(f"{row[key]:.2f}" if key in row else "–" for key, _ in shown)])
        table = "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
        return f"Zero-shot, test data, the vectors as they are; in points, higher is better.\n\n{table}"


def read_scores(reports: Path, system: str, seed: int) -> Scores | None:
    """The scores of a model from ``reports/metrics``, beside the backbone's; None before evaluation."""
    own = reports / "metrics" / f"{system}-{seed}.json"
    if not own.exists():
        return None
    rows = {view: _flat(metrics) for view, metrics in sorted(read_json(own).items())}
    untouched = reports / "metrics" / f"{BACKBONE}.json"
    if untouched.exists():
        rows["backbone, untouched"] = _flat(read_json(untouched).get("semantic", {}))
    return Scores(rows)


def _flat(tree: Mapping[str, Any], prefix: str = "") -> dict[str, float]:
    found: dict[str, float] = {}
    for name, value in tree.items():
        if isinstance(value, Mapping):
            found |= _flat(value, f"{prefix}{name}.")
        elif isinstance(value, int | float):
            found[prefix + name] = float(value)
    return found
