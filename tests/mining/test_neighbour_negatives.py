"""Neighbour negatives: on angles chosen by hand, where the right answer is known."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from small_corpus import params as defaults
from small_corpus import parse

from pipeline.mining.examples import example as row
from pipeline.mining.nearest import Neighbours, top_k
from pipeline.mining.neighbour_negatives import score_ceiling, select, with_neighbours
from pipeline.mining.paraphrases import PairOf
from pipeline.params import Mine
from pipeline.syntax.sentence import Side


def params(**neighbours: object) -> Mine:
    return defaults(
        neighbours={"per_example": 1, "min_score": 0.0, "max_score": 0.95, "margin": 0.05, **neighbours}
    )


def example(anchor: str, positive: str, split: str = "train") -> dict:
    return row({"sent_id": anchor, "split": split, **parse(anchor).row()}, parse(positive).row(), "passive")


class Angles:
    """Puts each text at an angle on the unit circle, and counts how often each is embedded."""

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
    "blue whale": 82,
    "whale blue": 83,
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


def test_scores_at_the_ends_of_the_window_are_within() -> None:
    rule = params(
        per_example=4, min_score=0.25, max_score=0.75, margin=0.0, rank_from=0, rank_to=4
    ).neighbours
    scores = np.array([[0.76, 0.75, 0.25, 0.24]], dtype=np.float32)
    found = Neighbours(np.arange(4)[None], scores)
    chosen, refused = select(found, np.ones(1, dtype=np.float32), rule, lambda query, row: None)
    assert chosen.tolist() == [[1, 2, -1, -1]]
    assert (refused["too near the positive's score"], refused["under min_score"]) == (1, 1)


def test_neighbours_that_are_not_there_are_refused_for_no_reason() -> None:
    rule = params(per_example=2, min_score=0.25, max_score=0.75, margin=0.0, rank_to=3).neighbours
    found = Neighbours(
        np.array([[4, -1, -1], [5, 6, -1], [-1, -1, -1]]),
        np.array([[0.5, -np.inf, -np.inf], [0.5, 0.4, -np.inf], [-np.inf] * 3], dtype=np.float32),
    )
    chosen, refused = select(found, np.ones(3, dtype=np.float32), rule, lambda query, row: None)
    assert chosen.tolist() == [[4, -1], [5, 6], [-1, -1]]
    assert +refused == {"examples with too few neighbour negatives": 2}


def test_two_negatives_an_example_are_distinct() -> None:
    found, _ = negatives(EXAMPLES, params(per_example=2))
    assert found["grey wolf"] == ["a red fox", "red fox"]


def test_a_neighbour_that_is_a_negative_already_comes_once_and_is_counted() -> None:
    wolf = EXAMPLES[1]["anchor"]
    given = [row({"sent_id": "red fox", "split": "train", **parse("red fox").row()}, parse("fox red").row(),
                 "passive", [(wolf, "swap")]), *EXAMPLES[1:]]  # fmt: skip
    counts: Counter[str] = Counter()
    first = next(iter(with_neighbours(given, Angles(EMBED), params(), counts)))
    assert [side["text"] for side in first["negatives"]] == ["grey wolf"]
    assert first["negative_kinds"] == ["swap"]
    assert counts["neighbour: a negative already"] == 1


def test_above_the_given_number_of_sentences_an_index_is_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four distinct anchors to train on; what it finds is taken as it comes."""
    asked = []

    def indexed(queries: np.ndarray, corpus: np.ndarray, k: int, *, own: np.ndarray) -> Neighbours:
        asked.append(len(corpus))
        return top_k(queries, corpus, k, own=own)

    monkeypatch.setattr("pipeline.mining.neighbour_negatives.indexed_top_k", indexed)
    exact = negatives(EXAMPLES, params(index_above=4))
    assert asked == []
    assert negatives(EXAMPLES, params(index_above=3)) == exact
    assert asked == [4]


def test_more_ranks_than_there_are_sentences_cost_no_memory() -> None:
    """A search for a billion neighbours would reserve room for them, for each query."""
    few = negatives(EXAMPLES, params(rank_to=20))
    assert negatives(EXAMPLES, params(rank_to=10**12)) == few


def test_every_distinct_text_is_embedded_once() -> None:
    embed = Angles(EMBED)
    list(with_neighbours([*EXAMPLES, example("Red  fox", "wolf grey")], embed, params(), Counter()))
    assert max(embed.asked.values()) == 1


@pytest.mark.parametrize("texts", [[], [("one", "two")], [("one", "one")]])
def test_degenerate_corpora_get_no_neighbours_and_do_not_crash(texts: list[tuple[str, str]]) -> None:
    embed = Angles({"one": 0, "two": 5})
    rows = list(with_neighbours([example(*pair) for pair in texts], embed, params(), Counter()))
    assert [row["negatives"] for row in rows] == [[] for _ in texts]


def test_no_neighbour_of_the_same_pair_and_none_that_is_a_positive_elsewhere() -> None:
    one = [*EXAMPLES[:2], example("a red fox", "grey wolf"), *EXAMPLES[3:]]
    found, dropped = negatives(one, params(margin=0.0))
    assert "grey wolf" not in found["a red fox"]  # its own positive, which is another example's anchor
    assert "a red fox" not in found["grey wolf"]
    assert dropped["neighbour: known paraphrase"] > 0
    pair_of = PairOf()
    pair_of.add("red fox", 3)
    pair_of.add("grey wolf", 3)
    counts: Counter[str] = Counter()
    rows = list(with_neighbours(EXAMPLES, Angles(EMBED), params(), counts, pair_of))
    assert [side["text"] for side in rows[0]["negatives"]] == ["blue whale"]
    assert counts["neighbour: shared pair_id"] > 0


def test_nearly_equal_words_in_one_structure_are_a_near_copy() -> None:
    a, b = "one two three four five six seven eight nine", "one two three four five six seven eight ten"
    angles = Angles({a: 0, b: 20, "p": 1, "q": 21})
    counts: Counter[str] = Counter()
    rows = list(with_neighbours([example(a, "p"), example(b, "q")], angles, params(), counts))
    assert [row["negatives"] for row in rows] == [[], []]
    assert counts["neighbour: near copy"] == 2


def test_the_margin_is_a_share_of_the_positives_score_and_max_score_a_cap() -> None:
    positive = np.array([1.0, 0.5], dtype=np.float32)
    np.testing.assert_allclose(
        score_ceiling(positive, params(margin=0.1, max_score=1.0).neighbours), [0.9, 0.45]
    )
    np.testing.assert_allclose(
        score_ceiling(positive, params(margin=0.1, max_score=0.8).neighbours), [0.8, 0.45]
    )
    assert score_ceiling(np.zeros(0, np.float32), params().neighbours).shape == (0,)


def test_what_may_say_the_same_as_the_positive_is_no_negative_of_the_anchor() -> None:
    examples = [example("red fox", "grey wolf runs"), example("grey wolf", "wolf grey")]
    angles = Angles({"red fox": 0, "grey wolf runs": 5, "grey wolf": 40, "wolf grey": 41})
    counts: Counter[str] = Counter()
    rows = list(with_neighbours(examples, angles, params(), counts))
    assert [[side["text"] for side in row["negatives"]] for row in rows] == [[], ["red fox"]]
    assert counts["neighbour: one text contains the other"] == 1
