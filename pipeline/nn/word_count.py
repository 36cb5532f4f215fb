"""How many words a row of pieces has begun: words as a treebank cuts them, told from the pieces alone.

A sentence that is being written has no words yet but those of its pieces. Punctuation is a word of its own,
and so are ``'s`` and ``n't``, of which ``don't`` has the second.
"""

from collections.abc import Sequence

import torch
from torch import nn

_INSIDE = "##"  # WordPiece marks the pieces that go on
_SPACES = ("Ġ", "▁")  # byte-level BPE and SentencePiece those that follow a space
_APOSTROPHES = ("'", "’")
_CLITICS = frozenset(("s", "t", "re", "ve", "ll", "d", "m"))


class WordCount(nn.Module):
    """Counts for a tokenizer of these ``pieces``, in the order of their ids; ``rows`` ids in all."""

    begins: torch.Tensor  # bool [rows]
    apostrophe: torch.Tensor  # bool [rows]
    clitic: torch.Tensor  # bool [rows]: goes on after an apostrophe

    def __init__(self, pieces: Sequence[str], rows: int) -> None:
        super().__init__()
        mark = next((mark for mark in _SPACES if any(piece.startswith(mark) for piece in pieces)), None)
        bare = [piece.removeprefix(mark or "") for piece in pieces]
        for name, flags in (
            ("begins", [_begins(piece, mark) for piece in pieces]),
            ("apostrophe", [piece in _APOSTROPHES for piece in bare]),
            ("clitic", [piece in _CLITICS for piece in pieces]),
        ):
            table = torch.zeros(rows, dtype=torch.bool)
            table[: len(pieces)] = torch.tensor(flags[:rows])
            self.register_buffer(name, table, persistent=False)  # the tokenizer is saved already

    def forward(self, pieces: torch.Tensor) -> torch.Tensor:
        """Words begun up to and with each piece, int64 [B, T], of pieces [B, T] that follow a start, [:, 0].

        That is the number, from 0, of the word that begins next.
        """
        begins = self.begins[pieces]
        begins[:, 1:] &= ~(self.apostrophe[pieces[:, :-1]] & self.clitic[pieces[:, 1:]])
        begins[:, :1] = False  # the start
        begins[:, 1:2] = True  # without a space before it, but the first
        return begins.long().cumsum(dim=1)


def _begins(piece: str, mark: str | None) -> bool:
    if mark is None:
        return not piece.startswith(_INSIDE)
    return piece.startswith(mark) or not piece[:1].isalnum()
