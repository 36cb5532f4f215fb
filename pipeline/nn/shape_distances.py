"""Embeddings that lie as far apart as their sentences' shapes: the objective behind functional dissimilarity.

Liu et al. 2019 measure how near cosine distances are to edit distances of tag sequences (section 4.2); here
that is learnt, on the pairs of a batch.
"""

from collections.abc import Sequence

import torch
from torch.nn import functional as F

from pipeline.levenshtein import normalised_distances
from pipeline.nn.tag_decoder import PADDING, tag_numbers

LONGEST = 96  # tags of a shape that count, so that parts of a batch have one width


def shapes(sequences: Sequence[Sequence[str]], device: torch.device | str = "cpu") -> torch.Tensor:
    """Tag sequences as numbers, int64 [B, LONGEST], ``PADDING`` behind."""
    numbers = tag_numbers([tags[: LONGEST - 1] for tags in sequences], device)
    return F.pad(numbers, (0, LONGEST - numbers.shape[1]), value=PADDING)


def misplacement(vectors: torch.Tensor, shapes: torch.Tensor) -> torch.Tensor:
    """Mean squared difference of cosine and normalised edit distance over all pairs of B sentences.

    ``vectors`` [B, D], ``shapes`` as of the function of that name; 0 where there is one sentence.
    """
    sequences = [row[row != PADDING][:-1].tolist() for row in shapes.cpu()]
    edits = torch.from_numpy(normalised_distances(sequences)).to(vectors.device)
    unit = F.normalize(vectors.float(), dim=1)
    with torch.autocast(vectors.device.type, enabled=False):
        apart = 1 - unit @ unit.T
    pairs = torch.triu(torch.ones_like(edits, dtype=torch.bool), diagonal=1)
    return (apart - edits)[pairs].square().sum() / pairs.sum().clamp(min=1)
