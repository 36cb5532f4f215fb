"""The share of held-out tag sequences, and edit distances against the textbook recursion."""

from functools import cache
from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pipeline.syntax.similarity import HELD_OUT_SHARE, held_out, normalised_distances
from pipeline.systems.upos.model import UPOS


def test_a_share_of_all_sequences_is_held_out_whatever_their_length() -> None:
    for length, tags in ((2, UPOS), (3, UPOS), (12, UPOS[:2])):
        sequences = list(product(tags, repeat=length))
        share = sum(map(held_out, sequences)) / len(sequences)
        tolerance = 5 * (HELD_OUT_SHARE * (1 - HELD_OUT_SHARE) / len(sequences)) ** 0.5
        assert abs(share - HELD_OUT_SHARE) < tolerance


def test_the_tags_and_their_order_decide_and_nothing_else() -> None:
    sequences = list(product(UPOS[:6], repeat=3))
    assert [held_out(list(tags)) for tags in sequences] == [held_out(tags) for tags in sequences]
    assert any(held_out(tags) != held_out(tags[::-1]) for tags in sequences)


def edits(a: tuple[str, ...], b: tuple[str, ...]) -> int:
    @cache
    def at(i: int, j: int) -> int:
        if not i or not j:
            return i + j
        return min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (a[i - 1] != b[j - 1]))

    return at(len(a), len(b))


@given(st.lists(st.lists(st.sampled_from(UPOS[:4]), max_size=9), max_size=4))
def test_distances_are_exact_float32_quotients(sequences: list[list[str]]) -> None:
    found = normalised_distances(sequences)
    assert found.dtype == np.float32
    assert found.shape == (len(sequences), len(sequences))
    expected = [
        [np.float32(edits((*a,), (*b,))) / np.float32(max(1, len(a), len(b))) for b in sequences]
        for a in sequences
    ]
    assert found.tolist() == np.array(expected, dtype=np.float32).reshape(found.shape).tolist()


def test_what_has_no_tags_is_not_held_out() -> None:
    assert not any(held_out(["X"] * length) for length in range(60))
    assert any(held_out(["X", *["NOUN"] * length]) for length in range(60))
