"""Neighbour negatives on vectors made by hand, where the right answer is known."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import yaml

from pipeline.mining.hard_negatives import ceiling
from pipeline.mining.near import with_neighbours
from pipeline.params import Mine
from pipeline.params import parse as parse_params
from pipeline.sentences import Side

DEFAULTS = parse_params(yaml.safe_load((Path(__file__).parents[2] / "params.yaml").read_text())).mine


def params(**neighbours: object) -> Mine:
    rule = DEFAULTS.neighbours.model_copy(
        update={"per_example": 1, "min_score": 0.0, "max_score": 0.95, "margin": 0.05, **neighbours}
    )
    return DEFAULTS.model_copy(update={"neighbours": rule})


def example(anchor: str, positive: str, split: str = "train") -> dict:
    sides = [
        {"text": text, "words": text.split(), "heads": [0] * len(text.split())} for text in (anchor, positive)
    ]
    return {
        "source_id": anchor,
        "split": split,
        "anchor": sides[0],
        "positive": sides[1],
        "positive_kind": "passive",
        "negatives": [],
        "negative_kinds": [],
    }


class Angles:
    """Each text lies at an angle on the unit circle; remembers how often it was asked for each."""

    def __init__(self, degrees: dict[str, float]) -> None:
        self.degrees, self.asked = degrees, Counter[str]()

    def __call__(self, sides: Sequence[Side]) -> np.ndarray:
        self.asked.update(side.text for side in sides)
        angle = np.radians([self.degrees[side.text.lower()] for side in sides])
        return np.stack([np.cos(angle), np.sin(angle)], axis=1).astype(np.float32)


EXAMPLES = [
    example("red fox", "fox red"),
    example("grey wolf", "wolf grey"),
    example("a red fox", "fox a red"),
    example("blue whale", "whale blue"),
    example("green frog", "frog green", "dev"),
]
EMBED = {
    "red fox": 0,
    "fox red": 2,
    "a red fox": 19,
    "fox a red": 20,
    "grey wolf": 40,
    "wolf grey": 41,
    "blue whale": 80,
    "whale blue": 81,
    "green frog": 30,
    "frog green": 30,
}


def negatives(examples: list[dict], rule: Mine) -> tuple[dict[str, list[str]], Counter[str]]:
    dropped: Counter[str] = Counter()
    rows = list(with_neighbours(examples, Angles(EMBED), rule, dropped))
    assert [row["source_id"] for row in rows] == [each["source_id"] for each in examples]
    assert all(len(row["negatives"]) == len(row["negative_kinds"]) for row in rows)
    return {row["source_id"]: [side["text"] for side in row["negatives"]] for row in rows}, dropped


def test_the_nearest_safe_neighbour_of_the_same_split_is_taken() -> None:
    found, dropped = negatives(EXAMPLES, params())
    assert found == {
        "red fox": ["grey wolf"],  # not "a red fox", which contains it
        "grey wolf": ["a red fox"],  # cos 21° = 0.934 under 0.95 * cos 1° = 0.950
        "a red fox": ["grey wolf"],
        "blue whale": ["grey wolf"],
        "green frog": [],  # the only development sentence
    }
    assert dropped["neighbour: one text contains the other"] == 2
    assert dropped["neighbour: examples with too few neighbour negatives"] == 1


def test_the_window_moves_what_is_taken() -> None:
    assert negatives(EXAMPLES, params(max_score=0.8))[0]["grey wolf"] == ["red fox"]
    found, dropped = negatives(EXAMPLES, params(min_score=0.9))
    assert found["blue whale"] == []
    assert dropped["neighbour: under min_score"] > 0
    assert negatives(EXAMPLES, params(rank_from=2))[0]["grey wolf"] == ["blue whale"]


def test_two_negatives_an_example_are_distinct() -> None:
    found, _ = negatives(EXAMPLES, params(per_example=2))
    assert found["grey wolf"] == ["a red fox", "red fox"]


def test_random_sampling_is_a_function_of_the_seed() -> None:
    rule = params(sampling="random", per_example=1)
    assert negatives(EXAMPLES, rule) == negatives(EXAMPLES, rule)


def test_every_distinct_text_is_embedded_once() -> None:
    embed = Angles(EMBED)
    list(with_neighbours([*EXAMPLES, example("Red  fox", "wolf grey")], embed, params(), Counter()))
    assert max(embed.asked.values()) == 1


@pytest.mark.parametrize("texts", [[], [("one", "two")], [("one", "one")]])
def test_degenerate_corpora_get_no_neighbours_and_do_not_crash(texts: list[tuple[str, str]]) -> None:
    embed = Angles({"one": 0, "two": 5})
    rows = list(with_neighbours([example(*pair) for pair in texts], embed, params(), Counter()))
    assert [row["negatives"] for row in rows] == [[] for _ in texts]


def test_margins() -> None:
    positive = np.array([1.0, 0.5], dtype=np.float32)
    absolute = params(margin_kind="absolute", margin=0.1, max_score=0.8).neighbours
    relative = params(margin_kind="relative", margin=0.1, max_score=1.0).neighbours
    np.testing.assert_allclose(ceiling(positive, absolute), [0.8, 0.4])
    np.testing.assert_allclose(ceiling(positive, relative), [0.9, 0.45])
