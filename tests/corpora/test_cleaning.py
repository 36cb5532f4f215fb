"""Cleaning against brute force: Unicode, near-duplicates, contamination, language, detokenising."""

import itertools
import unicodedata
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.corpora.cleaning.contamination import Contamination
from pipeline.corpora.cleaning.duplicates import (
    PERMUTATIONS,
    Signer,
    agreement,
    band_keys,
    bands,
    near_duplicates,
)
from pipeline.corpora.cleaning.text import detokenise, foreign_language, regular, split, words


@given(st.text())
def test_regular_text_is_a_fixed_point_without_controls(text: str) -> None:
    once = regular(text)
    assert regular(once) == once
    assert unicodedata.is_normalized("NFC", once)
    assert not [
        character for character in once if unicodedata.category(character) == "Cc" and character != "\n"
    ]
    assert regular(text, one_line=True).count("\n") == 0


def test_regular_text_by_example() -> None:
    assert regular("Cafe\u0301\u200b  a\x00\x07 b\t c\ufeff ") == "Café a b c"
    assert regular("One. \r\n\r\n  Two.\x85Three.") == "One.\nTwo.\nThree."
    assert regular("One.\nTwo.", one_line=True) == "One. Two."
    assert regular("می\u200cخواهم") == "می\u200cخواهم"
    # Soft hyphen, marks of direction, half a character, a code that is no character.
    assert regular("a\xadb\u202ec\udfffd\ufdd0e\u061cf") == "abcdef"
    # NFC alone: NFKC would make other characters of these.
    assert regular("x² of ½ in the ﬁle № 5") == "x² of ½ in the ﬁle № 5"


def test_words() -> None:
    assert words("Don't STOP, 二人 Straße!") == ["don", "t", "stop", "二", "人", "strasse"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("लड़का घर गया।", ["लड़का", "घर", "गया"], id="hindi"),
        pytest.param("తెలుగు భాష.", ["తెలుగు", "భాష"], id="telugu"),
        pytest.param("قَالَ مُحَمَّدٌ", ["قَالَ", "مُحَمَّدٌ"], id="vocalised-arabic"),
        pytest.param("שָׁלוֹם עוֹלָם", ["שָׁלוֹם", "עוֹלָם"], id="pointed-hebrew"),
        pytest.param("می\u200cخواهم بروم", ["می\u200cخواهم", "بروم"], id="persian-with-non-joiner"),
        pytest.param("İSTANBUL İzmir", ["i\u0307stanbul", "i\u0307zmir"], id="turkish-after-case-folding"),
        pytest.param("ที่นี่ x", ["ที่", "นี่", "x"], id="thai-character-by-character"),
        pytest.param("တို့ ៖ ខ្ញុំ ス・ガ", ["တို့", "ខ្", "ញុំ", "ス", "ガ"], id="burmese-khmer-japanese"),
        pytest.param("\u0301 - \u0301a_b", ["a", "b"], id="no-mark-without-a-letter"),
    ],
)
def test_marks_belong_to_the_letter_before_them(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@given(st.text())
def test_words_have_every_letter_and_digit_in_order_and_marks_after_them(text: str) -> None:
    found = words(text)
    assert [c for c in "".join(found) if c.isalnum()] == [c for c in text.casefold() if c.isalnum()]
    assert all(word[0].isalnum() for word in found)
    assert not any(c.isspace() or unicodedata.category(c)[0] in "PSZ" for word in found for c in word)


@given(st.text())
def test_splitting_loses_nothing_but_white_space(text: str) -> None:
    assert "".join("".join(split(text)).split()) == "".join(text.split())


def test_splitting_by_example() -> None:
    assert split('He left. "Why?" she asked. At 5 p.m. it rained (a lot).\nThe end') == [
        "He left.",
        '"Why?" she asked.',
        "At 5 p.m. it rained (a lot).",
        "The end",
    ]
    assert split("我走了。你呢？好") == ["我走了。", "你呢？", "好"]
    assert split("वह गया। क्या वह आया? नहीं॥ अब") == ["वह गया।", "क्या वह आया?", "नहीं॥", "अब"]
    assert split("وہ گیا۔ کیا وہ آیا؟ نہیں") == ["وہ گیا۔", "کیا وہ آیا؟", "نہیں"]
    assert split("እሱ ሄደ። መጣ") == ["እሱ ሄደ።", "መጣ"]


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


def signed(tmp_path: Path, texts: list[list[str]]) -> Path:
    signer = Signer()
    path = tmp_path / "signatures"
    path.write_bytes(b"".join(signer.sign(text).tobytes() for text in texts))
    return path


def test_signatures_estimate_jaccard(tmp_path: Path) -> None:
    texts = corpus(np.random.default_rng(1), 200)
    signatures = np.fromfile(signed(tmp_path, texts), dtype=np.uint32).reshape(-1, PERMUTATIONS)
    pairs = [(i, j) for i, j in itertools.combinations(range(200), 2) if jaccard(texts[i], texts[j]) > 0.2]
    errors = [jaccard(texts[i], texts[j]) - float(agreement(signatures[i], signatures[j])) for i, j in pairs]
    assert len(pairs) > 50
    assert abs(np.mean(errors)) < 0.02
    assert np.std(errors) < 1.5 / np.sqrt(PERMUTATIONS)


def test_near_duplicates_against_all_pairs(tmp_path: Path) -> None:
    texts = corpus(np.random.default_rng(2), 300)
    path = signed(tmp_path, texts)
    unit = np.arange(300, dtype=np.uint64)
    found = near_duplicates(path, np.ones(300, dtype=bool), unit, 0.8)
    likeness = np.array([max((jaccard(texts[i], texts[j]) for i in range(j)), default=0) for j in range(300)])
    clear = (likeness > 0.9) | (likeness < 0.68)  # the estimate may err between
    assert clear.sum() > 200
    assert (likeness[clear] > 0.8).sum() > 40
    np.testing.assert_array_equal(found[clear], likeness[clear] > 0.8)


def test_near_duplicates_ignore_dropped_and_paired_documents(tmp_path: Path) -> None:
    path = signed(tmp_path, [VOCABULARY[:20]] * 4)
    unit = np.array([1, 1, 2, 3], dtype=np.uint64)
    assert near_duplicates(path, np.ones(4, dtype=bool), unit, 0.8).tolist() == [False, False, True, True]
    alive = np.array([False, False, True, False])
    assert not near_duplicates(path, alive, unit, 0.8).any()


def test_a_long_text_is_signed_in_chunks() -> None:
    rng = np.random.default_rng(3)
    long = [f"w{n}" for n in rng.integers(10**6, size=30_000)]
    signer = Signer()
    whole = signer.sign(long)
    halves = np.minimum(signer.sign(long[:15_000]), signer.sign(long[14_999:]))
    np.testing.assert_array_equal(whole, halves)


def test_bands_find_similar_texts() -> None:
    count, rows = bands(0.8)
    assert count * rows <= PERMUTATIONS
    assert 1 - (1 - 0.8**rows) ** count > 0.85  # the chance that a pair of similarity 0.8 shares a band
    signatures = np.stack([Signer().sign(VOCABULARY[:9])] * 2)
    keys = band_keys(signatures, range(count), rows)
    assert keys.shape == (2, count)
    assert (keys[0] == keys[1]).all()
    assert len(set(keys[0].tolist())) == count
    np.testing.assert_array_equal(band_keys(signatures, range(3, 5), rows), keys[:, 3:5])


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


def test_a_sentence_of_five_words_is_looked_for_and_a_text_of_two_sentences_as_a_whole() -> None:
    five = Contamination(["A man plays the flute."], None)
    assert five.holds("a man plays the flute")
    whole = Contamination(["It rains. He left the house."], None)
    assert whole.holds("It rains. He left the house.")


BOY, GIRL = "लड़का कल शाम को घर गया था।", "लड़की कल शाम को घर गयी थी।"


def test_words_that_differ_in_vowel_signs_alone_are_different_words(tmp_path: Path) -> None:
    """A boy and a girl, who went home: in Hindi the consonants are the same."""
    exact = Contamination([BOY], None)
    assert exact.holds(BOY)
    assert not exact.holds(GIRL)
    assert exact.cleaned(f"{GIRL} {BOY} {GIRL}") == (f"{GIRL} {GIRL}", 1)
    path = signed(tmp_path, [words(BOY), words(GIRL), words(BOY)])
    unit = np.arange(3, dtype=np.uint64)
    assert near_duplicates(path, np.ones(3, dtype=bool), unit, 0.8).tolist() == [False, False, True]


def test_the_nearest_benchmark_text_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each band that a sentence shares with it also holds a text that shares no other band."""
    rng, (count, rows) = np.random.default_rng(4), bands(0.8)
    own = rng.integers(2**32, size=PERMUTATIONS, dtype=np.uint32)
    signatures = {"sentence": own, "near": own.copy()}
    signatures["near"][:3] += np.uint32(1)
    for band in range(count):
        signatures[f"far{band}"] = rng.integers(2**32, size=PERMUTATIONS, dtype=np.uint32)
        here = slice(band * rows, (band + 1) * rows)
        signatures[f"far{band}"][here] = own[here]

    class Given:
        def sign(self, tokens: list[str]) -> np.ndarray:
            return signatures[tokens[-1]]

    monkeypatch.setattr("pipeline.corpora.cleaning.contamination.Signer", Given)
    far = [f"a text that is called {name}" for name in signatures if name.startswith("far")]
    assert not Contamination(far, 0.8).holds("a text that is called sentence")
    assert Contamination([*far, "a text that is called near"], 0.8).holds("a text that is called sentence")


def test_a_likeness_of_the_threshold_itself_is_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 128 numbers 96 are equal, 0.75; of the third signature 95."""
    rng = np.random.default_rng(6)
    own = rng.integers(2**31, size=PERMUTATIONS, dtype=np.uint32)
    signatures = {"own": own, "enough": own.copy(), "less": own.copy()}
    signatures["enough"][96:] += np.uint32(1)
    signatures["less"][95:] += np.uint32(1)

    class Given:
        def sign(self, tokens: list[str]) -> np.ndarray:
            return signatures[tokens[-1]]

    monkeypatch.setattr("pipeline.corpora.cleaning.contamination.Signer", Given)
    index = Contamination(["a text that is called own"], 0.75)
    assert index.holds("a text that is called enough")
    assert not index.holds("a text that is called less")
    for name, near in (("enough", True), ("less", False)):
        path = tmp_path / name
        np.stack([own, signatures[name]]).tofile(path)
        unit = np.arange(2, dtype=np.uint64)
        assert near_duplicates(path, np.ones(2, dtype=bool), unit, 0.75).tolist() == [False, near]


def test_contaminated_sentences_are_cut_out() -> None:
    index = Contamination(BENCHMARK, 0.8)
    text = f"The flute is old. {BENCHMARK[0]} It was made of wood."
    assert index.cleaned(text) == ("The flute is old. It was made of wood.", 1)
    lines = f"A heading\nThe flute is old. {BENCHMARK[0]}\n{BENCHMARK[0]}\nIt was made of wood. It is here."
    assert index.cleaned(lines) == ("A heading\nThe flute is old.\nIt was made of wood. It is here.", 2)
    assert index.cleaned(f"One.\n\n{BENCHMARK[0]}\nTwo.") == ("One.\n\nTwo.", 1)
    assert index.cleaned("Nothing to find\nin here.") == ("Nothing to find\nin here.", 0)


@settings(max_examples=25)
@given(st.lists(st.sampled_from(VOCABULARY), min_size=6, max_size=30), st.sampled_from([0.5, 0.8, 1.0]))
def test_what_is_in_a_benchmark_is_always_found(tokens: list[str], threshold: float) -> None:
    assert Contamination([" ".join(tokens)], threshold).holds(" ".join(tokens).upper())


def test_language() -> None:
    german = "Der Zug fährt heute später ab, weil der Lokführer noch nicht angekommen ist."
    english = "The train leaves later today because the driver has not arrived at the station yet."
    assert foreign_language(german, "en", 0.95) == "de"
    assert not foreign_language(german, "de", 0.95)
    assert not foreign_language(english, "en", 0.95)
    assert not foreign_language("Ja.", "en", 0.5)  # too short to say
    assert foreign_language(german[:40], "en", 0.5) == "de"
    assert not foreign_language(german[:39], "en", 0.5)
    assert not foreign_language(german, "got", 0.5)  # Gothic is unknown to the model


def test_detokenising() -> None:
    assert (
        detokenise("`` I do n't know , '' he said ( laughing ) .") == '"I don\'t know," he said (laughing).'
    )
    assert detokenise("It costs $ 5,000 .\nHe 's here !") == "It costs $5,000.\nHe's here!"
    assert detokenise("-LRB- a -RRB-") == "(a)"
    # The dot of an abbreviation ends the sentence, too.
    assert detokenise("At Acme Inc. .\nDogs , cats etc. . ''\n. . . and so on ... .") == (
        'At Acme Inc.\nDogs, cats etc."\n. . . and so on ...'
    )
    # Some corpora have one mark for both quotes.
    for mark in ("''", "``", '"'):
        assert detokenise(f"A {mark} b {mark} , he said , {mark} c {mark} .") == 'A "b", he said, "c".'
    assert detokenise("A b , '' he said .\n`` No .") == 'A b," he said.\n"No.'
    assert detokenise("`` A '' and '' b ''") == '"A" and" b"'  # cannot be known


@pytest.mark.parametrize("text", ["A plain sentence, with a comma.", 'He said "no" twice.'])
def test_running_text_is_left_as_it_is(text: str) -> None:
    assert detokenise(text) == text
