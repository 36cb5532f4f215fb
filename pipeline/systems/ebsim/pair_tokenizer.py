"""Two sentences in one input, ``[CLS] a [SEP] b [SEP]``, for a cross-encoder (EBSIM 2024, eq. 6)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from pipeline.nn.inference import on_device
from pipeline.nn.tokenizer import SentenceTokenizer
from pipeline.systems.ebsim import MASK

PAIR_TOKENS = 128  # of a pair at most, as published (4.1.2)


@dataclass(frozen=True)
class PairTokens:
    """A padded batch on one device: B pairs of at most L tokens, special ones included."""

    ids: torch.Tensor  # int64 [B, L]
    mask: torch.Tensor  # bool [B, L], False at padding
    types: torch.Tensor | None  # int64 [B, L], segments; None for a backbone without them
    first: torch.Tensor  # bool [B, L], True at the tokens of a, special ones excluded
    second: torch.Tensor  # bool [B, L], True at those of b

    def inputs(self) -> dict[str, torch.Tensor]:
        """Keyword arguments of a transformer's forward pass."""
        found = {"input_ids": self.ids, "attention_mask": self.mask.long()}
        return found if self.types is None else found | {"token_type_ids": self.types}


class PairTokenizer(SentenceTokenizer):
    """A fast Hugging Face tokenizer of texts and of pairs; in a pair that is too long the longer text is cut.

    ``pair_tokens`` is the limit of a pair, ``max_tokens`` that of a single text; both count special tokens.
    """

    def __init__(self, tokenizer: Any, max_tokens: int, pair_tokens: int) -> None:
        super().__init__(tokenizer, max_tokens)
        self.pair_tokens = pair_tokens

    def pairs(self, a: Sequence[str], b: Sequence[str], device: torch.device | str = "cpu") -> PairTokens:
        """Token ids of n pairs, padded on the right, n >= 1."""
        encoding = self._encoding(a, b, padding=True, padding_side="right", return_tensors="np")
        mask = encoding["attention_mask"].astype(bool)
        side = np.array(
            [[-1 if part is None else part for part in encoding.sequence_ids(row)] for row in range(len(a))]
        )
        self.tokens += int(mask.sum())
        self.padded_tokens += mask.size

        def tensor(array: Any) -> torch.Tensor:
            return on_device(torch.from_numpy(np.ascontiguousarray(array)), device)

        types = encoding.get("token_type_ids")
        return PairTokens(
            ids=tensor(encoding["input_ids"].astype(np.int64)),
            mask=tensor(mask),
            types=None if types is None else tensor(types.astype(np.int64)),
            first=tensor((side == 0) & mask),
            second=tensor((side == 1) & mask),
        )

    def lengths(self, a: Sequence[str], b: Sequence[str]) -> list[int]:
        """Tokens of each pair, special ones included."""
        encoding = self._encoding(a, b, return_attention_mask=False)
        return [len(ids) for ids in encoding["input_ids"]]

    def _encoding(self, a: Sequence[str], b: Sequence[str], **options: Any) -> Any:
        first, second = ([self._masked(text) for text in side] for side in (a, b))
        return self.hf_tokenizer(
            first, second, truncation="longest_first", max_length=self.pair_tokens, **options
        )

    def _masked(self, text: str) -> str:
        own = self.hf_tokenizer.mask_token or self.hf_tokenizer.unk_token
        return text if own in (None, MASK) else text.replace(MASK, own)
