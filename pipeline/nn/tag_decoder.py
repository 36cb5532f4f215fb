"""From a sentence vector to the tags of its translation, one after the other (Liu et al. 2019, figure 1)."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import nn
from torch.nn import functional as F

# Universal Dependencies v2; the numbers of the tags are their places here.
UPOS = (
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT",
    "SCONJ", "SYM", "VERB", "X",
)  # fmt: skip
END = len(UPOS)  # ends a sequence, and stands before its first tag
PADDING = -100
_PLACE = {tag: number for number, tag in enumerate(UPOS)}
OWN_LANGUAGE = 0
LANGUAGES = 1 + 26 * 26  # a row for each two-letter code, so that a new language needs no new table


def language_row(code: str) -> int:
    """The row of a language by its ISO 639-1 code; ``OWN_LANGUAGE`` for other codes and for ""."""
    letters = [ord(letter) - ord("a") for letter in code]
    if len(letters) != 2 or not all(0 <= letter < 26 for letter in letters):
        return OWN_LANGUAGE
    return 1 + 26 * letters[0] + letters[1]


def tag_numbers(sequences: Sequence[Sequence[str]], device: torch.device | str = "cpu") -> torch.Tensor:
    """Tag sequences with their ``END``, int64 [B, T], ``PADDING`` behind; a tag outside UD counts as X."""
    longest = max((len(tags) for tags in sequences), default=0) + 1
    rows = [
        [*(_PLACE.get(tag, _PLACE["X"]) for tag in tags), END, *[PADDING] * (longest - len(tags) - 1)]
        for tags in sequences
    ]
    return torch.tensor(rows, dtype=torch.int64, device=device).view(len(sequences), longest)


class Shape(NamedTuple):
    """Sizes of a decoder."""

    pooled: int  # of the sentence vector
    last: int  # of the encoder's last states
    tag: int
    language: int
    cell: int


class TagDecoder(nn.Module):
    """An LSTM that is told at each step the tag before, the language, and the sentence vector."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.start = nn.Linear(shape.last, 2 * shape.cell)
        self.tag = nn.Embedding(len(UPOS) + 1, shape.tag)
        self.language = nn.Embedding(LANGUAGES, shape.language)
        self.lstm = nn.LSTM(shape.tag + shape.language + shape.pooled, shape.cell, batch_first=True)
        self.scores = nn.Linear(shape.cell, len(UPOS) + 1)

    def forward(
        self, pooled: torch.Tensor, last: torch.Tensor, languages: torch.Tensor, tags: torch.Tensor
    ) -> torch.Tensor:
        """Scores of every tag and ``END`` at each step, float32 [B, T, 18], given the true tags before it.

        ``pooled`` [B, P], ``last`` [B, S], ``languages`` int64 [B], ``tags`` as ``tag_numbers`` [B, T].
        """
        before = torch.cat([torch.full_like(tags[:, :1], END), tags[:, :-1]], dim=1).clamp(min=0)
        constant = torch.cat([self.language(languages), pooled], dim=1)
        inputs = torch.cat([self.tag(before), constant[:, None].expand(-1, tags.shape[1], -1)], dim=2)
        hidden, cell = self.start(last).unsqueeze(0).chunk(2, dim=2)
        outputs, _ = self.lstm(inputs, (hidden.contiguous(), cell.contiguous()))
        return self.scores(outputs).float()


class Surprise(NamedTuple):
    """How a decoder does on B sequences, float32 [B] each."""

    loss: torch.Tensor  # summed negative log-likelihood of the tags and the end, in nats
    right: torch.Tensor  # tags and ends that scored highest
    tags: torch.Tensor  # tags and ends there are


def surprise(scores: torch.Tensor, tags: torch.Tensor) -> Surprise:
    """Compare scores [B, T, 18] with ``tags`` [B, T]."""
    there = tags != PADDING
    losses = F.cross_entropy(scores.transpose(1, 2), tags, ignore_index=PADDING, reduction="none")
    right = (scores.argmax(dim=2) == tags) & there
    return Surprise(losses.sum(dim=1), right.sum(dim=1).float(), there.sum(dim=1).float())
