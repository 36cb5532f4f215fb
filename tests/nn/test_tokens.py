from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pipeline.core.errors import SynsemError
from pipeline.nn import backbone
from pipeline.nn.tokenizer import NO_HEAD, NO_WORD, SentenceTokenizer, learn_subwords
from pipeline.nn.tree_attention import tree_distance
from pipeline.syntax.sentence import Sentence

CAT = Sentence("The cat can't sit.", ["The", "cat", "ca", "n't", "sit", "."], [2, 5, 5, 5, 0, 5])
SHORT = Sentence("Rain!", ["Rain", "!"], [0, 1])


@pytest.fixture(scope="module")
def tokenizer(tiny_backbone: Path) -> object:
    return backbone.load(str(tiny_backbone)).tokenizer


def test_ids_are_the_tokenizers_own_and_subwords_know_their_words(tokenizer: object) -> None:
    tokens = SentenceTokenizer(tokenizer, 64)([CAT, SHORT])
    plain = tokenizer([CAT.text, SHORT.text], padding=True, return_tensors="pt")  # type: ignore[operator]
    assert torch.equal(tokens.ids, plain["input_ids"])
    assert torch.equal(tokens.mask.long(), plain["attention_mask"])
    subwords = [tokenizer.convert_ids_to_tokens(row) for row in tokens.ids.tolist()]  # type: ignore[attr-defined]
    assert tokens.words is not None
    assert subwords[0][1:-1] == ["the", "cat", "can", "'", "t", "sit", "."]
    # "can" covers "ca" and the n of "n't": it belongs to the first.
    assert tokens.words[0].tolist() == [NO_WORD, 0, 1, 2, 3, 3, 4, 5, NO_WORD]
    assert tokens.words[1].tolist()[:4] == [NO_WORD, 0, 1, NO_WORD]
    assert tokens.heads is not None
    assert tokens.heads.tolist() == [[2, 5, 5, 5, 0, 5], [0, 1, *[NO_HEAD] * 4]]


@given(st.integers(1, 40), st.integers(0, 2**32), st.integers(3, 12))
def test_of_a_long_text_depths_and_paths_of_what_is_read_are_right(
    tokenizer: object, length: int, seed: int, room: int
) -> None:
    """Words below others may stand before or after them, and there may be several roots."""
    draw = np.random.default_rng(seed)
    order = draw.permutation(length)  # a word's head comes before it here
    heads = [0] * length
    for place, word in enumerate(order[1:], 1):
        heads[word] = int(draw.choice([0, *(order[:place] + 1)]))
    side = Sentence("the " * length, ["the"] * length, heads, ["dep"] * length)
    reader = SentenceTokenizer(tokenizer, room)
    [whole] = reader.encode([side])
    part = whole.read_part()
    assert whole.words is not None
    assert part.heads is not None
    assert len(part.heads) <= length
    read = int(whole.words.max()) + 1
    far, near = (tree_distance(reader.pad([each]).heads) for each in (whole, part))  # type: ignore[arg-type]
    assert torch.equal(near.depth[0, :read], far.depth[0, :read])
    together = far.connected[0, :read, :read]
    assert torch.equal(near.connected[0, :read, :read], together)
    assert torch.equal(near.path[0, :read, :read][together], far.path[0, :read, :read][together])


def test_words_that_are_not_in_the_text_are_an_error(tokenizer: object) -> None:
    with pytest.raises(SynsemError, match=r"word 2 .'dog'. is not in the text"):
        SentenceTokenizer(tokenizer, 16)([Sentence("The cat.", ["The", "dog", "."], [2, 0, 2])])


TEXTS = [
    "the rain fell on the town",
    "the town is in the rain",
    "ＡＢＣ 12 rains, and it rained",
    "l'été",
] * 3


def test_subwords_are_learnt_in_any_order() -> None:
    learnt = [learn_subwords(order, 60) for order in (TEXTS, TEXTS[::-1])]
    assert learnt[0].get_vocab() == learnt[1].get_vocab()
    assert 30 < len(learnt[0]) <= 60
    ids = learnt[0]("the rain")["input_ids"]
    assert learnt[0].convert_ids_to_tokens(ids)[-1] == "</s>"
    assert learnt[0].decode(ids, skip_special_tokens=True) == "the rain"
    assert learnt[0]("ＡＢＣ  l'été")["input_ids"] == learnt[0]("ABC l'été")["input_ids"]


def test_subwords_span_no_space_and_no_change_of_script() -> None:
    learnt = learn_subwords(["in the, in the, in the"] * 20, 200, begin=True)
    assert all("▁" not in subword[1:] for subword in learnt.get_vocab())
    assert not any("," in subword[1:] or subword.startswith(",▁") for subword in learnt.get_vocab())
    assert learnt.convert_ids_to_tokens(learnt("in")["input_ids"])[0] == "<s>"
    assert learnt.mask_token == "<mask>"
