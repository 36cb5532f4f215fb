"""The similarity join against all pairs."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from pipeline.mining.overlap import jaccard, overlapping

WORD_SETS = st.lists(st.frozensets(st.sampled_from("abcdefgh"), max_size=6), max_size=14)


@given(WORD_SETS, st.sampled_from([0.2, 1 / 3, 0.5, 0.6, 0.75, 0.8, 1.0]))
def test_the_join_finds_exactly_the_pairs_of_brute_force(
    texts: list[frozenset[str]], threshold: float
) -> None:
    expected = {
        (a, b)
        for a, b in itertools.combinations(range(len(texts)), 2)
        if texts[a] and jaccard(texts[a], texts[b]) >= threshold - 1e-9
    }
    found = list(overlapping(texts, threshold))
    assert {(pair.a, pair.b) for pair in found} == expected
    assert len(found) == len(expected)
    assert all(pair.jaccard == jaccard(texts[pair.a], texts[pair.b]) for pair in found)
