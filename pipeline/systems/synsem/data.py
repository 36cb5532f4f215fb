"""What training reads: the words that the network sees, and what the trees say of them.

At inference there is no parser, so a word is what the backbone's own tokenizer splits at spaces and
punctuation. The words of a tree are matched to these by their place in the text. Each step draws anew what it
changes in a sentence: two words exchanged, the final mark dropped, another sentence next to it.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from pipeline.core.seeding import seeded_random
from pipeline.nn.compute import on_device
from pipeline.nn.structure import Order, content_words
from pipeline.nn.tokenizer import NO_WORD, EncodedSentence, SentenceTokenizer
from pipeline.syntax.sentence import COLUMNS, Sentence, word_starts
from pipeline.syntax.tree import lifted
from pipeline.systems.synsem.templates import contexts

NONE = -1  # the successor of the last word
UNKNOWN = -100  # a target that is not learnt
EXCHANGED = ("NOUN", "PROPN", "VERB", "ADJ", "NUM")
FINAL_MARKS = frozenset(".!?…")
Text = tuple[Sentence, ...]  # sentences with a space between


class WordLinks(NamedTuple):
    """What the trees of one text say of its W words."""

    content: NDArray[np.bool_]  # [W], whether a word is one of the content words
    successors: NDArray[np.int64]  # [W], the next content word in role order, or NONE


class ReadText(NamedTuple):
    """A text as token ids with the word of each, and the links of its words if trees gave them."""

    encoded: EncodedSentence
    size: int  # words
    links: WordLinks | None


def read_texts(
    tokenizer: SentenceTokenizer, texts: Sequence[Text], order: Order | None = None
) -> list[ReadText]:
    """Return token ids and words of texts; with ``order``, also their trees' links in that order.

    ``order`` is one of ``nn.sketch.content_words``: role order or a control. Raises SynsemError if the words
    of a tree and its text disagree.
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
        found.append(ReadText(EncodedSentence(encoding["input_ids"][row], words, ()), count, links))
    return found


def _links(
    text: Text, offsets: Sequence[tuple[int, int]], words: Sequence[int], count: int, order: Order
) -> WordLinks:
    """Links between ``words``, numbers or NO_WORD, of subwords at ``offsets``; none between sentences."""
    content, successors = np.zeros(count, dtype=bool), np.full(count, NONE, dtype=np.int64)
    # Plain lists: for some twenty words NumPy takes longer to be called than to compute.
    subwords = [(end, word) for (_, end), word in zip(offsets, words, strict=True) if word != NO_WORD]
    ends = [end for end, _ in subwords]
    begin = 0
    for sentence in text:
        starts = word_starts(sentence.text, sentence.words)
        found = (bisect_right(ends, begin + starts[word]) for word in content_words(sentence, order))
        # A word that was cut off has no place; two words of the tree may be one here, as in *cannot*.
        places = list(dict.fromkeys(subwords[place][1] for place in found if place < len(ends)))
        content[places] = True
        successors[places[:-1]] = places[1:]
        begin += len(sentence.text) + 1
    return WordLinks(content, successors)


def link_targets(
    texts: Sequence[ReadText], width: int, device: torch.device
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return ``content`` and ``successors`` of ``link_losses``, int64 [B, W]; ``width`` is W."""
    content, successors = np.full((2, len(texts), width), UNKNOWN, dtype=np.int64)
    linked = [each.links for each in texts if each.links is not None]
    if linked:  # all at once: a GPU waits for a loop over sentences
        sizes = np.array([each.size if each.links is not None else 0 for each in texts])
        known = np.arange(width) < sizes[:, None]
        inside, after = (np.concatenate(each) for each in zip(*linked, strict=True))
        content[known] = inside
        successors[known] = np.where(inside, np.where(after == NONE, width, after), UNKNOWN)
    return on_device(torch.from_numpy(content), device), on_device(torch.from_numpy(successors), device)


def exchanged(sentence: Sentence, draw: int) -> Sentence | None:
    """Exchange two words of one part of speech: the same words in another relation; None without such two.

    The tree stays, because the two take each other's place in it. Conjuncts are not exchanged with each
    other, because that changes nothing. The two are a pure function of the text and the number ``draw``, so
    they are the same however a batch is cut.
    """
    words, upos = sentence.words, sentence.upos
    pairs = [
        (a, b)
        for tag in dict.fromkeys(upos)
        if tag in EXCHANGED
        for a, b in combinations([place for place, own in enumerate(upos) if own == tag], 2)
        if words[a].lower() != words[b].lower() and lifted(sentence, a) != lifted(sentence, b)
    ]
    return _exchange(sentence, *seeded_random(draw, "swap", sentence.text).choice(pairs)) if pairs else None


def _exchange(sentence: Sentence, a: int, b: int) -> Sentence:
    """Words ``a`` < ``b`` in each other's place; the first word of the sentence begins with a capital."""
    words, text = list(sentence.words), sentence.text
    starts = word_starts(text, words)
    left, right = words[b], words[a]
    lemmas = list(sentence.lemmas)
    if a == 0 and sentence.upos[a] != "PROPN":
        left = left[:1].upper() + left[1:]
        # As written within a sentence: *dogs*, but *DNA*, and in German *Hunde*.
        if right[1:].islower() and not (lemmas and lemmas[0][:1].isupper()):
            right = right[:1].lower() + right[1:]
    new = (
        text[: starts[a]] + left + text[starts[a] + len(words[a]) : starts[b]] + right
        + text[starts[b] + len(words[b]) :]
    )  # fmt: skip
    words[a], words[b] = left, right
    if lemmas:
        lemmas[a], lemmas[b] = lemmas[b], lemmas[a]
    return replace(sentence, text=new, words=words, lemmas=lemmas)


def without_mark(sentence: Sentence, draw: int, share: float) -> Sentence:
    """Drop the final mark of that share of all texts; a mark that words hang from stays.

    It says nothing of who did what; but corpora and templates end in one, so a network that met nothing else
    would fail on headlines and queries. A pure function of the text and ``draw``.
    """
    size = len(sentence.words)
    if size < 2 or sentence.words[-1] not in FINAL_MARKS or size in sentence.heads:
        return sentence
    if seeded_random(draw, "mark", sentence.text).random() >= share:
        return sentence
    shorter = {name: getattr(sentence, name)[: size - 1] for name in COLUMNS}
    return replace(sentence, text=sentence.text.rstrip()[:-1].rstrip(), constituents="", **shorter)


def in_context(sentence: Sentence, anchor: str, draw: int, share: float) -> Text:
    """Return the sentence, for that share of all anchors with another before or after it.

    Corpus and templates give one sentence at a time: a network that met nothing else would link the words of
    one sentence to those of the next. All sides of an example are read next to the same other sentence, which
    is a pure function of the text of its anchor and ``draw``.
    """
    chance = seeded_random(draw, "context", anchor)
    if chance.random() >= share:
        return (sentence,)
    other = chance.choice(contexts())
    return (other, sentence) if chance.random() < 0.5 else (sentence, other)
