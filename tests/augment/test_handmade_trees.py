"""Rules on trees that the pipeline's parser does not make of the sentence, and treebanks have."""

from itertools import product

from handmade import sentence

from pipeline.augment.base import NAMES, transformations
from pipeline.augment.run import all_variants


def made(rule, notation):
    variants, _ = all_variants(sentence(notation), [rule])
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


def test_a_coordination_that_is_the_whole_tree():
    tree = """
        Most most ADJ JJS 2 nsubj
        live live ADV RB 0 root
        here here ADV RB 2 advmod
        and and CCONJ CC 6 cc
        some some DET DT 6 nsubj
        live live ADV RB 2 conj
        there there ADV RB 6 advmod
        _. . PUNCT . 2 punct
        """
    assert made("coordination_swap", tree) == []


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


BUYER = """
    Ann Ann PROPN NNP 2 nsubj
    paid pay VERB VBD 0 root
    the the DET DT 4 det
    man man NOUN NN 2 obj
    from from ADP IN 7 case
    the the DET DT {} det
    town town NOUN NN 4 nmod
    _. . PUNCT . 7 punct
    """


def test_no_rule_of_english_rewrites_a_tree_whose_final_mark_is_taken_for_a_word():
    below, argument = sentence(BUYER.format(8)), sentence(BUYER.format(7).replace("7 punct", "2 obl"))
    for tree, rule in product((below, argument), transformations(NAMES)):
        variants, reasons = all_variants(tree, [rule.name])
        assert rule.any_text or (variants, set(reasons)) == (
            [],
            {("declined", rule.name, "final punctuation in doubt")},
        )
    assert made("passive", BUYER.format(7)) == ["The man from the town was paid by Ann."]


SAID = """
    Leave leave VERB VB 4 ccomp
    _, , PUNCT , 4 punct
    he he PRON PRP 4 nsubj
    said say VERB VBD 0 root
    _. . PUNCT . 4 punct
    """


def test_no_negation_comes_after_what_is_said_even_if_its_first_word_heads_it():
    assert made("negation", SAID) == []
    assert made("negation", SAID.replace("ccomp", "discourse")) == ["Leave, he did not say."]


FRIENDS = """
    The the DET DT 2 det
    friend friend NOUN NN {} nsubj
    of of ADP IN 5 case
    the the DET DT 5 det
    author author NOUN NN 2 nmod{}
    left leave VERB VBD 0 root
    _. . PUNCT . {} punct
    """
CONJUNCT = """
    and and CCONJ CC 8 cc
    the the DET DT 8 det
    critic critic NOUN NN 5 conj"""
APPOSITION = """
    _, , PUNCT , 8 punct
    a a DET DT 8 det
    critic critic NOUN NN 5 appos"""


def test_nouns_with_conjuncts_or_appositions_do_not_change_places():
    assert made("noun_swap", FRIENDS.format(6, "", 6)) == ["The author of the friend left."]
    for more in (CONJUNCT, APPOSITION):
        assert made("noun_swap", FRIENDS.format(9, more, 9)) == []


def test_a_clause_that_a_comma_sets_off_keeps_its_pronoun():
    bare = """
        She she PRON PRP 2 nsubj
        took take VERB VBD 0 root
        the the DET DT 4 det
        deal deal NOUN NN 2 obj
        {} he PRON PRP {} nsubj
        offered offer VERB VBD 4 acl:relcl
        _. . PUNCT . 2 punct
        """
    assert made("relative_form", bare.format("he", 6)) == ["She took the deal that he offered."]
    assert made("relative_form", bare.format("_, , PUNCT , 7 punct\n        he", 7)) == []


FISH = """
    {} NUM CD 2 nummod
    {} NOUN NN 5 nsubj
    and and CCONJ CC 4 cc
    crabs crab NOUN NNS 2 conj
    eat eat VERB VBP 0 root
    worms worm NOUN NNS 5 obj
    _. . PUNCT . 5 punct
    """


def test_a_noun_that_is_tagged_singular_and_counted_is_plural_if_it_has_one_form():
    assert made("coordination_break", FISH.format("Two two", "fish fish")) == [
        "Two fish eat crabs and worms."
    ]
    assert made("coordination_break", FISH.format("One one", "cat cat")) == ["One cat eats crabs and worms."]
    # As in *the 1990 film*, the number may be no count.
    assert made("coordination_break", FISH.format("1990 1990", "cat cat")) == []


PLACES = """
    Tourists tourist NOUN NNS 2 nsubj
    visit visit VERB VBP 0 root
    Malta Malta PROPN NNP 2 obj
    _, , PUNCT , 5 punct
    Malaysia Malaysia PROPN NNP 3 {}
    and and CCONJ CC 7 cc
    Singapore Singapore PROPN NNP {} conj
    _. . PUNCT . 2 punct
    """


def test_no_verb_agrees_with_the_first_of_a_list_that_was_read_as_an_apposition():
    assert made("passive", PLACES.format("appos", 5)) == []
    assert made("passive", PLACES.format("conj", 3)) == [
        "Malta, Malaysia and Singapore are visited by tourists."
    ]
