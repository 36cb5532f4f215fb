"""Words as the tokenizer sees them, links from trees, and exchanges of words, on known sentences."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.nn import backbone as backbones
from pipeline.nn.tokenizer import NO_WORD, SentenceTokenizer
from pipeline.syntax.sentence import Sentence
from pipeline.systems.synsem.data import NONE, OTHER, exchanged, in_context, read_texts, without_mark
from pipeline.systems.synsem.templates import contexts

# The prize was won by Ann in May: role order Ann, won, prize, May.
PASSIVE = Sentence(
    "The prize was won by Ann in May.",
    ["The", "prize", "was", "won", "by", "Ann", "in", "May", "."],
    [2, 4, 4, 0, 6, 4, 8, 4, 4],
    ["det", "nsubj:pass", "aux:pass", "root", "case", "obl:agent", "case", "obl", "punct"],
    ["DET", "NOUN", "AUX", "VERB", "ADP", "PROPN", "ADP", "PROPN", "PUNCT"],
    lemmas=["the", "prize", "be", "win", "by", "Ann", "in", "May", "."],
)
CANNOT = Sentence(
    "Dogs cannot see-saw here",
    ["Dogs", "can", "not", "see", "-", "saw", "here"],
    [4, 4, 4, 0, 6, 4, 4],
    ["nsubj", "aux", "advmod", "root", "punct", "xcomp", "advmod"],
    ["NOUN", "AUX", "PART", "VERB", "PUNCT", "VERB", "ADV"],
)
CONJUNCTS = Sentence(
    "Cats and dogs sleep",
    ["Cats", "and", "dogs", "sleep"],
    [4, 3, 1, 0],
    ["nsubj", "cc", "conj", "root"],
    ["NOUN", "CCONJ", "NOUN", "VERB"],
)


@pytest.fixture
def tokenizer(tiny_backbone: Path) -> SentenceTokenizer:
    return SentenceTokenizer(backbones.load(str(tiny_backbone)).tokenizer, 64)


def read(tokenizer: SentenceTokenizer, sentences: list[Sentence], order: Any = None) -> list[Any]:
    return read_texts(tokenizer, [(each,) for each in sentences], order)


def chain(successors: Any, words: list[str]) -> list[str]:
    """The content words in the order that the links give."""
    after = list(successors)
    content = [word for word in range(len(words)) if after[word] != OTHER]
    order = [NONE]
    while order[0] in after:
        order.insert(0, after.index(order[0]))
    assert sorted(order[:-1]) == content
    return [words[word] for word in order[:-1]]


def test_links_follow_role_order_or_the_control(tokenizer: SentenceTokenizer) -> None:
    (found,) = read(tokenizer, [PASSIVE], "tree")
    assert chain(found.successors, PASSIVE.words) == ["Ann", "won", "prize", "May"]
    (surface,) = read(tokenizer, [PASSIVE], "surface")
    assert chain(surface.successors, PASSIVE.words) == ["prize", "won", "Ann", "May"]
    assert sorted(set(found.words.tolist())) == [NO_WORD, *range(len(PASSIVE.words))]


def test_words_of_a_tree_are_matched_by_their_place(tokenizer: SentenceTokenizer) -> None:
    (found,) = read(tokenizer, [CANNOT], "tree")
    # The tokenizer's words: Dogs, cannot, see, -, saw, here.
    assert found.size == 6
    assert chain(found.successors, ["Dogs", "cannot", "see", "-", "saw", "here"]) == [
        "Dogs", "see", "saw", "cannot", "here",
    ]  # fmt: skip


def test_a_text_alone_is_enough_and_a_cut_word_has_no_link(tiny_backbone: Path) -> None:
    tokenizer = SentenceTokenizer(backbones.load(str(tiny_backbone)).tokenizer, 7)
    (plain,) = read(tokenizer, [Sentence(PASSIVE.text)])
    (linked,) = read(tokenizer, [PASSIVE], "tree")
    assert not len(plain.successors)
    assert list(plain.ids) == list(linked.ids)
    assert plain.size == linked.size < len(PASSIVE.words)
    assert len(linked.successors) == linked.size
    assert max(linked.successors) < linked.size


def test_a_sentence_without_content_words_has_no_link(tokenizer: SentenceTokenizer) -> None:
    empty = Sentence("Of the", ["Of", "the"], [2, 0], ["case", "root"], ["ADP", "DET"])
    assert [list(each.successors) for each in read(tokenizer, [empty], "tree")] == [[OTHER, OTHER]]


def test_exchanges_keep_the_tree_and_change_who_is_who() -> None:
    seen = {exchanged(PASSIVE, draw).text for draw in range(40)}
    assert seen == {"The prize was won by May in Ann."}
    found = exchanged(PASSIVE, 0)
    assert found.words == ["The", "prize", "was", "won", "by", "May", "in", "Ann", "."]
    assert found.lemmas[5] == "May"
    assert (found.heads, found.deprels, found.upos) == (PASSIVE.heads, PASSIVE.deprels, PASSIVE.upos)


@pytest.mark.parametrize(
    ("sentence", "lemmas", "expected"),
    [
        ("DNA carries information", ["DNA", "carry", "information"], "Information carries DNA"),
        ("McDonalds outsell shops", ["McDonalds", "outsell", "shop"], "Shops outsell McDonalds"),
        ("X hits walls", ["x", "hit", "wall"], "Walls hits X"),
        ("Hunde jagen Katzen", ["Hund", "jagen", "Katze"], "Katzen jagen Hunde"),  # German nouns
        ("Hunde jagen Katzen", [], "Katzen jagen hunde"),  # nothing tells that they have capitals
        ("Ärzte help nurses", ["ärzte", "help", "nurse"], "Nurses help ärzte"),
    ],
)
def test_a_word_that_has_capitals_anywhere_keeps_them(
    sentence: str, lemmas: list[str], expected: str
) -> None:
    labels = ["nsubj", "root", "obj"], ["NOUN", "VERB", "NOUN"]
    tree = Sentence(sentence, sentence.split(), [2, 0, 2], *labels, lemmas=lemmas)
    found = exchanged(tree, 0)
    assert found is not None
    assert found.text == " ".join(found.words) == expected


def test_what_may_change_places_is_not_exchanged() -> None:
    assert exchanged(CONJUNCTS, 0) is None
    twice = replace(CONJUNCTS, text="Cats and cats sleep", words=["Cats", "and", "cats", "sleep"])
    assert exchanged(twice, 0) is None


def test_each_draw_is_another_exchange_and_always_the_same() -> None:
    words = ["Ann", "told", "Ben", "that", "Carl", "met", "Dora"]
    side = Sentence(
        " ".join(words), words, [2, 0, 2, 6, 6, 2, 6],
        ["nsubj", "root", "obj", "mark", "nsubj", "ccomp", "obj"],
        ["PROPN", "VERB", "PROPN", "SCONJ", "PROPN", "VERB", "PROPN"],
    )  # fmt: skip
    found = [exchanged(side, draw).text for draw in range(200)]
    assert len(set(found)) == 7  # six pairs of names, one of verbs
    assert found == [exchanged(side, draw).text for draw in range(200)]


def test_the_final_mark_is_left_out_with_its_labels_and_the_links_stay(tokenizer: SentenceTokenizer) -> None:
    found = without_mark(PASSIVE, 0, 1.0)
    assert found == replace(
        PASSIVE,
        text="The prize was won by Ann in May",
        words=PASSIVE.words[:-1],
        heads=PASSIVE.heads[:-1],
        deprels=PASSIVE.deprels[:-1],
        upos=PASSIVE.upos[:-1],
        lemmas=PASSIVE.lemmas[:-1],
    )
    whole, bare = read(tokenizer, [PASSIVE, found], "tree")
    assert list(bare.successors) == list(whole.successors[:-1])
    assert without_mark(replace(PASSIVE, text="The prize was won by Ann in May ."), 0, 1.0).text == found.text


def test_only_a_mark_that_ends_a_sentence_and_nothing_hangs_from_is_left_out() -> None:
    assert without_mark(PASSIVE, 0, 0.0) is PASSIVE
    assert without_mark(CANNOT, 0, 1.0) is CANNOT  # no mark
    hung = replace(PASSIVE, heads=[2, 4, 4, 9, 6, 4, 8, 4, 0])
    assert without_mark(hung, 0, 1.0) is hung
    alone, mark = Sentence("Rain!"), Sentence("?", ["?"], [0])
    assert without_mark(alone, 0, 1.0) is alone  # without words nothing is known of its end
    assert without_mark(mark, 0, 1.0) is mark
    for end, left in (("!", "Rain"), ("?", "Rain"), (":", "Rain:"), ('"', 'Rain"')):
        assert without_mark(Sentence(f"Rain{end}", ["Rain", end], [0, 1]), 0, 1.0).text == left


def test_a_context_stands_next_to_a_share_of_sentences(tokenizer: SentenceTokenizer) -> None:
    found = [in_context(PASSIVE, f"text {number}", 3, 0.2) for number in range(400)]
    pairs = [text for text in found if len(text) == 2]
    assert 50 < len(pairs) < 110
    assert {text.index(PASSIVE) for text in pairs} == {0, 1}
    known = {each.text for each in contexts()}
    assert all({each.text for each in text} & known for text in pairs)
    (read,) = read_texts(tokenizer, [(CANNOT, PASSIVE)], "tree")
    parts = read_texts(tokenizer, [(CANNOT,), (PASSIVE,)], "tree")
    first, second = (np.array(part.successors) for part in parts)
    assert list(read.successors) == [*first, *np.where(second >= 0, second + len(first), second)]
