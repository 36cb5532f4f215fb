"""The derivation keeps every word whatever the tree, and brackets plain sentences as the treebank does."""

import itertools
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.syntax.constituency import TOKENS, Tree, derive, template
from pipeline.syntax.constituency.penn import penn_tags
from pipeline.syntax.constituency.tree import PHRASES, TAGS, walk
from pipeline.syntax.sentence import Sentence
from pipeline.syntax.tree import DependencyTree, is_tree, projective
from tests.syntax.constituency import parseval

RELATIONS = [
    "nsubj", "obj", "iobj", "obl", "advmod", "advcl", "ccomp", "xcomp", "csubj", "aux", "cop", "case",
    "mark", "cc", "conj", "punct", "det", "amod", "nmod", "nummod", "compound", "flat", "appos", "acl",
    "acl:relcl", "parataxis", "expl", "fixed", "dep", "compound:prt", "nmod:poss",
]  # fmt: skip
WORDS = ["the", "is", "to", "of", "who", "``", "''", ",", "?", "said", "(", ")", ";", "%", "and", "not"]


@st.composite
def dependency_trees(draw: st.DrawFn) -> Sentence:
    size = draw(st.integers(1, 12))
    order = draw(st.permutations(range(size)))
    heads = [0] * size
    for place, word in enumerate(order[1:], 1):
        heads[word] = order[draw(st.integers(0, place - 1))] + 1
    words = [draw(st.sampled_from(WORDS)) for _ in range(size)]
    tags = [draw(st.sampled_from(TAGS)) for _ in range(size)]
    labelled = draw(st.booleans())
    relations = [draw(st.sampled_from(RELATIONS)) if head else "root" for head in heads] if labelled else ()
    return Sentence(" ".join(words), words, heads, relations, (), tags)


@settings(max_examples=150, deadline=None)
@given(dependency_trees())
def test_any_tree_gives_constituents_over_all_its_words_in_order(sentence: Sentence) -> None:
    tree = derive(sentence)
    found = parseval.leaves(tree)
    assert [leaf.word for leaf in found] == list(sentence.words)
    assert {leaf.label for leaf in found} <= set(TAGS)
    assert {node.label for node, opens in walk(tree) if opens and node.children} <= set(PHRASES)
    assert set(template(sentence)) <= set(TOKENS)


@given(dependency_trees())
def test_lifting_leaves_a_projective_tree_and_projective_trees_alone(sentence: Sentence) -> None:
    lifted = projective(sentence.heads)
    assert is_tree(lifted)
    assert DependencyTree(lifted).is_projective()
    assert not DependencyTree(sentence.heads).is_projective() or lifted == list(sentence.heads)


def side(words: str, tags: str, heads: str, relations: str = "") -> Sentence:
    return Sentence(
        words, words.split(), [int(head) for head in heads.split()], relations.split(), (), tags.split()
    )


@pytest.mark.parametrize(
    ("sentence", "brackets"),
    [
        (
            side("The boy chased the dog .", "DT NN VBD DT NN .", "2 3 0 5 3 3"),
            "(S (NP (DT The) (NN boy)) (VP (VBD chased) (NP (DT the) (NN dog))) (. .))",
        ),
        (  # the function words are heads, as head rules find them
            side("He said that it will sell shares", "PRP VBD IN PRP MD VB NNS", "2 0 2 5 3 5 6"),
            "(S (NP (PRP He)) (VP (VBD said) (SBAR (IN that) (S (NP (PRP it)) (VP (MD will) (VP (VB sell) "
            "(NP (NNS shares))))))))",
        ),
        (  # the same in UD, where they are leaves
            side(
                "He said that it will sell shares",
                "PRP VBD IN PRP MD VB NNS",
                "2 0 6 6 6 2 6",
                "nsubj root mark nsubj aux ccomp obj",
            ),
            "(S (NP (PRP He)) (VP (VBD said) (SBAR (IN that) (S (NP (PRP it)) (VP (MD will) (VP (VB sell) "
            "(NP (NNS shares))))))))",
        ),
        (
            side(
                "The dog was chased by the boy .",
                "DT NN VBD VBN IN DT NN .",
                "2 4 4 0 7 7 4 4",
                "det nsubj:pass aux:pass root case det obl punct",
            ),
            "(S (NP (DT The) (NN dog)) (VP (VBD was) (VP (VBN chased) (PP (IN by) (NP (DT the) "
            "(NN boy))))) (. .))",
        ),
        (
            side(
                "the house in which she lives",
                "DT NN IN WDT PRP VBZ",
                "2 0 4 6 6 2",
                "det root case obl nsubj acl:relcl",
            ),
            "(NP (NP (DT the) (NN house)) (SBAR (WHPP (IN in) (WHNP (WDT which))) (S (NP (PRP she)) "
            "(VP (VBZ lives)))))",
        ),
        (
            side("Ann sang and Bob danced", "NNP VBD CC NNP VBD", "2 0 5 5 2", "nsubj root cc nsubj conj"),
            "(S (S (NP (NNP Ann)) (VP (VBD sang))) (CC and) (S (NP (NNP Bob)) (VP (VBD danced))))",
        ),
        (
            side(
                "`` Sell , '' said Ann .",
                "`` VB , '' VBD NNP .",
                "2 5 2 2 0 5 5",
                "punct ccomp punct punct root nsubj punct",
            ),
            "(S (`` ``) (S (VP (VB Sell))) (, ,) ('' '') (VP (VBD said) (NP (NNP Ann))) (. .))",
        ),
    ],
)
def test_sentences_are_bracketed_as_in_the_treebank(sentence: Sentence, brackets: str) -> None:
    assert str(derive(sentence)) == brackets


def test_words_without_a_penn_tag_get_one_by_form_feature_or_universal_tag() -> None:
    sentence = Sentence(
        words=["The", "boys", "(", "gave", ",", "giving", ",", "given", ")", "."],
        upos=["DET", "NOUN", "PUNCT", "VERB", "PUNCT", "VERB", "PUNCT", "VERB", "PUNCT", "PUNCT"],
        xpos=["ART", "NNS", *[""] * 8],
        feats=[
            "",
            "",
            "",
            "Mood=Ind|VerbForm=Fin",
            "",
            "VerbForm=Ger",
            "",
            "Tense=Past|VerbForm=Part",
            "",
            "",
        ],
    )
    assert penn_tags(sentence) == ["DT", "NNS", "-LRB-", "VBD", ",", "VBG", ",", "VBN", "-RRB-", "."]
    assert penn_tags(Sentence(words=["a", "."])) == ["XX", "."]


def sample(mirror: Path) -> Iterator[tuple[Tree, Sentence]]:
    """Gold brackets and dependencies with Penn's heads, from NLTK's sample of the Penn Treebank."""
    name = "raw.githubusercontent.com/nltk/nltk_data/*/packages/corpora/{}.zip"
    trees, heads = (next(mirror.glob(name.format(each))) for each in ("treebank", "dependency_treebank"))
    with zipfile.ZipFile(trees) as brackets, zipfile.ZipFile(heads) as columns:
        for number in range(1, 200):
            text = brackets.read(f"treebank/combined/wsj_{number:04d}.mrg").decode("ascii")
            blocks = columns.read(f"dependency_treebank/wsj_{number:04d}.dp").decode("latin-1")
            for tree, block in zip(parseval.read_all(text), blocks.strip().split("\n\n"), strict=True):
                rows = [line.split("\t") for line in block.splitlines() if line.strip()]
                words, tags, found = ([row[column] for row in rows] for column in range(3))
                root = found.index("0") + 1  # a few sentences have several: the first stays
                above = [
                    root if head == "0" and word != root else int(head) for word, head in enumerate(found, 1)
                ]
                yield tree, Sentence(" ".join(words), words, above, xpos=tags)


@pytest.mark.mirror
def test_the_sample_of_the_penn_treebank(mirror: Path) -> None:
    """Every third sentence gives 92.3 labelled F1."""
    scores = parseval.total((gold, derive(tree)) for gold, tree in itertools.islice(sample(mirror), 400))
    assert scores.sentences == 400
    assert scores.unlabelled_f1 > 90
    assert scores.labelled_f1 > 85
    assert scores.top_accuracy > 80
