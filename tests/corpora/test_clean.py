"""Operations on one text: Unicode, words, sentences, language, detokenising."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.corpora.clean import detokenise, has_gap, is_foreign, regular, without_templates
from pipeline.syntax.words import split, without, words


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


def test_language() -> None:
    german = "Der Zug fährt heute später ab, weil der Lokführer noch nicht angekommen ist."
    english = "The train leaves later today because the driver has not arrived at the station yet."
    assert is_foreign(german, "en")
    assert not is_foreign(german, "de")
    assert not is_foreign(english, "en")
    assert not is_foreign("Ja.", "en")  # too short to say
    assert not is_foreign(german, "got")  # Gothic is unknown to the model


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


@pytest.mark.parametrize(
    ("markup", "shown"),
    [
        ("{{convert|10|km|mi}} north of Bern", "10 km north of Bern"),
        ("{{Convert|10|to|20|km|mi|abbr=on}} long", "10 to 20 km long"),
        ("1914{{ndash}}1918", "1914–1918"),
        ("10{{nbsp}}km, {{val|3.5}} or {{formatnum:1200}}", "10 km, 3.5 or 1200"),
        ("{{nowrap|{{lang|de|Guten Tag}}}} is German.{{sfn|Miller|2003}}", "Guten Tag is German."),
        ("{{infobox|x}} and <math>x^2</math> {{lang|de}}", "\ufffc and \ufffc \ufffc"),
        ("{{{{x}} is open", "{{\ufffc is open"),
        ("{{convert}} and a set {1, 2}", "\ufffc and a set {1, 2}"),
    ],
)
def test_templates_give_what_they_show(markup: str, shown: str) -> None:
    assert without_templates(markup) == shown


def test_sentences_with_gaps_are_removed_and_tokenised_ones_are_not() -> None:
    text = "It lies here, in Bern. It covers an area of and has a depth of . So it is."
    assert without(text, lambda sentence: has_gap(sentence, text)) == ("It lies here, in Bern. So it is.", 1)
    assert has_gap("The number , by the way, is odd.")
    assert has_gap("It is \ufffc long.")
    for whole in ("We came , saw , and left .", "So it is, and so on . . .", "Well, it costs .5 francs."):
        assert not has_gap(whole)
