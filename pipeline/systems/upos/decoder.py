"""Objectives of ``upos`` on tag sequences: a decoder of the translation's tags, and vector distances.

The decoder is that of Liu et al. 2019 (section 3.1, figure 1). ``distance_loss`` is our addition: it trains
what the paper's functional dissimilarity measures (section 4.2).
"""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import nn
from torch.nn import functional as F

from pipeline.nn.inference import on_device
from pipeline.nn.precision import full_precision
from pipeline.nn.tokenizer import stack
from pipeline.syntax.tag_sequences import normalised_distances

# Universal Dependencies v2; a tag's id is its index.
UPOS = (
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT",
    "SCONJ", "SYM", "VERB", "X",
)  # fmt: skip
END = len(UPOS)  # after the last tag, and before the first
PADDING = -100
MAX_TAGS = 96  # of a sequence in ``padded_tags``, so that chunks of a batch have one width
_ID = {tag: number for number, tag in enumerate(UPOS)}
SAME_LANGUAGE = 0  # source and target in one language
LANGUAGES = 1 + 26 * 26  # a row for each two-letter code, so that a new language needs no new table


def language_row(code: str) -> int:
    """The row of a language by its ISO 639-1 code; ``SAME_LANGUAGE`` for other codes and for ""."""
    letters = [ord(letter) - ord("a") for letter in code]
    if len(letters) != 2 or not all(0 <= letter < 26 for letter in letters):
        return SAME_LANGUAGE
    return 1 + 26 * letters[0] + letters[1]


def tag_ids(sequences: Sequence[Sequence[str]], device: torch.device | str = "cpu") -> torch.Tensor:
    """Tag sequences with ``END``, int64 [B, T], ``PADDING`` on the right; a tag outside UD counts as X."""
    rows = [[*(_ID.get(tag, _ID["X"]) for tag in tags), END] for tags in sequences]
    return on_device(stack(rows, PADDING, least=1), device)


class DecoderSizes(NamedTuple):
    """Widths of a decoder's inputs and of its cell."""

    pooled: int  # of the sentence vector
    last: int  # of the encoder's last states
    tag: int
    language: int
    cell: int


class TagDecoder(nn.Module):
    """An LSTM over the previous tag, the target language and the sentence vector, at each step."""

    def __init__(self, sizes: DecoderSizes) -> None:
        super().__init__()
        self.start = nn.Linear(sizes.last, 2 * sizes.cell)
        self.tag = nn.Embedding(len(UPOS) + 1, sizes.tag)
        self.language = nn.Embedding(LANGUAGES, sizes.language)
        self.lstm = nn.LSTM(sizes.tag + sizes.language + sizes.pooled, sizes.cell, batch_first=True)
        self.scores = nn.Linear(sizes.cell, len(UPOS) + 1)

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
    """Cross-entropy (section 3.2) of scores [B, T, 18] against ``tags`` int64 [B, T]."""
    real = tags != PADDING
    # Flat: over [B, 18, T] a GPU has no deterministic form of it.
    flat = F.cross_entropy(scores.flatten(0, 1), tags.flatten(), ignore_index=PADDING, reduction="none")
    losses = flat.view(tags.shape)
    correct = (scores.argmax(dim=2) == tags) & real
    return TagLosses(losses.sum(dim=1), correct.sum(dim=1).float(), real.sum(dim=1).float())


def padded_tags(sequences: Sequence[Sequence[str]], device: torch.device | str = "cpu") -> torch.Tensor:
    """``tag_ids`` of sequences cut and padded to one width, int64 [B, MAX_TAGS]."""
    ids = tag_ids([tags[: MAX_TAGS - 1] for tags in sequences], device)
    return F.pad(ids, (0, MAX_TAGS - ids.shape[1]), value=PADDING)


def distance_loss(vectors: torch.Tensor, tags: torch.Tensor) -> torch.Tensor:
    """Mean over all pairs of B sentences of (cosine distance - normalised edit distance of the tags)².

    ``vectors`` [B, D]; ``tags`` as from ``padded_tags``. 0 for a single sentence.
    """
    sequences = [row[row != PADDING][:-1].tolist() for row in tags.cpu()]
    edits = torch.from_numpy(normalised_distances(sequences)).to(vectors.device)
    unit = F.normalize(vectors.float(), dim=1)
    with full_precision(vectors.device):
        distances = 1 - unit @ unit.T
    pairs = torch.triu(torch.ones_like(edits, dtype=torch.bool), diagonal=1)
    return (distances - edits)[pairs].square().sum() / pairs.sum().clamp(min=1)
