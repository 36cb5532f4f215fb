"""Sentences with translations in several sources."""

from pipeline.corpora.documents import _pair
from pipeline.corpora.readers.base import Record


def test_a_sentence_and_its_translations_are_one_pair_whatever_the_source() -> None:
    french, spanish = (
        Record("Rain fell.", b, b_lang=lang) for b, lang in (("Il a plu.", "fr"), ("Llovió.", "es"))
    )
    assert _pair(french, "tatoeba-fr") == _pair(spanish, "tatoeba-es")
    assert _pair(french, "tatoeba-fr") != _pair(french._replace(text="Snow fell."), "tatoeba-fr")


def test_paraphrases_stay_with_their_source() -> None:
    record = Record("Rain fell.", "It rained.")
    assert _pair(record, "a") != _pair(record, "b")
    assert _pair(Record("Rain fell."), "a") is None


def test_a_pair_that_the_reader_names_is_of_its_source_unless_it_spans_sources() -> None:
    """As verses do, which every translation of a bible has."""
    verse = Record("In the beginning.", pair_id="shared:genesis-1-1")
    assert _pair(verse, "bible-a") == _pair(verse, "bible-b") == "shared:genesis-1-1"
    caption = Record("A dog.", pair_id="7", score=3.0)
    assert (_pair(caption, "a"), _pair(caption, "b")) == ("a:7", "b:7")


def test_two_texts_of_one_language_are_a_pair_of_their_source() -> None:
    for lang, b_lang in ((None, None), ("en", "en"), ("en", None)):
        record = Record("Rain fell.", "It rained.", lang=lang, b_lang=b_lang)
        assert str(_pair(record, "a")).startswith("a:")
    assert str(_pair(Record("Rain fell.", "Il a plu.", lang="en", b_lang="fr"), "a")).startswith("shared:")


def test_of_labelled_pairs_those_of_the_label_that_the_source_keeps_are_paraphrases() -> None:
    record = Record("Rain fell.", "It rained.", label="entailment")
    assert _pair(record, "a") is None
    kept = _pair(record, "a", "entailment")
    assert kept is not None
    assert kept == _pair(record._replace(label="1"), "a", "entailment")
    assert _pair(record._replace(label="neutral"), "a", "entailment") is None
    assert _pair(record._replace(label=None, score=0.0), "a", "entailment") is None
