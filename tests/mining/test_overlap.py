"""Pairs of similar word sets: the exact join against brute force, hashing against the exact join."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.mining import overlap
from pipeline.mining.overlap import SimilarPair, WordSets, hashed_pairs, jaccard, similar_pairs

WORD_SETS = st.lists(st.frozensets(st.sampled_from("abcdefgh"), max_size=6), max_size=14)


@settings(max_examples=30)
@given(WORD_SETS, st.sampled_from([0.2, 1 / 3, 0.5, 0.6, 0.75, 0.8, 1.0]))
def test_the_join_finds_exactly_the_pairs_of_brute_force(
    texts: list[frozenset[str]], threshold: float
) -> None:
    expected = {
        (a, b)
        for a, b in itertools.combinations(range(len(texts)), 2)
        if texts[a] and jaccard(texts[a], texts[b]) >= threshold - 1e-9
    }
    found = list(similar_pairs(word_sets(texts), threshold))
    assert {(pair.a, pair.b) for pair in found} == expected
    assert len(found) == len(expected)
    assert all(pair.jaccard == jaccard(texts[pair.a], texts[pair.b]) for pair in found)
    assert found == sorted(found, key=lambda pair: (pair.b, pair.a))


def word_sets(texts: list[frozenset[str]]) -> WordSets:
    numbers: dict[str, int] = {}
    rows = [sorted(numbers.setdefault(word, len(numbers)) for word in sorted(words)) for words in texts]
    flat = np.array([number for row in rows for number in row], dtype=np.int32)
    return WordSets(flat, np.cumsum([0, *map(len, rows)]))


def sentences(count: int, seed: int) -> list[frozenset[str]]:
    """Random word sets; every third one is another with some words exchanged."""
    rng = np.random.default_rng(seed)
    made: list[frozenset[str]] = [frozenset()]
    for number in range(count):
        words = {f"w{word}" for word in rng.zipf(1.3, size=rng.integers(4, 25)) if word < 5000}
        if number % 3 == 2:
            kept = sorted(made[-1])[int(rng.integers(0, 4)) :]
            words = {*kept, *(f"n{word}" for word in rng.integers(0, 500, size=2))}
        made.append(frozenset(words))
    return made


def test_hashing_finds_nearly_all_pairs_and_no_false_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overlap, "_CHUNK", 300)  # several chunks
    monkeypatch.setattr(overlap, "WINDOW", 40)
    texts = sentences(600, 1)
    sets = word_sets(texts)
    expected = {(a, b): score for a, b, score in similar_pairs(sets, 0.6)}
    found = list(hashed_pairs(sets, 0.6, seed=5))
    assert len({(a, b) for a, b, _ in found}) == len(found)
    for a, b, score in found:
        assert score == pytest.approx(expected[a, b])
    assert len(found) > 0.97 * len(expected) > 50
    assert found == list(hashed_pairs(sets, 0.6, seed=5))


def simple_hashed_pairs(sets: WordSets, threshold: float, seed: int) -> list[SimilarPair]:
    """All pairs of a band at once, in lists and sets of Python."""
    rng = np.random.default_rng(seed)
    words = [set(each.tolist()) for each in np.split(sets.words, sets.starts[1:-1])]
    filled = np.flatnonzero(np.diff(sets.starts)).astype(np.int32)
    found: list[SimilarPair] = []
    known: set[tuple[int, int]] = set()
    for _ in range(overlap.BANDS):
        buckets: dict[int, list[int]] = {}
        for number, key in zip(filled.tolist(), overlap._band_keys(sets, filled, rng).tolist(), strict=True):
            buckets.setdefault(key, []).append(number)
        pairs = {
            (one, other)
            for bucket in buckets.values()
            for place, one in enumerate(bucket)
            for other in bucket[place + 1 : place + 1 + overlap.WINDOW]
        }
        for a, b in sorted(pairs - known):
            similarity = len(words[a] & words[b]) / len(words[a] | words[b])
            if similarity >= threshold - 1e-9:
                known.add((a, b))
                found.append(SimilarPair(a, b, similarity))
    return found


@given(
    st.lists(st.frozensets(st.sampled_from("abcdefgh"), max_size=6), min_size=2, max_size=30),
    st.sampled_from([1, 7, 2**15]),
    st.sampled_from([1, 9, 2**20]),
    st.sampled_from([1, 2, 16]),
)
def test_hashing_in_blocks_finds_the_pairs_of_the_simple_form_in_their_order(
    texts: list[frozenset[str]], sets_at_once: int, words_at_once: int, window: int
) -> None:
    sets = word_sets(texts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(overlap, "WINDOW", window)
        expected = simple_hashed_pairs(sets, 0.5, 3)
        patch.setattr(overlap, "_PAIRS", sets_at_once)
        patch.setattr(overlap, "_CHUNK", words_at_once)
        assert list(hashed_pairs(sets, 0.5, 3)) == expected


@pytest.mark.parametrize("texts", [[], [frozenset()], [frozenset("a")], [frozenset(), frozenset("a")]])
def test_hashing_nothing_finds_nothing(texts: list[frozenset[str]]) -> None:
    assert list(hashed_pairs(word_sets(texts), 0.6, seed=5)) == []


def test_hashing_many_equal_sets_is_linear() -> None:
    found = list(hashed_pairs(word_sets([frozenset("abc")] * 500), 0.6, seed=5))
    assert 499 <= len(found) <= overlap.WINDOW * 500


def test_hashing_tells_sets_of_high_numbers_apart() -> None:
    """A pair of sets is one number of 64 bits, and half of them is one set's."""
    high, low = frozenset("abc"), frozenset("xyz")
    sets = word_sets([high, low, *[frozenset()] * 2**16, high, low])
    found = {(pair.a, pair.b) for pair in hashed_pairs(sets, 0.6, seed=5)}
    assert found == {(0, 2**16 + 2), (1, 2**16 + 3)}


def test_hashing_finds_the_share_of_pairs_that_its_bands_promise() -> None:
    """1 - (1 - s**ROWS)**BANDS: more would mean that many sets are compared that have little in common."""
    texts = []
    for number in range(1_000):
        words = [f"{number} {place}" for place in range(8)]
        texts += [frozenset(words[:6]), frozenset(words[2:])]  # 4 of 8 words are shared
    found = len(list(hashed_pairs(word_sets(texts), 0.5, seed=5)))
    assert found / 1_000 == pytest.approx(1 - (1 - 0.5**overlap.ROWS) ** overlap.BANDS, abs=0.04)


def test_a_size_at_the_bound_is_not_lost_to_rounding() -> None:
    """0.56 * 25 is 14.000000000000002 in floating point; a set of 14 of the 25 words is similar enough."""
    words = frozenset(map(str, range(25)))
    some = frozenset(map(str, range(14)))
    assert 0.56 * len(words) > len(some)
    assert list(similar_pairs(word_sets([words, some]), 0.56)) == [SimilarPair(0, 1, 0.56)]


def test_texts_without_a_word_share_none() -> None:
    """Two marks, such as ? and !, are no near copies."""
    assert jaccard(frozenset(), frozenset()) == 0.0
