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
