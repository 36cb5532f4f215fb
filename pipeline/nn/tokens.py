"""Sentences as token ids, with every piece aligned to the word that it is part of."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from pipeline.errors import SynsemError
from pipeline.nn.relations import UNKNOWN, relation_numbers
from pipeline.seeding import generator
from pipeline.sentences import HasTree

NO_WORD = -1  # the word of a special token or of padding
NO_HEAD = -1  # the head of a padding word


@dataclass(frozen=True)
class Tokens:
    """A padded batch on one device: B sentences of at most L tokens and W words."""

    ids: torch.Tensor  # int64 [B, L]
    mask: torch.Tensor  # bool [B, L], False at padding
    words: (
        torch.Tensor | None
    )  # int64 [B, L], 0-based word of each piece or NO_WORD; None: no trees asked for
    heads: torch.Tensor | None  # int64 [B, W], 1-based, 0 for a root, NO_HEAD at padding
    relations: torch.Tensor | None = None  # int64 [B, W], nn.relations; None: no labels asked for
    embedded: torch.Tensor | None = None  # float32 [B, L, D], word embeddings that were looked up before

    def __len__(self) -> int:
        return self.ids.shape[0]


class Encoded(NamedTuple):
    """One sentence before padding."""

    ids: Sequence[int]
    words: NDArray[np.int64] | None
    heads: Sequence[int] | None
    relations: Sequence[int] | None = None


class Tokeniser:
    """A fast Hugging Face tokenizer on the plain text; ids equal the backbone's own, trees come beside them.

    ``max_tokens`` counts special tokens. A cut sentence keeps its whole tree, so that distances stay true.
    With ``shuffled``, each tree's words are relabelled at random, by the sentence's content: the control that
    keeps the shape of every tree and destroys what it says. With ``labels``, trees come with their relations.
    """

    def __init__(self, tokenizer: Any, max_tokens: int, shuffled: bool = False, labels: bool = False) -> None:
        self.tokenizer, self.max_tokens, self.shuffled, self.labels = tokenizer, max_tokens, shuffled, labels
        self.tokens = self.slots = 0  # through ``pad`` so far; slots count padding too

    def encode(self, sentences: Sequence[HasTree], trees: bool = True) -> list[Encoded]:
        """Token ids and, if asked for, the word of every piece; SynsemError where words and text disagree."""
        if not sentences:
            return []
        encoding = self.tokenizer(
            [sentence.text for sentence in sentences],
            truncation=True,
            max_length=self.max_tokens,
            return_attention_mask=False,
            return_token_type_ids=False,
            return_offsets_mapping=trees,
            return_special_tokens_mask=trees,
        )
        if not trees:
            return [Encoded(ids, None, None) for ids in encoding["input_ids"]]
        return [
            Encoded(ids, align(sentence, offsets, special), *self._tree(sentence))
            for sentence, ids, offsets, special in zip(
                sentences,
                encoding["input_ids"],
                encoding["offset_mapping"],
                encoding["special_tokens_mask"],
                strict=True,
            )
        ]

    def _tree(self, sentence: HasTree) -> tuple[Sequence[int], Sequence[int] | None]:
        if self.labels and len(sentence.deprels) != len(sentence.words):
            raise SynsemError(
                f"{sentence.text[:60]!r}: the tree carries no relations, which sscp.edge_types and "
                "sscp.pooling read; parse it again"
            )
        relations = relation_numbers(sentence.deprels) if self.labels else None
        if not self.shuffled:
            return sentence.heads, relations
        old = np.argsort(renaming(len(sentence.heads), sentence.text))
        return shuffle(sentence.heads, sentence.text), relations and [relations[word] for word in old]

    def pad(self, encoded: Sequence[Encoded], device: torch.device | str = "cpu") -> Tokens:
        """Stack sentences into one batch on a device, padded on the right."""
        trees = bool(encoded) and encoded[0].words is not None
        ids = _stack([sentence.ids for sentence in encoded], self.tokenizer.pad_token_id or 0)
        lengths = torch.tensor([len(sentence.ids) for sentence in encoded])
        mask = torch.arange(ids.shape[1]) < lengths[:, None]
        self.tokens, self.slots = self.tokens + int(lengths.sum()), self.slots + ids.numel()
        words = _stack([sentence.words for sentence in encoded], NO_WORD).to(device) if trees else None
        heads = _stack([sentence.heads for sentence in encoded], NO_HEAD).to(device) if trees else None
        relations = None
        if trees and self.labels:
            relations = _stack([sentence.relations for sentence in encoded], UNKNOWN).to(device)
        return Tokens(ids.to(device), mask.to(device), words, heads, relations)

    def __call__(
        self, sentences: Sequence[HasTree], device: torch.device | str = "cpu", trees: bool = True
    ) -> Tokens:
        """``encode`` and ``pad`` in one."""
        return self.pad(self.encode(sentences, trees), device)


def align(sentence: HasTree, offsets: Sequence[tuple[int, int]], special: Sequence[int]) -> NDArray[np.int64]:
    """The 0-based word of each piece by character offsets, int64 [L]; NO_WORD at special tokens.

    A piece that spans two words (``cannot``: can + not) belongs to the first; a space to the word after it.
    """
    ends = np.empty(len(sentence.words), dtype=np.int64)
    position = 0
    for number, word in enumerate(sentence.words):
        start = sentence.text.find(word, position)
        if start < 0:
            raise SynsemError(
                f"{sentence.text[:60]!r}: word {number + 1} ({word!r}) is not in the text; parse it again"
            )
        ends[number] = position = start + len(word)
    starts = np.fromiter((start for start, _ in offsets), dtype=np.int64, count=len(offsets))
    words = np.minimum(np.searchsorted(ends, starts, side="right"), len(ends) - 1)
    words[np.asarray(special, dtype=bool)] = NO_WORD
    return words


def shuffle(heads: Sequence[int], content: str) -> Sequence[int]:
    """The same tree over randomly renamed words; the renaming is a pure function of ``content``."""
    names = renaming(len(heads), content)
    renamed = np.empty(len(heads), dtype=np.int64)
    renamed[names] = np.concatenate(([0], names + 1))[np.asarray(heads, dtype=np.int64)]
    return renamed.tolist()


def renaming(words: int, content: str) -> NDArray[np.int64]:
    """The new place of each word, 0-based."""
    return generator(0, "shuffle", content).permutation(words)


def _stack(rows: Sequence[Any], filler: int) -> torch.Tensor:
    width = max((len(row) for row in rows), default=0)
    block = np.full((len(rows), width), filler, dtype=np.int64)
    for number, row in enumerate(rows):
        block[number, : len(row)] = row
    return torch.from_numpy(block)
