"""What holds for any tree, gold English or random: no crash, well-formed output, every word aligned."""

import gzip
from collections import Counter

import conllu
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.augment.catalogue import NAMES, transformations
from pipeline.augment.source_tree import Decline, SourceTree
from pipeline.syntax.sentence import Sentence
from pipeline.syntax.tree import is_tree

RULES = transformations(NAMES)
# These put other content words in, on purpose, or leave some out.
_OTHER_WORDS = {"quantity", "comparative", "cropping", "number"}
_CONTENT = {"NOUN", "PROPN", "ADJ", "NUM"}


def content(sentence, positions):
    return Counter(sentence.lemmas[i].lower() for i in positions if sentence.upos[i] in _CONTENT)


def check(source, variant):
    made, alignment = variant.sentence, variant.alignment
    assert is_tree(made.heads)
    assert (
        len({len(getattr(made, name)) for name in ("words", "lemmas", "upos", "xpos", "feats", "deprels")})
        == 1
    )
    assert len(alignment) == len(made) == len(made.space_after)
    kept = [place for place in alignment if place]
    assert len(kept) == len(set(kept))
    assert all(1 <= place <= len(source) for place in kept)
    assert made.text != source.text
    assert all(made.words)
    if variant.transformation not in _OTHER_WORDS:
        assert content(made, range(len(made))) == content(source, range(len(source))), made.text


def check_shortcut(rule, tree):
    """``needs`` saves a search; it must never hide a site, and is not misspelt."""
    if not rule.needs <= tree.relations:
        try:
            assert not list(rule.sites(tree)), rule.name
        except Decline:
            return


def check_all(source):
    made = 0
    for rule in RULES:
        check_shortcut(rule, SourceTree(source))
    for rule in RULES:
        for plan in rule.plans(SourceTree(source)):
            if isinstance(plan, Decline):
                assert str(plan)
                continue
            try:
                variant = plan.realise()
            except Decline:
                continue
            check(source, variant)
            made += 1
    return made


@pytest.mark.mirror
def test_gold_english_trees(mirror):
    (path,) = (mirror / "raw.githubusercontent.com/UniversalDependencies/UD_English-EWT").glob(
        "*/*-dev.conllu.gz"
    )
    made = 0
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        for tokens in conllu.parse_incr(stream):
            words = [token for token in tokens if isinstance(token["id"], int)]
            made += check_all(
                Sentence(
                    words=tuple(word["form"] for word in words),
                    space_after=tuple((word["misc"] or {}).get("SpaceAfter") != "No" for word in words),
                    lemmas=tuple(word["lemma"] for word in words),
                    upos=tuple(word["upos"] for word in words),
                    xpos=tuple(word["xpos"] or "" for word in words),
                    feats=tuple(
                        "|".join(f"{key}={value}" for key, value in (word["feats"] or {}).items())
                        for word in words
                    ),
                    heads=tuple(word["head"] for word in words),
                    deprels=tuple(word["deprel"] for word in words),
                )
            )
    assert made > 2000


WORDS = [
    ("dogs", "dog", "NOUN", "NNS"), ("cat", "cat", "NOUN", "NN"), ("Rome", "Rome", "PROPN", "NNP"),
    ("she", "she", "PRON", "PRP"), ("that", "that", "PRON", "WDT"), ("saw", "see", "VERB", "VBD"),
    ("bitten", "bite", "VERB", "VBN"), ("gives", "give", "VERB", "VBZ"), ("was", "be", "AUX", "VBD"),
    ("has", "have", "AUX", "VBZ"), ("did", "do", "AUX", "VBD"), ("can", "can", "AUX", "MD"),
    ("not", "not", "PART", "RB"), ("'s", "'s", "PART", "POS"), ("up", "up", "ADP", "RP"),
    ("by", "by", "ADP", "IN"), ("from", "from", "ADP", "IN"), ("to", "to", "ADP", "IN"),
    ("than", "than", "ADP", "IN"), ("and", "and", "CCONJ", "CC"), ("when", "when", "SCONJ", "WRB"),
    ("the", "the", "DET", "DT"), ("a", "a", "DET", "DT"), ("all", "all", "DET", "DT"),
    ("old", "old", "ADJ", "JJ"), ("larger", "large", "ADJ", "JJR"), ("two", "two", "NUM", "CD"),
    ("yesterday", "yesterday", "ADV", "RB"), (",", ",", "PUNCT", ","), ("1990", "1990", "NUM", "CD"),
]  # fmt: skip
RELATIONS = [
    "nsubj", "nsubj:pass", "obj", "iobj", "obl", "obl:agent", "obl:unmarked", "advmod", "advcl", "acl",
    "acl:relcl", "amod", "det", "nmod", "nmod:poss", "case", "mark", "cc", "conj", "aux", "aux:pass", "cop",
    "compound", "compound:prt", "nummod", "punct", "xcomp", "ccomp", "appos", "expl",
]  # fmt: skip


@st.composite
def trees(draw):
    """Any words under any relations on any tree, projective or not, with a full stop on any word."""
    n = draw(st.integers(3, 12))
    words = [draw(st.sampled_from(WORDS)) for _ in range(n)]
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    order = rng.permutation(n)
    heads = [0] * n
    for place in range(1, n):
        heads[order[place]] = int(order[rng.integers(place)]) + 1
    relations = ["root" if head == 0 else RELATIONS[rng.integers(len(RELATIONS))] for head in heads]
    forms = [form for form, *_ in words]
    forms[0] = forms[0].capitalize() if forms[0][0].isalpha() else "The"
    stop = draw(st.one_of(st.just(heads.index(0) + 1), st.integers(1, n)))
    return Sentence(
        words=(*forms, "."),
        space_after=(*[True] * (n - 1), False, False),
        lemmas=(*[lemma for _, lemma, *_ in words], "."),
        upos=(*[upos for *_, upos, _ in words], "PUNCT"),
        xpos=(*[xpos for *_, xpos in words], "."),
        feats=("",) * (n + 1),
        heads=(*heads, stop),
        deprels=(*relations, "punct"),
    )


@settings(max_examples=400, deadline=None)
@given(trees())
def test_random_trees(sentence):
    check_all(sentence)
