"""Near copies and contamination against brute force."""

import itertools

import numpy as np

from pipeline.corpora.duplicates import PERMUTATIONS, Contamination, near_duplicates, sign

VOCABULARY = [f"word{n}" for n in range(400)]


def corpus(rng: np.random.Generator, texts: int) -> list[list[str]]:
    """Random texts, half of them an earlier one with a few words changed."""
    made: list[list[str]] = []
    for n in range(texts):
        if n % 2 and made:
            copy = list(made[rng.integers(len(made))])
            for place in rng.integers(len(copy), size=rng.integers(4)):
                copy[place] = str(rng.choice(VOCABULARY))
            made.append(copy)
        else:
            made.append([str(word) for word in rng.choice(VOCABULARY, size=60)])
    return made


def jaccard(a: list[str], b: list[str]) -> float:
    sets = [{*text, *(f"{x} {y}" for x, y in itertools.pairwise(text))} for text in (a, b)]
    return len(sets[0] & sets[1]) / len(sets[0] | sets[1])


def signed(texts: list[list[str]]) -> np.ndarray:
    return np.stack([sign(text) for text in texts])


def test_signatures_estimate_jaccard() -> None:
    texts = corpus(np.random.default_rng(1), 200)
    signatures = signed(texts)
    pairs = [(i, j) for i, j in itertools.combinations(range(200), 2) if jaccard(texts[i], texts[j]) > 0.2]
    errors = [jaccard(texts[i], texts[j]) - (signatures[i] == signatures[j]).mean() for i, j in pairs]
    assert len(pairs) > 50
    assert abs(np.mean(errors)) < 0.02
    assert np.std(errors) < 1.5 / np.sqrt(PERMUTATIONS)


def test_near_duplicates_against_all_pairs() -> None:
    texts = corpus(np.random.default_rng(2), 300)
    signatures = signed(texts)
    unit = np.arange(300, dtype=np.uint64)
    found = near_duplicates(signatures, np.ones(300, dtype=bool), unit, 0.8)
    likeness = np.array([max((jaccard(texts[i], texts[j]) for i in range(j)), default=0) for j in range(300)])
    clear = (likeness > 0.9) | (likeness < 0.68)  # the estimate may err between
    assert clear.sum() > 200
    assert (likeness[clear] > 0.8).sum() > 40
    np.testing.assert_array_equal(found[clear], likeness[clear] > 0.8)


BENCHMARK = [
    "A man is playing a large flute in the park on a sunny day.",
    "Kathy and her husband are doing well financially. They live in a small house by the river.",
    "What is it?",
]


def test_contamination_exact_and_near() -> None:
    index = Contamination(BENCHMARK, 0.7)
    assert index.holds("a man is playing a large flute in the park on a sunny day")
    assert index.holds("They live in a small house by the river.")
    assert index.holds("A man is playing a large flute in the park on a rainy day.")
    assert not index.holds("A woman is eating an apple in the garden of her house at night.")
    assert not index.holds("What is it?")  # too short: it occurs everywhere
    exact = Contamination(BENCHMARK, None)
    assert exact.holds(BENCHMARK[0])
    assert not exact.holds("A man is playing a large flute in the park on a rainy day.")
    assert not Contamination([], 0.7).holds(BENCHMARK[0])


def test_contaminated_sentences_are_cut_out() -> None:
    index = Contamination(BENCHMARK, 0.8)
    text = f"The flute is old. {BENCHMARK[0]} It was made of wood."
    assert index.cleaned(text) == ("The flute is old. It was made of wood.", 1)
    lines = f"A heading\nThe flute is old. {BENCHMARK[0]}\n{BENCHMARK[0]}\nIt was made of wood. It is here."
    assert index.cleaned(lines) == ("A heading\nThe flute is old.\nIt was made of wood. It is here.", 2)
    assert index.cleaned(f"One.\n\n{BENCHMARK[0]}\nTwo.") == ("One.\n\nTwo.", 1)
    assert index.cleaned("Nothing to find\nin here.") == ("Nothing to find\nin here.", 0)
