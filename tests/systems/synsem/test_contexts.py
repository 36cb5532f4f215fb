"""Sentences that training reads beside those of an example."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from pipeline.nn import backbone as backbones
from pipeline.nn.tokenizer import NO_WORD, SentenceTokenizer
from pipeline.syntax.sentence import Side
from pipeline.systems.synsem.contexts import contexts, in_context
from pipeline.systems.synsem.swaps import swapped
from pipeline.systems.synsem.words import NONE, read, read_sides, read_texts
from tests.systems.synsem.test_synsem_model import BATCH, create
from tests.systems.synsem.test_synsem_words import CANNOT, PASSIVE


@pytest.fixture
def tokenizer(tiny_backbone: Path) -> SentenceTokenizer:
    return SentenceTokenizer(backbones.load(str(tiny_backbone)).tokenizer, 64)


def test_a_text_of_two_sentences_has_the_tokens_of_the_text_and_the_links_of_each(
    tokenizer: SentenceTokenizer,
) -> None:
    one, other = read(tokenizer, [PASSIVE, CANNOT], "tree")
    (both,) = read_texts(tokenizer, [(PASSIVE, CANNOT)], "tree")
    encoding = tokenizer.tokenize([f"{PASSIVE.text} {CANNOT.text}"], places=False)
    assert both.encoded.ids == encoding["input_ids"][0]
    words = [NO_WORD if word is None else word for word in encoding.word_ids(0)]
    assert both.encoded.words.tolist() == words
    assert both.size == one.size + other.size
    assert both.links.content.tolist() == [*one.links.content, *other.links.content]
    moved = np.where(other.links.successors == NONE, NONE, other.links.successors + one.size)
    assert both.links.successors.tolist() == [*one.links.successors, *moved]


def test_of_a_text_that_is_cut_the_words_that_are_left_keep_their_links(tiny_backbone: Path) -> None:
    tokenizer = SentenceTokenizer(backbones.load(str(tiny_backbone)).tokenizer, 16)
    (whole,) = read(tokenizer, [PASSIVE], "tree")
    (both,) = read_texts(tokenizer, [(PASSIVE, PASSIVE)], "tree")
    assert whole.size < both.size < 2 * whole.size
    assert both.links.successors[: whole.size].tolist() == whole.links.successors.tolist()


def test_without_the_tree_of_one_there_are_no_links(tokenizer: SentenceTokenizer) -> None:
    bare = Side("Rain fell.", (), ())
    assert [each.links for each in read_texts(tokenizer, [(PASSIVE, bare), (bare, PASSIVE)], "tree")] == [
        None
    ] * 2


def test_a_text_is_read_once_and_another_order_of_its_sentences_is_another_text(
    tokenizer: SentenceTokenizer,
) -> None:
    sides = [[(PASSIVE, CANNOT), (PASSIVE,)], [(CANNOT, PASSIVE), (PASSIVE, CANNOT), (PASSIVE,)]]
    found = read_sides(tokenizer, sides, "tree")
    assert (found.rows, found.sizes) == ([0, 1, 2, 0, 1], [2, 3])
    expected = read_texts(tokenizer, [(PASSIVE, CANNOT), (PASSIVE,), (CANNOT, PASSIVE)], "tree")
    assert [each.encoded.ids for each in found.texts] == [each.encoded.ids for each in expected]


def test_a_share_of_all_anchors_is_drawn_and_the_other_sentence_stands_on_either_side() -> None:
    drawn = [[in_context(PASSIVE, f"anchor {n}", step, 0.25) for n in range(400)] for step in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    places = Counter(text.index(PASSIVE) if len(text) == 2 else None for text in drawn[0])
    assert places.keys() == {None, 0, 1}
    assert 270 < places[None] < 330
    assert min(places[0], places[1]) > 25
    assert len({each.text for text in drawn[0] for each in text if each is not PASSIVE}) > 50
    assert in_context(PASSIVE, "anchor", 1, 0.0) == (PASSIVE,)


def test_contexts_are_distinct_short_sentences_with_trees() -> None:
    assert len({each.text for each in contexts()}) == len(contexts()) == 400
    assert all(0 < len(each.words) == len(each.heads) <= 10 for each in contexts())


def test_all_sides_of_an_example_are_read_beside_the_same_sentence(tiny_backbone: Path) -> None:
    system = create(tiny_backbone, context=1.0, unmarked=0.0)
    found = system.read(BATCH, None)
    texts = [found.texts[row].encoded.ids for row in found.rows]
    swaps = [swapped(anchor, -1) for anchor in BATCH.anchors]
    sides = [*BATCH.anchors, *BATCH.positives, *swaps, *BATCH.negatives]
    owners = [*range(5), *range(5), *range(5), *BATCH.owners]
    before = 0
    for text, side, owner in zip(texts, sides, owners, strict=True):
        beside = [each.text for each in in_context(side, BATCH.anchors[owner].text, -1, 1.0)]
        assert text == system.tokenizer.tokenize([" ".join(beside)], places=False)["input_ids"][0]
        assert beside == [
            side.text if each is BATCH.anchors[owner] else each.text
            for each in in_context(BATCH.anchors[owner], BATCH.anchors[owner].text, -1, 1.0)
        ]
        before += beside[1] == side.text
    assert 0 < before < len(sides)


def test_the_mark_before_another_sentence_stays(tiny_backbone: Path) -> None:
    system = create(tiny_backbone, context=1.0, unmarked=1.0)
    stop = system.tokenizer.hf_tokenizer.convert_tokens_to_ids(".")
    found = system.read(BATCH, 0)
    for text in found.texts:
        ids = text.encoded.ids[1:-1]
        assert ids.count(stop) <= 1
        assert ids[-1] != stop
    assert any(stop in text.encoded.ids for text in found.texts)


def test_what_is_embedded_is_read_as_it_stands(tiny_backbone: Path) -> None:
    alone, beside = (create(tiny_backbone, context=share).embed(BATCH.anchors) for share in (0.0, 1.0))
    for view, vectors in alone.items():
        np.testing.assert_array_equal(vectors, beside[view])
