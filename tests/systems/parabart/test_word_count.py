"""How many words a row of subwords has begun, and word dropout."""

from pathlib import Path

import pytest
import torch
from transformers import AutoTokenizer

from pipeline.nn.tokenizer import EncodedSentence
from pipeline.systems.parabart.words import WordCount, mask_subwords

WORD_PIECE = ["[CLS]", "don", "'", "t", "the", "boy", "s", "walk", "##ing", "##s", ",", "m", "."]
BYTES = ["<s>", "The", "Ġboy", "'s", "Ġdog", "gy", "Ġdon", "'t", "Ġwalk", "."]
SPACES = ["<s>", "▁The", "▁boy", "'", "s", "▁dog", "gy", "▁don", "t", "▁walk", "."]


@pytest.mark.parametrize(
    ("vocabulary", "sentence", "expected"),
    [
        (WORD_PIECE, "[CLS] the boy ' s walk ##ing , don ' t walk .", [1, 2, 3, 3, 4, 4, 5, 6, 7, 7, 8, 9]),
        (WORD_PIECE, "[CLS] ' the boy ' s", [1, 2, 3, 4, 4]),  # a quotation mark is a word, too
        (BYTES, "<s> The Ġboy 's Ġdog gy Ġdon 't Ġwalk .", [1, 2, 3, 4, 4, 5, 6, 7, 8]),
        (SPACES, "<s> ▁The ▁boy ' s ▁dog gy ▁don ' t ▁walk .", [1, 2, 3, 3, 4, 4, 5, 6, 6, 7, 8]),
    ],
)  # fmt: skip
def test_words_begun_by_hand(vocabulary: list[str], sentence: str, expected: list[int]) -> None:
    ids = [vocabulary.index(subword) for subword in sentence.split()]
    count = WordCount(vocabulary, len(vocabulary) + 3)
    found = count(torch.tensor([ids, ids]))
    assert found.tolist() == [[0, *expected]] * 2
    assert not count.state_dict()


def test_words_begun_are_those_of_a_tokenized_sentence(tiny_backbone: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(str(tiny_backbone))
    words = ["The", "boy", "'s", "dogs", "did", "n't", "chase", "the", "river", ",", "she", "said", "."]
    ids = tokenizer("The boy's dogs didn't chase the river, she said.")["input_ids"][:-1]
    count = WordCount(tokenizer.convert_ids_to_tokens(range(len(tokenizer))), len(tokenizer))
    assert count(torch.tensor([ids]))[0, -1] == len(words)


def test_word_dropout_masks_its_share_and_spares_special_subwords() -> None:
    torch.manual_seed(0)
    sentence = EncodedSentence([1, *range(10, 2010), 2], None, None)
    (masked,) = mask_subwords([sentence], 0.2, 99, {1, 2})
    assert (masked.ids[0], masked.ids[-1]) == (1, 2)
    changed = [new for old, new in zip(sentence.ids, masked.ids, strict=True) if old != new]
    assert set(changed) == {99}
    assert 330 < len(changed) < 470
    assert mask_subwords([sentence], 0.0, 99, {1, 2})[0].ids == sentence.ids
