"""What holds for any tree, gold or with wrong arcs: no crash, well-formed output, every word aligned."""

import dataclasses
import gzip
import itertools
from collections import Counter

import conllu
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_gold_cases import POSITIVE, parsed

from pipeline.augment.base import NAMES, transformations
from pipeline.augment.draft import Decline
from pipeline.augment.phrases import SourceTree
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
    if not tree.relations.issuperset(rule.needs.split()):
        try:
            assert not list(rule.sites(tree)), rule.name
        except Decline:
            return


def check_all(source):
    """What the rules make of a sentence is sound; returns how many variants each has made."""
    made = Counter()
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
            made[rule.name] += 1
    return made


@pytest.mark.mirror
def test_gold_english_trees(mirror):
    (path,) = (mirror / "raw.githubusercontent.com/UniversalDependencies/UD_English-EWT").glob(
        "*/*-dev.conllu.gz"
    )
    made = Counter()
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
    assert made.total() > 2000


RELATIONS = [
    "nsubj", "nsubj:pass", "obj", "iobj", "obl", "obl:agent", "obl:unmarked", "advmod", "advcl", "acl",
    "acl:relcl", "amod", "det", "nmod", "nmod:poss", "case", "mark", "cc", "conj", "aux", "aux:pass", "cop",
    "compound", "compound:prt", "nummod", "punct", "xcomp", "ccomp", "appos", "expl",
]  # fmt: skip


@pytest.fixture(scope="module")
def sources():
    """By rule, the trees of sentences that it rewrites: a few of the hand-written cases of each."""
    cases = {rule: [] for rule, *_ in POSITIVE}
    for rule, source, _ in POSITIVE:
        cases[rule].append(source)
    few = {rule: texts[:: max(1, len(texts) // 8)] for rule, texts in cases.items()}
    trees = parsed(itertools.chain(*few.values()))
    return {rule: [trees[text] for text in texts] for rule, texts in few.items()}


@st.composite
def spoilt(draw, sources):
    """A sentence that some rule rewrites, with up to three arcs wrong: a head, a relation, or two swapped."""
    tree = draw(st.sampled_from(sources[draw(st.sampled_from(sorted(sources)))]))
    heads, deprels = list(tree.heads), list(tree.deprels)
    words = st.integers(0, len(tree) - 1)
    for _ in range(draw(st.integers(0, 3))):
        one, other, how = draw(words), draw(words), draw(st.sampled_from(["head", "relation", "swap"]))
        before = heads[one]
        if how == "swap":
            deprels[one], deprels[other] = deprels[other], deprels[one]
        elif how == "relation":
            deprels[one] = draw(st.sampled_from(RELATIONS))
        elif before:
            heads[one] = other + 1
            if not is_tree(heads):
                heads[one] = before
    return dataclasses.replace(tree, heads=tuple(heads), deprels=tuple(deprels))


def test_trees_with_wrong_arcs(sources):
    """As parsers make them, projective or not: what is made of them is sound, and most rules make some."""
    made = Counter()

    @settings(max_examples=300, deadline=None)
    @given(spoilt(sources))
    def check_spoilt(sentence):
        made.update(check_all(sentence))

    check_spoilt()
    assert len(made) >= len(NAMES) - 2, set(NAMES) - set(made)
    assert made.total() > 500
