"""One token a word: what the encoder gets of subwords, what is cut, and what the words get back."""

import torch

from pipeline.nn.tokenizer import NO_WORD, Tokens
from pipeline.systems.cssl.word_tokens import first_rows, merge_subwords, word_states

# "[CLS] un ##known cat [SEP]" and "[CLS] rain [SEP]", with padding behind it.
TOKENS = Tokens(
    ids=torch.tensor([[1, 5, 6, 7, 2], [1, 8, 2, 0, 0]]),
    mask=torch.tensor([[True] * 5, [True] * 3 + [False] * 2]),
    words=torch.tensor([[NO_WORD, 0, 0, 1, NO_WORD], [NO_WORD, 0] + [NO_WORD] * 3]),
    heads=None,
)
REAL = torch.tensor([[True, True], [True, False]])
EMBEDDED = torch.tensor([[1.0, 5, 6, 7, 2], [1, 8, 2, 0, 0]]).unsqueeze(-1) * torch.tensor([1.0, 10.0])
ROOT = torch.tensor([-1.0, -2.0])


def test_a_word_is_the_mean_of_its_subwords_behind_the_root() -> None:
    merged = merge_subwords(TOKENS, EMBEDDED, ROOT, REAL, most=9)
    expected = [[[-1.0, -2.0], [5.5, 55.0], [7.0, 70.0]], [[-1.0, -2.0], [8.0, 80.0], [0.0, 0.0]]]
    assert merged.embedded is not None
    assert merged.words is not None
    assert merged.embedded.tolist() == expected
    assert merged.mask.tolist() == [[True, True, True], [True, True, False]]
    assert merged.words.tolist() == [[NO_WORD, 0, 1], [NO_WORD, 0, NO_WORD]]
    assert merged.ids.shape == merged.mask.shape
    first = first_rows(merged, 1)
    assert first.embedded is not None
    assert first.embedded.tolist() == expected[:1]
    assert len(first) == len(first.mask) == 1


def test_words_beyond_what_the_encoder_reads_have_the_state_zero() -> None:
    merged = merge_subwords(TOKENS, EMBEDDED, ROOT, REAL, most=2)
    assert merged.embedded is not None
    assert merged.mask.tolist() == [[True, True], [True, True]]
    states = word_states(merged.embedded + 1, merged, ROOT, REAL, "embeddings")
    assert states.tolist() == [[[0.0, -1.0], [6.5, 56.0], [0.0, 0.0]], [[0.0, -1.0], [9.0, 81.0], [0.0, 0.0]]]


def test_states_of_subwords_are_pooled_behind_the_root() -> None:
    for subwords, word in (("mean", [5.5, 55.0]), ("first", [5.0, 50.0])):
        states = word_states(EMBEDDED, TOKENS, ROOT, REAL, subwords)  # type: ignore[arg-type]
        assert states[0].tolist() == [[-1.0, -2.0], word, [7.0, 70.0]]
        assert states[1].tolist() == [[-1.0, -2.0], [8.0, 80.0], [0.0, 0.0]]
