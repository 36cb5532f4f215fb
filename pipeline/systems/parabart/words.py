"""Words and subwords: counting the words of a sentence being written, word dropout, a text's first words."""

from collections.abc import Sequence, Set

import torch
from torch import nn

from pipeline.core.errors import SynsemError
from pipeline.nn.tokenizer import EncodedSentence
from pipeline.syntax.sentence import HasTree

_INSIDE = "##"  # WordPiece marks subwords inside a word
_SPACES = ("Ġ", "▁")  # byte-level BPE and SentencePiece mark subwords after a space
_APOSTROPHES = ("'", "’")
_CLITICS = frozenset(("s", "t", "re", "ve", "ll", "d", "m"))


class WordCount(nn.Module):
    """Counts the words that subwords have begun, so that the decoder can be given the next word's leaf.

    Words are as in a treebank: punctuation is a word, and so are ``'s`` and ``n't`` (of ``don't``, the
    second). ``vocabulary`` has the tokenizer's subwords in the order of their ids; ``rows`` is the number of
    ids.
    """

    begins: torch.Tensor  # bool [rows]: begins a word
    apostrophe: torch.Tensor  # bool [rows]
    clitic: torch.Tensor  # bool [rows]: continues a word after an apostrophe

    def __init__(self, vocabulary: Sequence[str], rows: int) -> None:
        super().__init__()
        mark = next((mark for mark in _SPACES if any(each.startswith(mark) for each in vocabulary)), None)
        bare = [subword.removeprefix(mark or "") for subword in vocabulary]
        for name, flags in (
            ("begins", [_begins(subword, mark) for subword in vocabulary]),
            ("apostrophe", [subword in _APOSTROPHES for subword in bare]),
            ("clitic", [subword in _CLITICS for subword in vocabulary]),
        ):
            table = torch.zeros(rows, dtype=torch.bool)
            table[: len(vocabulary)] = torch.tensor(flags[:rows])
            self.register_buffer(name, table, persistent=False)  # the saved tokenizer has all of it

    def forward(self, subwords: torch.Tensor) -> torch.Tensor:
        """Words begun up to and with each subword, int64 [B, T], of ids [B, T] of which [:, 0] is the start.

        That is the 0-based number of the word that begins next.
        """
        begins = self.begins[subwords]
        begins[:, 1:] &= ~(self.apostrophe[subwords[:, :-1]] & self.clitic[subwords[:, 1:]])
        begins[:, :1] = False  # the start
        begins[:, 1:2] = True  # the first word, which has no space before it
        return begins.long().cumsum(dim=1)


def _begins(subword: str, mark: str | None) -> bool:
    if mark is None:
        return not subword.startswith(_INSIDE)
    return subword.startswith(mark) or not subword[:1].isalnum()


def mask_subwords(
    encoded: Sequence[EncodedSentence], share: float, mask: int, spared: Set[int]
) -> list[EncodedSentence]:
    """Word dropout (Iyyer et al. 2015; ParaBART, appendix A): replace subwords by ``mask`` at random.

    Each is replaced with probability ``share``, drawn from torch's generator; ids in ``spared`` never are.
    """
    masked = []
    for sentence in encoded:
        draws = torch.rand(len(sentence.ids)).tolist()
        ids = [
            mask if draw < share and subword not in spared else subword
            for subword, draw in zip(sentence.ids, draws, strict=True)
        ]
        masked.append(sentence._replace(ids=ids))
    return masked


def first_words(sentence: HasTree, count: int) -> str:
    """The text up to the end of its ``count``-th word; SynsemError where words and text disagree."""
    if len(sentence.words) <= count:
        return sentence.text
    end = 0
    for word in sentence.words[:count]:
        start = sentence.text.find(word, end)
        if start < 0:
            raise SynsemError(f"{sentence.text[:60]!r}: {word!r} is not in the text; parse it again")
        end = start + len(word)
    return sentence.text[:end]
