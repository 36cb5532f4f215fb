"""Every text is embedded once and every pair scored once."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_world import BagOfHashes, Broken, Late, sides

from pipeline.core.errors import SynsemError
from pipeline.evaluation.embeddings import Embeddings
from pipeline.syntax.sentence import Sentence


@settings(max_examples=30, deadline=None)
@given(st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=6), max_size=5))
def test_each_text_once_and_the_order_kept(calls: list[list[str]]) -> None:
    model = BagOfHashes()
    embeddings = Embeddings(model)
    for texts in calls:
        found = embeddings(sides(*texts))
        if texts:
            np.testing.assert_array_equal(found["semantic"], BagOfHashes().embed(sides(*texts))["semantic"])
    assert model.seen == list(dict.fromkeys(text for texts in calls for text in texts))
    assert len(embeddings) == len(model.seen)


class FirstIsLonger(Late):
    """Scores 1 if the first text is the longer one: a pair turned round is another pair."""

    def late_scores(self, a: Sequence[Sentence], b: Sequence[Sentence]) -> np.ndarray:
        self.pairs += [(x.text, y.text) for x, y in zip(a, b, strict=True)]
        return np.array([len(x.text) > len(y.text) for x, y in zip(a, b, strict=True)], dtype=np.float32)


def test_each_pair_is_scored_once_in_its_order() -> None:
    model = FirstIsLonger()
    embeddings = Embeddings(model)
    first, second, late = embeddings.pairs(sides("a b", "c", "a b"), sides("a", "c d", "a"))
    assert late is not None
    assert late.tolist() == [1, 0, 1]
    _, _, turned = embeddings.pairs(sides("a", "a b"), sides("a b", "a"))
    assert turned is not None
    assert turned.tolist() == [0, 1]
    assert model.pairs == [("a b", "a"), ("c", "c d"), ("a", "a b")]
    np.testing.assert_array_equal(
        first["semantic"], BagOfHashes().embed(sides("a b", "c", "a b"))["semantic"]
    )
    np.testing.assert_array_equal(second["semantic"], BagOfHashes().embed(sides("a", "c d", "a"))["semantic"])
    assert Embeddings(BagOfHashes()).pairs(sides("a"), sides("b"))[2] is None


class NanScores(Late):
    def late_scores(self, a: Sequence[Sentence], b: Sequence[Sentence]) -> np.ndarray:
        return np.array([np.nan if "sings" in x.text else 0 for x in a], dtype=np.float32)


def test_nan_names_its_text() -> None:
    with pytest.raises(SynsemError, match=r"1 of 2 .* first for 'she sings well'"):
        Embeddings(Broken())(sides("he reads", "she sings well"))
    with pytest.raises(SynsemError, match=r"1 of 2 .* first for 'she sings'"):
        Embeddings(NanScores()).pairs(sides("he", "she sings"), sides("x", "y"))
