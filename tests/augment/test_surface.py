"""Spelling out: articles, casing, contractions, spaces, inflection and agreement."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from handmade import APPROVED, COMMITTEE, sentence

from pipeline.augment.base import Plan
from pipeline.augment.draft import Decline, Draft
from pipeline.augment.phrases import SourceTree
from pipeline.augment.run import all_variants
from pipeline.augment.surface import article, be, decapitalise, inflect, present, realise

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("apple", "an"), ("pear", "a"), ("hour", "an"), ("house", "a"), ("university", "a"),
        ("unimportant", "an"),
        ("uncle", "an"), ("European", "a"), ("one-way", "a"), ("onion", "an"), ("FBI", "an"), ("UN", "a"),
        ("8-bit", "an"), ("11th", "an"), ("100", "a"), ("user", "a"), ("honest", "an"), ("heir", "an"),
        ("X-ray", "an"), ("NASA", "a"), ("NHL", "an"),
        ("unanimous", "a"), ("unidentified", "an"), ("unissued", "an"), ("unironic", "an"), ("unicorn", "a"),
        ("unimodal", "a"), ("unimpressed", "an"), ("uninteresting", "an"), ("unit", "a"), ("union", "a"),
        ("unidirectional", "a"), ("Ugandan", "a"), ("Ukrainian", "a"), ("ukulele", "a"), ("ulcer", "an"),
        ("RAM", "a"), ("SIM", "a"), ("ROM", "a"), ("LAN", "a"), ("MRI", "an"), ("SUV", "an"), ("NGO", "an"),
        ("NCAA", "an"), ("MPAA", "an"), ("NATO", "a"), ("FIFA", "a"), ("SCUBA", "a"), ("UNESCO", "a"),
        ("UEFA", "a"), ("OPEC", "an"), ("HIV", "an"), ("STEM", "a"), ("US", "a"), ("MP", "an"),
    ],
)  # fmt: skip
def test_a_or_an(word, expected):
    assert article(word) == expected


@pytest.mark.parametrize(
    ("form", "upos", "xpos", "expected"),
    [
        ("The", "DET", "DT", "the"), ("Dogs", "NOUN", "NNS", "dogs"), ("Anna", "PROPN", "NNP", "Anna"),
        ("I", "PRON", "PRP", "I"), ("She", "PRON", "PRP", "she"), ("Polish", "ADJ", "JJ", "Polish"),
        ("Japanese", "ADJ", "JJ", "Japanese"), ("Old", "ADJ", "JJ", "old"), ("NASA", "NOUN", "NN", "NASA"),
        ("Methanol", "NOUN", "NN", "methanol"), ("Recently", "ADV", "RB", "recently"),
        ("Greek", "ADJ", "JJ", "Greek"), ("Swedes", "NOUN", "NNS", "Swedes"),
        ("Polish", "NOUN", "NN", "polish"),
    ],
)  # fmt: skip
def test_lower_case_inside_the_sentence(form, upos, xpos, expected):
    assert decapitalise(form, upos, xpos) == expected


@pytest.mark.parametrize(
    ("lang", "words", "order", "expected"),
    [
        # The second "a" is no English article, though it is a DET before a vowel.
        ("pt", "A/DET menina/NOUN viu/VERB a/DET ave/NOUN", [2, 4, 3, 0, 1], "Viu ave a a menina"),
        ("hu", "Tegnap/ADV a/DET fiú/NOUN a/DET almát/NOUN", [0, 4, 3, 1, 2], "Tegnap almát a a fiú"),
        ("de", "Kinder/NOUN sehen/VERB den/DET Arm/NOUN", [1, 0, 2, 3], "Sehen Kinder den Arm"),
        ("de", "Arme/ADJ Kinder/NOUN spielen/VERB", [2, 0, 1], "Spielen arme Kinder"),
        ("es", "Perros/NOUN ladran/VERB hoy/ADV", [1, 0, 2], "Ladran perros hoy"),
        ("it", "I/DET cani/NOUN abbaiano/VERB", [2, 0, 1], "Abbaiano i cani"),
        ("es", "March/PROPN ladra/VERB hoy/ADV", [1, 0, 2], "Ladra March hoy"),
        ("tr", "Isındı/VERB iyi/ADJ adam/NOUN", [1, 2, 0], "İyi adam ısındı"),
        ("tr", "İstiyor/VERB ıspanak/NOUN adam/NOUN", [1, 2, 0], "Ispanak adam istiyor"),
        ("id", "Istri/NOUN ini/DET datang/VERB", [1, 0, 2], "Ini istri datang"),
        ("ka", "კაცი/NOUN მოვიდა/VERB დღეს/ADV", [2, 0, 1], "დღეს კაცი მოვიდა"),
        ("zh", "我/PRON 吃/VERB 米饭/NOUN", [2, 0, 1], "米饭我吃"),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) == 2 else "",
)
def test_other_languages_are_spelt_by_their_own_rules(lang, words, order, expected):
    pairs = [word.split("/") for word in words.split()]
    glued = "_" if lang == "zh" else ""
    rows = [f"{glued}{form} {form} {upos} NN {min(n, 1)} dep" for n, (form, upos) in enumerate(pairs)]
    draft = Draft(SourceTree(sentence("\n".join(rows).replace("0 dep", "0 root")), lang))
    draft.order = [draft[place] for place in order]
    made, alignment = realise(draft)
    assert made.text == expected
    assert alignment == tuple(place + 1 for place in order)


LONDON = sentence(
    """
    In in ADP IN 3 case
    the the DET DT 3 det
    U.K. U.K. PROPN NNP 5 obl
    it it PRON PRP 5 nsubj
    rained rain VERB VBD 0 root
    _. . PUNCT . 5 punct
    """
)


def test_the_dot_of_an_abbreviation_ends_the_sentence():
    draft = Draft(SourceTree(LONDON))
    draft.put(draft.take([0, 1, 2]), after=draft[4])
    made, alignment = realise(draft)
    assert made.text == "It rained in the U.K." == Plan("", "same", lambda: draft).realise().sentence.text
    assert alignment == (4, 5, 1, 2, 3)
    # A permutation has every word of its source.
    made, alignment = realise(draft, every_word=True)
    assert (made.text, alignment) == ("It rained in the U.K..", (4, 5, 1, 2, 3, 6))
    assert Plan("", "order", lambda: draft).realise().sentence == made
    # As the author wrote it.
    both = replace(made, heads=(2, 0, 5, 5, 2, 2))
    assert realise(Draft(SourceTree(both)))[0] == both


def test_a_comma_out_of_place_is_left_out_of_a_permutation_too():
    rows = "Then then ADV RB 4 advmod", "_, , PUNCT , 4 punct", "it it PRON PRP 4 nsubj"
    draft = Draft(
        SourceTree(sentence("\n".join((*rows, "rained rain VERB VBD 0 root", "_. . PUNCT . 4 punct"))))
    )
    draft.order = [draft[place] for place in (1, 3, 0, 2, 4)]
    made, alignment = realise(draft, every_word=True)
    assert (made.text, alignment) == ("Rained then it.", (4, 1, 3, 5))


def test_untouched_draft_gives_the_source():
    for source in (COMMITTEE, APPROVED):
        made, alignment = realise(Draft(SourceTree(source)))
        assert made == source
        assert alignment == tuple(range(1, len(source) + 1))


def test_a_cycle_is_declined():
    draft = Draft(SourceTree(COMMITTEE))
    draft[1].head = draft[0]
    with pytest.raises(Decline, match="no tree"):
        realise(draft)


def test_inflection():
    assert [inflect(lemma, "VBN") for lemma in ("write", "get", "put", "travel")] == [
        "written",
        "got",
        "put",
        "traveled",
    ]
    assert [present(lemma, "singular")[0] for lemma in ("go", "have", "be", "carry")] == [
        "goes",
        "has",
        "is",
        "carries",
    ]
    assert [be("VBD", number) for number in ("first", "singular", "plural")] == ["was", "was", "were"]
    with pytest.raises(Decline, match="unknown"):
        inflect("zorp", "VBN")


def test_author_s_spelling_of_a_regular_participle_is_kept():
    source = sentence(
        """
        The the DET DT 2 det
        clerk clerk NOUN NN 3 nsubj
        labelled label VERB VBD 0 root
        them they PRON PRP 3 obj
        _. . PUNCT . 3 punct
        """
    )
    (variant,), _ = all_variants(source, ["passive"])
    assert variant.sentence.text == "They were labelled by the clerk."


def test_contracted_auxiliary_is_written_out_away_from_its_host():
    source = sentence(
        """
        She she PRON PRP 3 nsubj
        _'ll will AUX MD 3 aux
        paint paint VERB VB 0 root
        the the DET DT 5 det
        doors door NOUN NNS 3 obj
        _. . PUNCT . 3 punct
        """
    )
    (variant,), _ = all_variants(source, ["passive"])
    assert variant.sentence.text == "The doors will be painted by her."


def test_the_lexicon_is_read_without_spacy_and_torch():
    """LemmInflect imports them where it can, for seconds in every worker, and nothing here uses that."""
    script = (
        "import sys; from pipeline.augment.surface import inflections, is_known\n"
        "finders = list(sys.meta_path)\n"
        "print(inflections('give', 'VBD'), is_known('gave', 'VERB'))\n"
        "print({'spacy', 'torch'} & sys.modules.keys())\n"
        "assert sys.meta_path == finders"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "('gave',) True\nset()\n"), done.stderr
