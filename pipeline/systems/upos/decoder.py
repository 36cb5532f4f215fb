"""The decoder of ``upos``: it predicts the tags of a translation (Liu et al. 2019, section 3.1)."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import nn
from torch.nn import functional as F

from pipeline.nn.inference import on_device
from pipeline.nn.tokenizer import stack

# Universal Dependencies v2; a tag's id is its index.
UPOS = (
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT",
    "SCONJ", "SYM", "VERB", "X",
)  # fmt: skip
END = len(UPOS)  # after the last tag, and before the first
PADDING = -100
_ID = {tag: number for number, tag in enumerate(UPOS)}
SAME_LANGUAGE = 0  # source and target in one language
LANGUAGES = 1 + 26 * 26  # a row for each two-letter code, so that a new language needs no new table
_TAG, _LANGUAGE, _CELL = 100, 20, 512  # widths as published (table 1)


def language_row(code: str) -> int:
    """Return the row of a language by its ISO 639-1 code; ``SAME_LANGUAGE`` for other codes and for ""."""
    letters = [ord(letter) - ord("a") for letter in code]
    if len(letters) != 2 or not all(0 <= letter < 26 for letter in letters):
        return SAME_LANGUAGE
    return 1 + 26 * letters[0] + letters[1]


def tag_ids(sequences: Sequence[Sequence[str]], device: torch.device | str = "cpu") -> torch.Tensor:
    """Return tag sequences with ``END``, int64 [B, T], and ``PADDING``; a tag outside UD counts as X."""
    rows = [[*(_ID.get(tag, _ID["X"]) for tag in tags), END] for tags in sequences]
    return on_device(stack(rows, PADDING, least=1), device)


class TagDecoder(nn.Module):
    """An LSTM over the previous tag, the target language and the sentence vector, at each step.

    ``pooled`` and ``last`` are the widths of the sentence vector and of the encoder's last states.
    """

    def __init__(self, pooled: int, last: int) -> None:
        super().__init__()
        self.start = nn.Linear(last, 2 * _CELL)
        self.tag = nn.Embedding(len(UPOS) + 1, _TAG)
        self.language = nn.Embedding(LANGUAGES, _LANGUAGE)
        self.lstm = nn.LSTM(_TAG + _LANGUAGE + pooled, _CELL, batch_first=True)
        self.scores = nn.Linear(_CELL, len(UPOS) + 1)

    def forward(
        self, pooled: torch.Tensor, last: torch.Tensor, languages: torch.Tensor, tags: torch.Tensor
    ) -> torch.Tensor:
        """Scores of every tag and ``END`` at each step, float32 [B, T, 18], given the true tags before it.

        ``pooled`` [B, P], ``last`` [B, S], ``languages`` int64 [B], ``tags`` as ``tag_ids`` [B, T].
        """
        before = torch.cat([torch.full_like(tags[:, :1], END), tags[:, :-1]], dim=1).clamp(min=0)
        constant = torch.cat([self.language(languages), pooled], dim=1)
        inputs = torch.cat([self.tag(before), constant[:, None].expand(-1, tags.shape[1], -1)], dim=2)
        hidden, cell = self.start(last).unsqueeze(0).chunk(2, dim=2)
        outputs, _ = self.lstm(inputs, (hidden.contiguous(), cell.contiguous()))
        return self.scores(outputs).float()


class TagLosses(NamedTuple):
    """How well B tag sequences are predicted, float32 [B] each."""

    loss: torch.Tensor  # summed negative log-likelihood of the tags and the end, in nats
    correct: torch.Tensor  # tags and ends that scored highest
    tags: torch.Tensor  # number of tags and ends


def tag_losses(scores: torch.Tensor, tags: torch.Tensor) -> TagLosses:
    """Return the cross-entropy (section 3.2) of scores [B, T, 18] against ``tags`` int64 [B, T]."""
    real = tags != PADDING
    # Flat: over [B, 18, T] a GPU has no deterministic form of it.
    flat = F.cross_entropy(scores.flatten(0, 1), tags.flatten(), ignore_index=PADDING, reduction="none")
    losses = flat.view(tags.shape)
    correct = (scores.argmax(dim=2) == tags) & real
    return TagLosses(losses.sum(dim=1), correct.sum(dim=1).float(), real.sum(dim=1).float())
