"""Words to subwords and back."""

from pathlib import Path

import torch

from pipeline.nn import backbone
from pipeline.nn.tokenizer import WordTokenizer, pool_words
from pipeline.syntax.sentence import Sentence

SENTENCES = [
    Sentence("", words)
    for words in (["The", "unbelievable", "dog", "can", "not", "bark", "."], ["Dogs", "bark"], ["cannot"])
]


def test_subwords_are_the_tokenizers_own_for_words_between_spaces(tiny_backbone: Path) -> None:
    words = WordTokenizer(backbone.load(str(tiny_backbone)).tokenizer, 32)
    for sentence, found in zip(SENTENCES, words.encode(SENTENCES), strict=True):
        wanted = words.hf_tokenizer(sentence.words, is_split_into_words=True)
        assert found.ids == wanted["input_ids"]
        assert found.words is not None
        assert found.words.tolist() == [-1 if word is None else word for word in wanted.word_ids()]


def test_words_beyond_the_limit_have_no_state_and_do_no_harm(tiny_backbone: Path) -> None:
    words = WordTokenizer(backbone.load(str(tiny_backbone)).tokenizer, 32)
    tokens = words([Sentence("", ["dog"] * 50)])
    assert tokens.ids.shape == (1, 32)
    assert tokens.words is not None
    pooled = pool_words(torch.ones(1, 32, 3), tokens.words, 50)
    assert pooled[0, :30].eq(1).all()
    assert pooled[0, 30:].eq(0).all()


def test_pooling_is_the_mean_of_a_words_subwords() -> None:
    states = torch.randn(1, 6, 4)
    found = pool_words(states, torch.tensor([[-1, 0, 0, 0, 2, -1]]), 3)[0]
    expected = torch.stack([states[0, 1:4].mean(dim=0), torch.zeros(4), states[0, 4]])
    torch.testing.assert_close(found, expected)
