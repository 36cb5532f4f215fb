"""Words and subwords: counting the words of a sentence as it goes on, word dropout, a text's first words."""

from collections.abc import Sequence, Set

import torch
from torch import nn

from pipeline.nn.tokenizer import EncodedSentence
from pipeline.syntax.sentence import HasTree, word_starts

_INSIDE = "##"  # WordPiece marks subwords inside a word
_SPACES = ("Ġ", "▁")  # byte-level BPE and SentencePiece mark subwords after a space
_APOSTROPHES = ("'", "’")
_CLITICS = frozenset(("s", "t", "re", "ve", "ll", "d", "m"))
# Where spaces are not marked, "u . s ." may be U.S. or the initials of a name; these are the usual acronyms.
_ACRONYMS = frozenset(("us", "uk", "un", "eu", "dc", "la", "eg", "ie", "am", "pm", "ad", "bc"))
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
# English abbreviations of several letters that keep their period, as the tokenizer of the trees has them.
_SHORTENED = """
    adm dr gen gov lt messrs mr mrs ms ph prof rep rev sen st
    bros co corp inc jr ltd mt sr vs
    jan feb mar apr jun jul aug sep sept oct nov dec
"""
_ABBREVIATIONS = frozenset(_SHORTENED.split())
_TWO_WORDS = frozenset(("cannot", "gonna", "gotta", "wanna"))


class WordCount(nn.Module):
    """Counts the words that subwords have begun, so that the decoder can be given the next word's leaf.

    Words are those of the trees. Punctuation is a word, and so are ``'s`` and ``n't`` (of ``don't``, the
    second), and both of ``cannot``. Numbers (``3.5``, ``10:30``), initials and acronyms (``J.``, ``u.s.``),
    abbreviations (``Dr.``), ``...`` and names such as ``O'Grady`` are one word. Only the subwords so far are
    read, in training as in writing: a period after a digit counts until the next digit shows that the number
    goes on. ``vocabulary`` has the tokenizer's subwords in the order of their ids; ``rows`` is the number of
    ids.
    """

    begins: torch.Tensor  # bool [rows]: begins a word
    attached: torch.Tensor  # bool [rows]: no space before it; all where the vocabulary marks none
    apostrophe: torch.Tensor  # bool [rows]
    clitic: torch.Tensor  # bool [rows]: continues a word after an apostrophe
    digits: torch.Tensor  # bool [rows]: digits alone
    joint: torch.Tensor  # bool [rows]: between two numerals, a part of the number
    comma: torch.Tensor  # bool [rows]: the same before at most three digits, so not in ``June 8, 1960``
    short: torch.Tensor  # bool [rows]: at most three digits
    period: torch.Tensor  # bool [rows]: one period or more
    letter: torch.Tensor  # int64 [rows]: 1 to 26 for one Latin letter that is not inside a word, else 0
    acronym: torch.Tensor  # bool [27, 27]: whether two letters with periods are one word
    abbreviation: torch.Tensor  # bool [rows]
    two_words: torch.Tensor  # bool [rows]

    def __init__(self, vocabulary: Sequence[str], rows: int) -> None:
        super().__init__()
        mark = next((mark for mark in _SPACES if any(each.startswith(mark) for each in vocabulary)), None)
        bare = [subword.removeprefix(mark or "") for subword in vocabulary]
        for name, given in (
            ("begins", [_begins(subword, mark) for subword in vocabulary]),
            ("attached", [mark is None or not subword.startswith(mark) for subword in vocabulary]),
            ("apostrophe", [subword in _APOSTROPHES for subword in bare]),
            ("clitic", [subword in _CLITICS for subword in vocabulary]),
            ("digits", [subword.removeprefix(_INSIDE).isdigit() for subword in bare]),
            ("joint", [subword in tuple(".:/") for subword in bare]),
            ("comma", [subword == "," for subword in bare]),
            ("short", [len(subword.removeprefix(_INSIDE)) <= 3 for subword in bare]),
            ("period", [set(subword) == {"."} for subword in bare]),
            ("abbreviation", [subword.lower() in _ABBREVIATIONS for subword in bare]),
            ("two_words", [subword.lower() in _TWO_WORDS for subword in bare]),
            ("letter", [_letter(subword) for subword in bare]),
        ):
            table = nn.functional.pad(torch.tensor(given), (0, rows - len(vocabulary)))
            self.register_buffer(name, table, persistent=False)  # the saved tokenizer has all of it
        pairs = [[mark is not None or a + b in _ACRONYMS for b in _LETTERS] for a in _LETTERS]
        acronym = torch.zeros(len(_LETTERS) + 1, len(_LETTERS) + 1, dtype=torch.bool)
        acronym[1:, 1:] = torch.tensor(pairs)
        self.register_buffer("acronym", acronym, persistent=False)

    def forward(self, subwords: torch.Tensor) -> torch.Tensor:
        """Words begun up to and with each subword, int64 [B, T], of ids [B, T] of which [:, 0] is the start.

        That is the 0-based number of the word that begins next.
        """
        attached, apostrophe = self.attached[subwords], self.apostrophe[subwords]
        period, digits = self.period[subwords], self.digits[subwords]
        letters = self.letter[subwords].masked_fill(_before(apostrophe), 0)  # no clitics
        letter, earlier = letters > 0, _before(letters, 2)
        goes_on = _before(apostrophe) & self.clitic[subwords]
        goes_on |= attached & period & _before(letter | period | self.abbreviation[subwords])
        goes_on |= attached & self.acronym[earlier, letters] & _before(period)
        goes_on |= attached & apostrophe & _before(letter)
        goes_on |= attached & _before(apostrophe & attached) & (earlier > 0)
        # What joins two numerals was counted as a word when it came.
        joined = _before(self.joint[subwords] & attached)
        joined |= _before(self.comma[subwords] & attached) & self.short[subwords]
        number = attached & digits & joined & _before(digits, 2)
        begun = (self.begins[subwords] & ~goes_on).long() + self.two_words[subwords].long()
        begun = begun.masked_fill(number, -1)
        begun[:, :1] = 0  # the start
        begun[:, 1:2] = 1 + self.two_words[subwords[:, 1:2]].long()  # the first word: no space before it
        return begun.cumsum(dim=1)


def _before(values: torch.Tensor, steps: int = 1) -> torch.Tensor:
    """The values [B, T] of the subword so many before each; 0 where there is none, and for the start."""
    shifted = torch.zeros_like(values)
    shifted[:, 1 + steps :] = values[:, 1:-steps]
    return shifted


def _letter(subword: str) -> int:
    """1 to 26 for one Latin letter, else 0."""
    return _LETTERS.find(subword.lower()) + 1 if len(subword) == 1 else 0


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
    kept = sentence.words[:count]
    return sentence.text[: word_starts(sentence.text, kept)[-1] + len(kept[-1])]
