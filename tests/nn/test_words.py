"""Words to subwords and back: no word without a subword, and pooling as by hand."""

from pathlib import Path

import pytest
import torch

from pipeline.nn import backbone
from pipeline.nn.tokenizer import SentenceTokenizer, WordTokenizer, pool_words

SENTENCES = [["The", "unbelievable", "dog", "can", "not", "bark", "."], ["Dogs", "bark"], ["\u200b", "x"]]


@pytest.fixture(scope="module")
def words(tiny_backbone: Path) -> WordTokenizer:
    return WordTokenizer(SentenceTokenizer(backbone.load(str(tiny_backbone)).tokenizer, 32), 32)


def test_subwords_are_the_tokenizers_own_for_words_between_spaces(words: WordTokenizer) -> None:
    tokens = words(SENTENCES[:2])
    for row, sentence in enumerate(SENTENCES[:2]):
        wanted = words.hf_tokenizer(sentence, is_split_into_words=True)
        n = len(wanted["input_ids"])
        assert tokens.ids[row, :n].tolist() == wanted["input_ids"]
        assert tokens.mask[row].tolist() == [True] * n + [False] * (tokens.ids.shape[1] - n)
        assert tokens.words[row, :n].tolist() == [-1 if w is None else w for w in wanted.word_ids()]
        assert words.count(sentence) == n


def test_every_word_has_a_subword_even_one_that_the_tokenizer_drops(words: WordTokenizer) -> None:
    tokens = words(SENTENCES)
    for row, sentence in enumerate(SENTENCES):
        assert set(tokens.words[row].tolist()) - {-1} == set(range(len(sentence)))


def test_words_beyond_the_limit_have_no_state_and_do_no_harm(words: WordTokenizer) -> None:
    tokens = words([["dog"] * 50])
    assert tokens.ids.shape == (1, 32)
    pooled = pool_words(torch.ones(1, 32, 3), tokens.words, 50)
    assert pooled[0, :30].eq(1).all()
    assert pooled[0, 30:].eq(0).all()


def test_pooling_is_the_mean_of_a_words_subwords() -> None:
    states = torch.randn(1, 6, 4)
    found = pool_words(states, torch.tensor([[-1, 0, 0, 0, 2, -1]]), 3)[0]
    expected = torch.stack([states[0, 1:4].mean(dim=0), torch.zeros(4), states[0, 4]])
    torch.testing.assert_close(found, expected)
