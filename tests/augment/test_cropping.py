"""Cropping on trees made by hand: what stays beside the root and one argument."""

import dataclasses

import pytest
from handmade import APPROVED, COMMITTEE, sentence

from pipeline.augment.run import all_variants

# No full stop: the last word is an adverb of the root and goes as any other.
HEADLINE = sentence(
    """
    dogs dog NOUN NNS 2 nsubj
    chased chase VERB VBD 0 root
    cats cat NOUN NNS 2 obj
    yesterday yesterday ADV RB 2 advmod
    """
)
# A root that is a noun keeps what makes it a phrase: article, adjective, preposition, owner, number, name.
NOMINAL = sentence(
    """
    Anna Anna PROPN NNP 8 nsubj
    was be AUX VBD 8 cop
    not not PART RB 8 advmod
    among among ADP IN 8 case
    the the DET DT 8 det
    two two NUM CD 8 nummod
    kind kind ADJ JJ 8 amod
    doctors doctor NOUN NNS 0 root
    in in ADP IN 10 case
    Rome Rome PROPN NNP 8 obl
    then then ADV RB 8 advmod
    _. . PUNCT . 8 punct
    """
)
OWNED = sentence(
    """
    Anna Anna PROPN NNP 5 nsubj
    is be AUX VBZ 5 cop
    my my PRON PRP$ 5 nmod:poss
    school school NOUN NN 5 compound
    teacher teacher NOUN NN 0 root
    Smith Smith PROPN NNP 5 flat
    since since ADP IN 8 case
    Monday Monday PROPN NNP 5 obl
    now now ADV RB 5 advmod
    _. . PUNCT . 5 punct
    """
)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (HEADLINE, {"Dogs chased", "Chased cats"}),
        (
            NOMINAL,
            {"Anna was not among the two kind doctors.", "Was not among the two kind doctors in Rome."},
        ),
        (OWNED, {"Anna is my school teacher Smith.", "Is my school teacher Smith since Monday."}),
        (COMMITTEE, {"The committee has not approved.", "Has not approved the plans."}),
        (
            APPROVED,
            {"The plans were approved.", "Were approved by the committee.", "Were approved on Monday."},
        ),
    ],
)
def test_the_root_keeps_one_argument_its_function_words_and_its_full_stop(source, expected):
    assert {variant.sentence.text for variant in all_variants(source, ["cropping"])[0]} == expected


@pytest.mark.parametrize(
    ("feats", "relation", "kept"),
    [
        ("Polarity=Neg", "advmod", True),
        ("Degree=Pos|Polarity=Neg", "advmod:neg", True),
        ("PronType=Neg", "advmod", True),
        ("", "advmod", False),
        ("Polarity=Pos", "advmod", False),
        ("Polarity=Neg", "advcl", False),
    ],
)
def test_a_negation_of_another_language_is_kept_by_its_features(feats, relation, kept):
    """Not a clause that is negative itself, as Turkish verbs are."""
    hound = sentence(
        f"""
        hunden hund NOUN NN 2 nsubj
        jagade jaga VERB VB 0 root
        inte inte ADV AB 2 {relation}
        katten katt NOUN NN 2 obj
        idag idag ADV AB 2 advmod
        """
    )
    hound = dataclasses.replace(hound, feats=("", "", feats, "", ""))
    crops = {variant.sentence.text.lower() for variant in all_variants(hound, ["cropping"])[0]}
    assert crops == (
        {"jagade inte katten", "hunden jagade inte"} if kept else {"jagade katten", "hunden jagade"}
    )


def test_no_mark_or_conjunction_is_left_at_the_edge_of_the_argument():
    tree = sentence(
        """
        He he PRON PRP 3 nsubj
        _, , PUNCT , 1 punct
        ran run VERB VBD 0 root
        _, , PUNCT , 6 punct
        down down ADP IN 6 case
        cliffs cliff NOUN NNS 3 obl
        and and CCONJ CC 6 cc
        fell fall VERB VBD 3 conj
        _. . PUNCT . 3 punct
        """
    )
    variants, _ = all_variants(tree, ["cropping"])
    assert [variant.sentence.text for variant in variants] == ["He ran.", "Ran down cliffs."]
