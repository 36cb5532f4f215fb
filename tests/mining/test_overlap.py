"""Corpus sentences of the same words in another structure become negatives."""

import itertools
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_corpus import Doc, dropped, mined

from pipeline.mining import filter as filtering
from pipeline.mining import negatives
from pipeline.mining.filter import jaccard, may_mean_the_same, tree_similarity
from pipeline.mining.inputs import Row
from pipeline.mining.negatives import similar_pairs
from pipeline.syntax.sentence import Sentence

WORD_SETS = st.lists(st.frozensets(st.sampled_from("abcdefgh"), max_size=6), max_size=14)


def numbered(texts: list[frozenset[str]]) -> list[list[int]]:
    numbers: dict[str, int] = {}
    return [[numbers.setdefault(word, len(numbers)) for word in sorted(words)] for words in texts]


def brute_force(texts: list[frozenset[str]], threshold: float) -> list[tuple[int, int]]:
    found = [
        (a, b)
        for a, b in itertools.combinations(range(len(texts)), 2)
        if texts[a] and jaccard(texts[a], texts[b]) >= threshold - 1e-9
    ]
    return sorted(found, key=lambda pair: pair[::-1])


@settings(max_examples=30)
@given(WORD_SETS, st.sampled_from([0.2, 1 / 3, 0.5, 0.6, 0.75, 1.0]), st.sampled_from([1, 3, 100]))
def test_all_pairs_are_those_of_brute_force(
    texts: list[frozenset[str]], threshold: float, block: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(negatives, "_BLOCK", block)
        assert list(similar_pairs(numbered(texts), threshold, 13)) == brute_force(texts, threshold)


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
    monkeypatch.setattr(negatives, "EXACT_UP_TO", 0)
    monkeypatch.setattr(negatives, "WINDOW", 40)
    texts = sentences(300, 1)
    expected = brute_force(texts, 0.6)
    found = list(similar_pairs(numbered(texts), 0.6, 5))
    assert set(found) <= set(expected)
    assert len(found) > 0.97 * len(expected) > 30
    assert found == sorted(set(found), key=lambda pair: pair[::-1])
    monkeypatch.setattr(negatives, "_BLOCK", 100)
    assert list(similar_pairs(numbered(texts), 0.6, 5)) == found


def anchors(folder: Path, documents: list[Doc], **changes: object) -> dict[str, list[str]]:
    found = mined("sscp", folder, documents, **changes)
    return {anchor: rest for anchor, _, _, rest in found}


@pytest.mark.parametrize("exact", [100, 1])
def test_same_words_in_another_structure_are_negatives(
    exact: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(negatives, "EXACT_UP_TO", exact)
    documents = [Doc([text]) for text in ("dogs chase cats", "cats chase dogs", "birds sing", "fish swim")]
    assert anchors(tmp_path, documents) == {
        "dogs chase cats": ["cats chase dogs"],
        "cats chase dogs": ["dogs chase cats"],
        "birds sing": [],
        "fish swim": [],
    }
    assert anchors(tmp_path / "none", documents, overlap_negatives=0)["dogs chase cats"] == []


@pytest.mark.parametrize(
    ("second", "reason"),
    [
        (Doc(["dogs often chase small cats"]), "one text contains the other"),
        (Doc(["dogs chase small birds"]), "the same structure"),
        (Doc(["cats chase small dogs"], "dev"), "another split"),
        (Doc(["cats chase small dogs"], pair_id="p"), "shared pair_id"),
    ],
)
def test_what_may_mean_the_same_is_counted(second: Doc, reason: str, tmp_path: Path) -> None:
    first = Doc(["dogs chase small cats"], pair_id="p")
    found = anchors(tmp_path, [first, second], pair_share=0.0)
    assert found == {"dogs chase small cats": [], second.sentences[0]: []}
    assert dropped(tmp_path)[f"overlap: {reason}"] == 1


@pytest.mark.parametrize(("meaning", "expected"), [("different", ["cats chase dogs"]), ("same", [])])
def test_sentence_that_is_a_variant_comes_once(meaning: str, expected: list[str], tmp_path: Path) -> None:
    first = Doc(["dogs chase cats"], variants=[(meaning, "rule", "cats chase dogs")])
    assert anchors(tmp_path, [first, Doc(["cats chase dogs"])])["dogs chase cats"] == expected
    assert dropped(tmp_path)["overlap: a variant already"] == 1


def test_sentence_that_may_say_what_a_positive_says_is_no_negative(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has all the words of a rewording, and one more."""
    monkeypatch.setattr(filtering, "OTHER_STRUCTURE", 1.0)
    first = Doc(["dogs sleep in town"], variants=[("same", "passive", "cats sleep in town")])
    found = anchors(tmp_path, [first, Doc(["cats sleep in big town"])])
    assert found == {"dogs sleep in town": [], "cats sleep in big town": ["dogs sleep in town"]}
    assert dropped(tmp_path)["overlap: may mean the same as a positive"] == 1


BERLIN = Sentence(
    "Berlin is the capital of Germany", ["Berlin", "is", "the", "capital", "of", "Germany"],
    [4, 4, 4, 0, 6, 4], ["nsubj", "cop", "det", "root", "case", "nmod"],
    ["PROPN", "AUX", "DET", "NOUN", "ADP", "PROPN"],
)  # fmt: skip
TURNED = Sentence(
    "The capital of Germany is Berlin", ["The", "capital", "of", "Germany", "is", "Berlin"],
    [2, 6, 4, 2, 6, 0], ["det", "nsubj", "case", "nmod", "cop", "root"],
    ["DET", "NOUN", "ADP", "PROPN", "AUX", "PROPN"],
)  # fmt: skip


@pytest.mark.parametrize(
    ("a", "b", "refused"),
    [
        (BERLIN, TURNED, True),
        (TURNED, BERLIN, True),
        (BERLIN, replace(TURNED, words=["The", "capital", "of", "Berlin", "is", "Germany"]), False),
        (BERLIN, replace(TURNED, deprels=["det", "nsubj", "case", "nmod", "aux", "root"]), False),
        (replace(BERLIN, upos=[*BERLIN.upos[:3], "ADJ", *BERLIN.upos[4:]]), TURNED, False),
    ],
)
def test_copular_clause_turned_round_may_mean_the_same(a: Sentence, b: Sentence, refused: bool) -> None:
    one, other = (vars(each) | {"text": " ".join(each.words)} for each in (a, b))
    found = may_mean_the_same(one, other, 0.0)
    assert found == ("a copular clause turned round" if refused else None)


def test_least_similar_tree_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scores = {"a b c d": 0.4, "b a c d": 0.1, "c b a d": 0.2, "d b c a": 0.3}
    monkeypatch.setattr(
        negatives, "tree_similarity", lambda a, b: scores[a["text"]] + scores[b["text"]] - 0.3
    )
    found = anchors(tmp_path, [Doc([text]) for text in scores])
    assert found["c b a d"] == ["b a c d"]
    assert all(len(rest) == 1 for rest in found.values())


def test_corpus_of_one_template_stays_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    examined: Counter[str] = Counter()

    def counted(one: Row, other: Row) -> float:
        examined.update((one["text"], other["text"]))
        return tree_similarity(one, other)

    monkeypatch.setattr(negatives, "tree_similarity", counted)
    anchors(tmp_path, [Doc([f"it is the capital of {n}"]) for n in range(60)])
    assert max(examined.values()) == 16
    beyond = dropped(tmp_path)["overlap: beyond 16 pairs of one sentence"]
    assert beyond == 60 * 59 // 2 - examined.total() // 2
