"""Words, not text: token ids of given words, and token states pooled to a state a word."""

from collections.abc import Iterable, Sequence
from typing import Literal

import torch

from pipeline.nn.tokens import NO_WORD, Tokeniser, Tokens

Pieces = Literal["mean", "first"]

_PIECES_A_WORD = 16  # of a longer word only the first ones are read
_REMEMBERED = 200_000  # words, after which the memory starts anew


class WordTokeniser:
    """A fast Hugging Face tokenizer on one word at a time, as a parser wants it: no piece spans two words.

    Each word's pieces are looked up once and remembered. ``max_tokens`` counts special tokens; the words
    beyond have no piece, and their pooled state is zero. What passes is counted in ``tokeniser``.
    """

    def __init__(self, tokeniser: Tokeniser, max_tokens: int) -> None:
        self.tokeniser, self.tokenizer, self.max_tokens = tokeniser, tokeniser.tokenizer, max_tokens
        tokenizer = self.tokenizer
        self._known: dict[str, list[int]] = {}
        probe = tokenizer("a", return_special_tokens_mask=True)
        special = [bool(mark) for mark in probe["special_tokens_mask"]]
        first = special.index(False) if False in special else len(special)
        ids = probe["input_ids"]
        last = len(special) - special[::-1].index(False) if False in special else len(special)
        self._before, self._after = ids[:first], ids[last:]
        unknown = tokenizer.unk_token_id
        self._unknown = [0 if unknown is None else unknown]

    def __call__(self, sentences: Sequence[Sequence[str]], device: torch.device | str = "cpu") -> Tokens:
        """The padded batch of some sentences' words; ``Tokens.words`` says which word a piece is of."""
        self._learn(word for words in sentences for word in words)
        room = self.max_tokens - len(self._before) - len(self._after)
        ids, owners = [], []
        for words in sentences:
            pieces = [self._known[word] for word in words]
            flat = [piece for word in pieces for piece in word][:room]
            numbers = [number for number, word in enumerate(pieces) for _ in word][:room]
            ids.append([*self._before, *flat, *self._after])
            owners.append([*[NO_WORD] * len(self._before), *numbers, *[NO_WORD] * len(self._after)])
        lengths = torch.tensor([len(row) for row in ids])
        mask = torch.arange(int(lengths.max())) < lengths[:, None]
        self.tokeniser.tokens += int(lengths.sum())
        self.tokeniser.slots += mask.numel()
        padding = self.tokenizer.pad_token_id or 0
        return Tokens(
            ids=_padded(ids, padding).to(device),
            mask=mask.to(device),
            words=_padded(owners, NO_WORD).to(device),
            heads=None,
        )

    def count(self, words: Sequence[str]) -> int:
        """Tokens of a sentence, special ones included."""
        self._learn(words)
        found = len(self._before) + len(self._after) + sum(len(self._known[word]) for word in words)
        return min(found, self.max_tokens)

    def _learn(self, words: Iterable[str]) -> None:
        if len(self._known) > _REMEMBERED:
            self._known.clear()
            words = list(words)
        new = [word for word in dict.fromkeys(words) if word not in self._known]
        if not new:
            return
        # Byte-level tokenizers tell the start of a word by the space before it; the others do not mind.
        pieces = self.tokenizer([f" {word}" for word in new], add_special_tokens=False)["input_ids"]
        for word, found in zip(new, pieces, strict=True):
            self._known[word] = found[:_PIECES_A_WORD] or self._unknown


def _padded(rows: Sequence[Sequence[int]], filler: int) -> torch.Tensor:
    width = max(len(row) for row in rows)
    return torch.tensor([[*row, *[filler] * (width - len(row))] for row in rows], dtype=torch.int64)


def pool_words(states: torch.Tensor, words: torch.Tensor, count: int, pieces: Pieces) -> torch.Tensor:
    """States of tokens [B, L, D] to states of words [B, count, D], by ``words`` int64 [B, L].

    A word's state is the mean of its pieces' or its first piece's; zero for a word without one. As a matrix
    product, so that a GPU gives the same bits each time.
    """
    share = (words[:, None, :] == torch.arange(count, device=words.device)[:, None]).to(states.dtype)
    if pieces == "first":
        share = share * (share.cumsum(dim=2) == 1)
    return (share / share.sum(dim=2, keepdim=True).clamp(min=1)) @ states
