"""The words that the network itself sees, and what the trees of training say about them.

At inference there is no parser, so a word is what the backbone's own tokenizer splits at spaces and
punctuation. The words of a tree are matched to these by their place in the text.
"""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.nn.sketch import Order, content_words
from pipeline.nn.tokenizer import NO_WORD, EncodedSentence, SentenceTokenizer
from pipeline.syntax.sentence import HasTree, distinct_sentences, word_starts

NONE = -1  # the successor of the last word

Text = tuple[HasTree, ...]  # sentences with a space between


class Links(NamedTuple):
    """What the trees of one text say of its W words."""

    content: NDArray[np.bool_]  # [W], whether a word is one of the content words
    successors: NDArray[np.int64]  # [W], the next content word in role order, or NONE


class ReadSentence(NamedTuple):
    """A text as token ids with the word of each, and the links of its words where trees gave them."""

    encoded: EncodedSentence
    size: int  # words
    links: Links | None


class ReadSides(NamedTuple):
    """The texts of several sides of a batch."""

    texts: list[ReadSentence]  # each one once
    rows: list[int]  # the place among them of each text, side after side
    sizes: list[int]  # texts of each side


def read_sides(tokenizer: SentenceTokenizer, sides: Sequence[Sequence[Text]], order: Order) -> ReadSides:
    """``read_texts`` of all sides; a text that occurs more than once is read once."""
    texts = [text for side in sides for text in side]
    _, sentences = distinct_sentences([each for text in texts for each in text])
    number = iter(sentences)
    # A text is known by the numbers of its sentences.
    keys = [tuple(islice(number, len(text))) for text in texts]
    distinct = dict(zip(keys, texts, strict=True))
    places = {key: place for place, key in enumerate(distinct)}
    found = read_texts(tokenizer, list(distinct.values()), order)
    return ReadSides(found, [places[key] for key in keys], [len(side) for side in sides])


def read(
    tokenizer: SentenceTokenizer, sentences: Sequence[HasTree], order: Order | None = None
) -> list[ReadSentence]:
    """``read_texts`` of one sentence each."""
    return read_texts(tokenizer, [(sentence,) for sentence in sentences], order)


def read_texts(
    tokenizer: SentenceTokenizer, texts: Sequence[Text], order: Order | None = None
) -> list[ReadSentence]:
    """Token ids and words of texts; with ``order``, their trees' links in that order, too.

    ``order`` is one of ``nn.sketch.content_words``: role order or a control. Raises
    SynsemError where the words of a tree and its text disagree.
    """
    if not texts:
        return []
    whole = [" ".join(sentence.text for sentence in text) for text in texts]
    encoding = tokenizer.tokenize(whole, places=order is not None)
    found = []
    for row, text in enumerate(texts):
        own = [NO_WORD if word is None else word for word in encoding.word_ids(row)]
        count = max(own, default=NO_WORD) + 1
        links = None
        if order is not None and all(sentence.heads for sentence in text):
            links = _links(text, encoding["offset_mapping"][row], own, count, order)
        words = np.array(own, dtype=np.int64)
        found.append(ReadSentence(EncodedSentence(encoding["input_ids"][row], words, ()), count, links))
    return found


def repeated_words(texts: Sequence[ReadSentence], width: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """``first`` and ``numbers`` of ``heads.Repeats``, of texts of at most ``width`` words.

    Words of the same subwords are the same. Padding has number 0, which is whatever stands first.
    """
    numbers = np.zeros((len(texts), width), dtype=np.int64)
    known: dict[tuple[int, ...], int] = {}
    first = [0]
    for row, each in enumerate(texts):
        assert each.encoded.words is not None
        spelled: list[list[int]] = [[] for _ in range(each.size)]
        for token, word in zip(each.encoded.ids, each.encoded.words.tolist(), strict=True):
            if word != NO_WORD:
                spelled[word].append(token)
        for place, subwords in enumerate(map(tuple, spelled)):
            if subwords not in known:
                known[subwords] = len(first)
                first.append(row * width + place)
            numbers[row, place] = known[subwords]
    return np.array(first), numbers


def _links(
    text: Text,
    offsets: Sequence[tuple[int, int]],
    words: Sequence[int],
    count: int,
    order: Order,
) -> Links:
    """Links between ``words``, L numbers or NO_WORD, of subwords at ``offsets`` in the text.

    None leads from a sentence to another.
    """
    content, successors = np.zeros(count, dtype=bool), np.full(count, NONE, dtype=np.int64)
    # Plain lists: for some twenty words NumPy takes longer to be called than to compute.
    subwords = [(end, word) for (_, end), word in zip(offsets, words, strict=True) if word != NO_WORD]
    ends = [end for end, _ in subwords]
    begin = 0
    for sentence in text:
        starts = word_starts(sentence.text, sentence.words)
        ordered = content_words(sentence, order)
        found = (bisect_right(ends, begin + starts[word]) for word in ordered)
        # A word that was cut off has no place; two words of the tree may be one here, as in *cannot*.
        places = list(dict.fromkeys(subwords[place][1] for place in found if place < len(ends)))
        content[places] = True
        successors[places[:-1]] = places[1:]
        begin += len(sentence.text) + 1
    return Links(content, successors)
