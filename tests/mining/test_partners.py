"""Lists of numbers by sentence, against a dictionary of lists; groups against one as well."""

import pickle
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.mining.partners import Partners, groups

PLACES = st.integers(0, 12)


@given(st.lists(st.tuples(PLACES, PLACES, st.integers(-1, 2**31 - 1))))
def test_a_sentence_has_what_was_added_to_it_in_order(given_rows: list[tuple[int, int, int]]) -> None:
    partners, expected = Partners(2), defaultdict(list)
    for owner, *numbers in given_rows:
        partners.add(owner, *numbers)
        expected[owner].append(tuple(numbers))
    assert len(partners) == len(given_rows)
    assert {owner: partners[owner] for owner in range(14) if partners[owner]} == expected
    assert len(partners) == len(given_rows)


@given(st.lists(st.tuples(PLACES, PLACES)), PLACES, PLACES)
def test_a_part_has_what_was_added_to_its_sentences(
    given_rows: list[tuple[int, int]], first: int, stop: int
) -> None:
    partners = Partners()
    for owner, number in given_rows:
        partners.add(owner, number)
    part = pickle.loads(pickle.dumps(partners.between(first, stop)))
    for owner in range(14):
        assert part[owner] == (partners[owner] if first <= owner < stop else [])


def test_a_tuple_of_another_width_is_refused() -> None:
    with pytest.raises(ValueError, match="2 numbers for 1"):
        Partners().add(0, 1, 2)


@given(st.lists(st.integers(0, 5)))
def test_groups_are_those_of_a_dictionary(keys: list[int]) -> None:
    expected = defaultdict(list)
    for place, key in enumerate(keys):
        expected[key].append(place)
    found = [each.tolist() for each in groups(np.array(keys, dtype=np.uint64))]
    assert found == list(expected.values())
