"""Rules on trees that the pipeline's parser does not make of the sentence, and treebanks have."""

from handmade import sentence

from pipeline.augment.catalogue import transformations


def made(rule, notation):
    (only,) = transformations([rule])
    variants, _ = only.variants(sentence(notation))
    return [variant.sentence.text for variant in variants]


RISKS = """
    He he PRON PRP 2 nsubj
    described describe VERB VBD 0 root
    the the DET DT 6 det
    top top ADJ JJ 6 amod
    {} NUM CD 4 nummod
    risks risk NOUN NNS 2 obj
    _. . PUNCT . 2 punct
    """


def test_a_noun_after_a_numeral_stays_plural():
    assert made("number", RISKS.format("ten ten")) == []
    assert made("number", RISKS.replace("{} NUM CD 4 nummod", "old old ADJ JJ 6 amod")) == [
        "He described the top old risk."
    ]


DEAL = """
    She she PRON PRP 2 nsubj
    took take VERB VBD 0 root
    {} 4 det
    deal deal NOUN NN 2 obj
    he he PRON PRP 6 nsubj
    offered offer VERB VBD 4 acl:relcl
    _. . PUNCT . 2 punct
    """


def test_no_relative_pronoun_follows_a_free_relative():
    assert made("relative_form", DEAL.format("whatever whatever DET WDT")) == []
    assert made("relative_form", DEAL.format("the the DET DT")) == ["She took the deal that he offered."]
