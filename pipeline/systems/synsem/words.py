"""The words that the network itself sees, and what the trees of training say about them.

At inference there is no parser, so a word is what the backbone's own tokenizer splits at spaces and
punctuation. The words of a tree are matched to these by their place in the text.
"""

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.nn.sketch import Order, content_words
from pipeline.nn.tokenizer import NO_WORD, EncodedSentence, SentenceTokenizer
from pipeline.syntax.sentence import HasTree, distinct_sentences, word_starts
from pipeline.systems.synsem.role_order import role_order

NONE = -1  # the successor of the last word


class Links(NamedTuple):
    """What the tree of one sentence says of its W words; all empty for a sentence without a tree."""

    content: NDArray[np.bool_]  # [W], whether a word is one of the content words
    successors: NDArray[np.int64]  # [W], the next content word in role order, or NONE


class ReadSentence(NamedTuple):
    """A sentence as token ids with the word of each, and the links of its words where a tree gave them."""

    encoded: EncodedSentence
    size: int  # words
    links: Links | None


class ReadSides(NamedTuple):
    """The sentences of several sides of a batch."""

    texts: list[ReadSentence]  # each one once
    rows: list[int]  # the text of each sentence, side after side
    sizes: list[int]  # sentences of each side


def read_sides(tokenizer: SentenceTokenizer, sides: Sequence[Sequence[HasTree]], order: Order) -> ReadSides:
    """``read`` of all sides; a sentence that occurs more than once is read once."""
    sentences, rows = distinct_sentences([each for side in sides for each in side])
    return ReadSides(read(tokenizer, sentences, order), rows, [len(side) for side in sides])


def read(
    tokenizer: SentenceTokenizer, sentences: Sequence[HasTree], order: Order | None = None
) -> list[ReadSentence]:
    """Token ids and words of texts; with ``order``, their trees' links in that order, too.

    ``order`` is one of ``nn.sketch.content_words``: ``tree``, which here is role order, or a control. Raises
    SynsemError where the words of a tree and its text disagree.
    """
    if not sentences:
        return []
    encoding = tokenizer.tokenize([sentence.text for sentence in sentences], places=order is not None)
    found = []
    for row, sentence in enumerate(sentences):
        own = [NO_WORD if word is None else word for word in encoding.word_ids(row)]
        count = max(own, default=NO_WORD) + 1
        links = None
        if order is not None and sentence.heads:
            links = _links(sentence, encoding["offset_mapping"][row], own, count, order)
        words = np.array(own, dtype=np.int64)
        found.append(ReadSentence(EncodedSentence(encoding["input_ids"][row], words, ()), count, links))
    return found


def _links(
    sentence: HasTree,
    offsets: Sequence[tuple[int, int]],
    words: Sequence[int],
    count: int,
    order: Order,
) -> Links:
    """Links between ``words``, L numbers or NO_WORD, of subwords at ``offsets`` in the text."""
    content, successors = np.zeros(count, dtype=bool), np.full(count, NONE, dtype=np.int64)
    # Plain lists: for some twenty words NumPy takes longer to be called than to compute.
    subwords = [(end, word) for (_, end), word in zip(offsets, words, strict=True) if word != NO_WORD]
    ends = [end for end, _ in subwords]
    starts = word_starts(sentence.text, sentence.words)
    found = (bisect_right(ends, starts[word]) for word in content_words(sentence, order, role_order))
    # A word that was cut off has no place; two words of the tree may be one here, as in *cannot*.
    places = list(dict.fromkeys(subwords[place][1] for place in found if place < len(ends)))
    content[places] = True
    successors[places[:-1]] = places[1:]
    return Links(content, successors)
