"""Pairs of texts that models are judged by, each with its gold score or label."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pipeline.core.metrics import average_precision, spearman
from pipeline.core.store import read, rows
from pipeline.evaluation.tasks.contrast import contrast_set
from pipeline.syntax.sentence import Sentence

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


def numbered(sets: Mapping[str, Texts]) -> tuple[list[str], dict[str, Pairs]]:
    """The distinct texts of some sets, and the pairs of each set by the numbers of their texts."""
    texts = sorted({text for pairs in sets.values() for a, b, _ in pairs for text in (a, b)})
    places = {text: place for place, text in enumerate(texts)}
    return texts, {name: Pairs(pairs, places) for name, pairs in sets.items()}


def trees(data: Path) -> dict[str, Sentence]:
    """The parser's tree of every text of a benchmark."""
    return {row["text"]: Sentence.from_row(row) for row in rows(data / "parsed" / "benchmarks")}


def figure(name: str, gold: NDArray[np.float64], similarity: NDArray[np.floating]) -> float:
    """Spearman of an STS set, average precision of another, in points to two decimals."""
    measure = spearman if name.startswith("sts") else average_precision
    return round(measure(gold, similarity), 2)


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


def development_and_blind(data: Path) -> dict[str, Texts]:
    """``development_pairs``, and those of the blind sets that have been read."""
    return development_pairs(data) | contrast_pairs(READ_BEFORE)


def contrast_pairs(tasks: Iterable[str]) -> dict[str, Texts]:
    """The pairs of contrast sets, 1 where they mean the same."""
    return {
        task: [(each.a, each.b, float(each.meaning == "same")) for each in contrast_set(task)]
        for task in tasks
    }


def gold(row: dict[str, object]) -> float:
    return float(str(row["score"] if str(row["task"]).startswith("sts") else row["label"]))
