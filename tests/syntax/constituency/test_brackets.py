"""Trees are written in brackets as nltk reads them, and linearised without their words."""

import nltk
from hypothesis import given
from hypothesis import strategies as st

from pipeline.syntax.constituency import TOKENS, Tree, tag_counts, tokens, top_constituents
from pipeline.syntax.constituency.tree import PHRASES, TAGS, walk
from tests.syntax.constituency.parseval import leaves, read

leaf = st.builds(Tree, st.sampled_from(TAGS), st.just(()), st.text("abcé-.'", min_size=1))
trees = st.recursive(
    leaf,
    lambda below: st.builds(
        Tree, st.sampled_from(PHRASES), st.lists(below, min_size=1, max_size=4).map(tuple)
    ),
    max_leaves=20,
)


def test_a_tree_is_linearised_and_counted_without_words() -> None:
    template = read("(S (NP) (VP (VBD) (VP (VBN) (PP))))")
    assert " ".join(tokens(template)) == "(S (NP ) (VP (VBD ) (VP (VBN ) (PP ) ) ) )"
    assert tag_counts(template) == {"S": 1, "NP": 1, "VP": 2, "VBD": 1, "VBN": 1, "PP": 1}
    assert tokens(read("(S (NP (DT the) (NN boy)) (VP (VBD left)))")) == tokens(
        read("(S (NP (DT) (NN)) (VP (VBD)))")
    )
    assert len(set(TOKENS)) == len(TOKENS) == 1 + len(PHRASES) + len(TAGS)


def test_deep_trees_are_no_danger() -> None:
    deep = Tree("NN", (), "a")
    for _ in range(5000):  # deeper than Python's calls may be
        deep = Tree("S", (deep,))
    assert len(tokens(deep)) == 10_002
    assert str(deep) == "(S " * 5000 + "(NN a)" + ")" * 5000


@given(trees)
def test_what_is_written_is_what_nltk_reads(tree: Tree) -> None:
    theirs = nltk.Tree.fromstring(str(tree))
    assert theirs.pos() == [(each.word, each.label) for each in leaves(tree)]
    assert [each.label() for each in theirs.subtrees()] == [each.label for each, opens in walk(tree) if opens]


def test_top_constituents() -> None:
    assert top_constituents(read("(S (NP (NN rain)) (VP (VBD fell)) (. .))")) == ("NP", "VP", ".")
    assert top_constituents(read("(S (NP (NN no)))")) == ("NN",)
