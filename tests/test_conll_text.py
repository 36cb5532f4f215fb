"""Scores of raw text: by hand, and against the official script where the words are cut differently."""

import pytest

from pipeline.conll_text import TextScore, compare_text
from pipeline.sentences import Side
from tests.test_conll import official, sentence

GOLD = sentence(
    ["I", "ca", "n't", "go", "."],
    [4, 4, 4, 0, 4],
    ["nsubj", "aux", "advmod", "root", "punct"],
    ["PRON", "AUX", "PART", "VERB", "PUNCT"],
)
JOINED = sentence(
    ["I", "can't", "go", "."],
    [3, 3, 0, 2],
    ["nsubj:pass", "aux", "root", "punct"],
    ["PRON", "AUX", "VERB", "PUNCT"],
)


def test_words_count_by_the_characters_they_cover() -> None:
    found = compare_text([[GOLD]], [[JOINED]])
    # I, go and the full stop are there in both; the full stop's head is wrong.
    assert found == pytest.approx((200 * 3 / 9, 200 * 2 / 9, 200 * 2 / 9))
    assert compare_text([[GOLD]], [[GOLD]]) == (100, 100, 100)


def test_the_official_script_says_the_same() -> None:
    theirs = official([GOLD, GOLD], [JOINED, GOLD])
    ours = compare_text([[GOLD, GOLD]], [[JOINED, GOLD]])
    assert (ours.uas, ours.las) == pytest.approx((theirs["UAS"], theirs["LAS"]))


def test_a_text_cut_into_more_sentences_is_aligned_all_the_same() -> None:
    whole = Side("a b", ["a", "b"], [0, 1], ["root", "dep"])
    parts = [Side("a", ["a"], [0], ["root"]), Side("b", ["b"], [0], ["root"])]
    assert compare_text([[whole]], [parts]) == TextScore(100, 50, 50)


def test_another_text_cannot_be_compared() -> None:
    with pytest.raises(ValueError, match="text 0"):
        compare_text([[GOLD]], [[Side("x", ["x"], [0], ["root"])]])
