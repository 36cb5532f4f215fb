"""Pairs of texts that models are judged by, each with its gold score or label."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pipeline.core.store import read
from pipeline.evaluation.tasks.contrast import contrast_set

# Development data: task of the benchmarks, split, and how many of its pairs.
SETS = {
    "paws.dev": ("paws-wiki", "dev", 4000),
    "stsb.dev": ("stsb", "dev", None),
    "qqp.dev": ("qqp", "dev", 1500),
}
CONTRASTS = ("contrast", "contrast_dev")
# Blind sets that have been read by choices, and so are development data.
READ_BEFORE = ("contrast_blind", *(f"contrast_blind_{number}" for number in (2, 3, 4, 5, 6)))
# The others, for the end.
BLIND = ("contrast_blind_7", "contrast_blind_8")
Texts = list[tuple[str, str, float]]


class Pairs:
    """Pairs of texts with their gold scores or labels, by the numbers of their texts."""

    def __init__(self, pairs: Texts, places: dict[str, int]) -> None:
        self.a = np.array([places[a] for a, _, _ in pairs])
        self.b = np.array([places[b] for _, b, _ in pairs])
        self.gold = np.array([gold for _, _, gold in pairs])

    def similarity(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Inner products, float32 [pairs], of vectors [texts, D]."""
        return (vectors[self.a] * vectors[self.b]).sum(axis=1)


def development_pairs(data: Path) -> dict[str, Texts]:
    """The pairs of each development set but the blind ones, by its name."""
    table = read(data / "benchmarks").to_pylist()
    sets = {
        name: [
            (row["a"], row["b"], gold(row)) for row in table if (row["task"], row["split"]) == (task, split)
        ][:most]
        for name, (task, split, most) in SETS.items()
    }
    return sets | contrast_pairs(CONTRASTS)


def contrast_pairs(tasks: Iterable[str]) -> dict[str, Texts]:
    """The pairs of contrast sets, 1 where they mean the same."""
    return {
        task: [(each.a, each.b, float(each.meaning == "same")) for each in contrast_set(task)]
        for task in tasks
    }


def gold(row: dict[str, object]) -> float:
    return float(str(row["score"] if str(row["task"]).startswith("sts") else row["label"]))
