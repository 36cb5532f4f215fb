import nltk
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.core.errors import SynsemError
from pipeline.syntax.constituency import TOKENS, Tree, read, tag_counts, tokens, top_constituents
from pipeline.syntax.constituency.brackets import words
from pipeline.syntax.constituency.tree import PHRASES, TAGS, drawn, known

PENN = """
( (S
    (NP-SBJ-1 (DT The) (NN price) )
    (VP (VBD was)
      (VP (VBN expected)
        (S
          (NP-SBJ (-NONE- *-1) )
          (VP (TO to) (VP (VB go) (PRT|ADVP (RP up) ) ) ) )
        (PP-LOC=2 (-LRB- -LRB-) (IN in) (NP (NNP Oslo) ) (-RRB- -RRB-) ) ))
    (. .) ))
"""
leaf = st.builds(
    Tree, st.sampled_from(TAGS), st.just(()), st.text("abcé-.'", min_size=1).filter(lambda w: w != "-NONE-")
)
trees = st.recursive(
    leaf,
    lambda below: st.builds(
        Tree, st.sampled_from(PHRASES), st.lists(below, min_size=1, max_size=4).map(tuple)
    ),
    max_leaves=20,
)


def test_traces_functions_indices_and_the_root_are_removed() -> None:
    tree = read(PENN)
    assert str(tree) == (
        "(S (NP (DT The) (NN price)) (VP (VBD was) (VP (VBN expected) (S (VP (TO to) (VP (VB go) "
        "(PRT (RP up))))) (PP (-LRB- -LRB-) (IN in) (NP (NNP Oslo)) (-RRB- -RRB-)))) (. .))"
    )
    assert words(tree) == ["The", "price", "was", "expected", "to", "go", "up", "(", "in", "Oslo", ")", "."]
    assert top_constituents(tree) == ("NP", "VP", ".")


def test_a_template_is_read_and_linearised_without_words() -> None:
    template = read("(S (NP) (VP (VBD) (VP (VBN) (PP))))")
    assert " ".join(tokens(template)) == "(S (NP ) (VP (VBD ) (VP (VBN ) (PP ) ) ) )"
    assert tag_counts(template) == {"S": 1, "NP": 1, "VP": 2, "VBD": 1, "VBN": 1, "PP": 1}
    assert read(" ".join(tokens(template))) == template
    assert tokens(read("(S (NP (DT the) (NN boy)) (VP (VBD left)))")) == tokens(
        read("(S (NP (DT) (NN)) (VP (VBD)))")
    )


@pytest.mark.parametrize(
    "text",
    ["(S (NP)", "(S))", "(S) (NP)", "S", "(S (NP the dog))", "(S a (NP))", " ", "(NP (-NONE- *))"],
)
def test_what_is_no_tree_is_refused(text: str) -> None:
    with pytest.raises(SynsemError):
        read(text)


def test_unknown_labels_become_those_of_the_inventory() -> None:
    assert str(read("(FOO (BAR a) (NN-TMP b) (PRT|ADVP (RP c)) (_SP d))")) == (
        "(X (XX a) (NN b) (PRT (RP c)) (XX d))"
    )
    assert [known(label, True) for label in ("NP-SBJ-1", "S=2", "ADVP|PRT", "BAR")] == [
        "NP",
        "S",
        "ADVP",
        "X",
    ]
    assert len(set(TOKENS)) == len(TOKENS) == 1 + len(PHRASES) + len(TAGS)


def test_deep_brackets_are_no_danger() -> None:
    deep = read("(S " * 5000 + "(NN a)" + ")" * 5000)
    assert len(tokens(deep)) == 10_002


@given(trees)
def test_what_is_written_is_read_back_as_nltk_reads_it(tree: Tree) -> None:
    assert read(str(tree)) == read(drawn(tree)) == tree
    theirs = nltk.Tree.fromstring(str(tree))
    assert [(leaf, tag) for leaf, tag in theirs.pos()] == [
        (node.word, node.label) for node in _nodes(tree) if not node.children
    ]
    assert sorted(node.label for node in _nodes(tree)) == sorted(each.label() for each in theirs.subtrees())
    assert tree.without_words() == read(" ".join(tokens(tree)))


def test_a_tree_as_deep_as_a_text_of_a_thousand_words_is_drawn() -> None:
    deep = Tree("NN", (), "a")
    for _ in range(1200):  # deeper than Python's calls may be
        deep = Tree("S", (deep, Tree("NN", (), "b")))
    lines = drawn(deep).splitlines()
    assert "".join(line.strip() + " " for line in lines).replace(" ", "") == str(deep).replace(" ", "")
    assert lines[0] == "(S"


def test_a_bracket_around_two_trees_keeps_both() -> None:
    assert str(read("( (S (NN one)) (S (NN two)))")) == "(X (S (NN one)) (S (NN two)))"


def test_words_are_read_without_the_escapes_of_the_treebank() -> None:
    tree = read("(NP (-LRB- -LSB-) (NN 1\\/2) (NN a\\*b) (-RRB- -RSB-))")
    assert words(tree) == ["[", "1/2", "a*b", "]"]


def test_curly_brackets_have_the_tag_of_round_ones() -> None:
    assert str(read("(NP (-LCB- x) (-RCB- y))")) == "(NP (-LRB- x) (-RRB- y))"


def test_a_phrase_of_one_word_is_its_own_top() -> None:
    assert top_constituents(read("(S (NP (NN no)))")) == ("NN",)


def test_an_indented_line_of_a_drawn_tree_is_no_wider_than_the_others() -> None:
    phrase = f"(NP (NN {'x' * 89}))"
    assert len(phrase) == 99
    assert drawn(read(f"(S {phrase} (VP (VB go)))")).split("\n")[1] == "  (NP"


def _nodes(tree: Tree) -> list[Tree]:
    return [tree, *(node for child in tree.children for node in _nodes(child))]
