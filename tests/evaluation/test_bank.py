from collections.abc import Sequence

import numpy as np
import pytest
from small_world import BagOfHashes, Broken

from pipeline.errors import SynsemError
from pipeline.evaluation.bank import Bank
from pipeline.evaluation.embedders import Vectors
from pipeline.sentences import HasTree, Side


def sides(*texts: str) -> list[Side]:
    return [Side(text, text.split(), list(range(len(text.split())))) for text in texts]


def test_every_text_goes_through_the_model_once_and_order_is_kept() -> None:
    model = BagOfHashes()
    bank = Bank(model)
    first = bank(sides("a b", "c", "a b"))["semantic"]
    again = bank(sides("c", "d", "a b"))["semantic"]
    assert model.seen == ["a b", "c", "d"]
    assert bank.embedded == 3
    np.testing.assert_array_equal(first[0], first[2])
    np.testing.assert_array_equal(again[[0, 2]], first[[1, 0]])


def test_nan_is_one_clear_line_that_names_the_text() -> None:
    with pytest.raises(
        SynsemError, match=r"1 of 2 embeddings hold NaN or infinity, first for 'she sings well'"
    ):
        Bank(Broken())(sides("he reads", "she sings well"))


class Growing:
    width = 3

    def embed(self, sentences: Sequence[HasTree]) -> Vectors:
        self.width += 1
        return {"semantic": np.ones((len(sentences), self.width), dtype=np.float32)}


def test_a_model_of_changing_width_is_refused() -> None:
    bank = Bank(Growing())
    bank(sides("a"))
    with pytest.raises(SynsemError, match="widths changed between two calls"):
        bank(sides("b"))


class Short:
    def embed(self, sentences: Sequence[HasTree]) -> Vectors:
        return {"semantic": np.ones((len(sentences) - 1, 4), dtype=np.float32)}


def test_a_model_that_loses_sentences_is_refused() -> None:
    with pytest.raises(SynsemError, match=r"returned shape \[1, 4\] for 2 sentences"):
        Bank(Short())(sides("a", "b"))
