"""Word dropout (Iyyer et al. 2015; ParaBART, appendix A): pieces of the source are masked at random."""

from collections.abc import Sequence, Set

import torch

from pipeline.nn.tokens import Encoded


def mask_pieces(encoded: Sequence[Encoded], share: float, mask: int, spared: Set[int]) -> list[Encoded]:
    """Each piece becomes ``mask`` with the chance ``share``, by torch's generator; ``spared`` ones never."""
    masked = []
    for sentence in encoded:
        chances = torch.rand(len(sentence.ids)).tolist()
        ids = [
            mask if chance < share and piece not in spared else piece
            for piece, chance in zip(sentence.ids, chances, strict=True)
        ]
        masked.append(sentence._replace(ids=ids))
    return masked
