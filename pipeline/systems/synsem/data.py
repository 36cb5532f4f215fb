"""What training reads: the words that the network sees, and what the trees say of them.

At inference there is no parser, so a word is what the backbone's own tokenizer splits at spaces and
punctuation. The words of a tree are matched to these by their place in the text. Each step draws anew what it
changes in a sentence: two words exchanged, the final mark dropped, another sentence next to it.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np

from pipeline.core.seeding import seeded_random
from pipeline.nn.structure import Order, content_words
from pipeline.nn.tokenizer import NO_WORD, EncodedSentence, SentenceTokenizer
from pipeline.syntax.sentence import COLUMNS, Sentence, word_starts
from pipeline.syntax.tree import lifted
from pipeline.systems.synsem.templates import contexts

# Instead of a successor: of the last content word; of other words; of padding and of words without a tree.
NONE, OTHER, UNKNOWN = -1, -2, -100
EXCHANGED = ("NOUN", "PROPN", "VERB", "ADJ", "NUM")
FINAL_MARKS = frozenset(".!?…")
Text = tuple[Sentence, ...]  # sentences with a space between


def read_texts(
    tokenizer: SentenceTokenizer, texts: Sequence[Text], order: Order | None = None
) -> list[EncodedSentence]:
    """Return token ids and words of texts; with ``order``, also successors if all sentences have trees.

    A successor is the next content word in role order, NONE or OTHER. ``order`` is one of
    ``nn.structure.content_words``: role order or a control. Raises SynsemError if the words of a tree and its
    text disagree.
    """
    if not texts:
        return []
    whole = [" ".join(sentence.text for sentence in text) for text in texts]
    encoding = tokenizer.tokenize(whole, places=order is not None)
    found = []
    for row, text in enumerate(texts):
        words = [NO_WORD if word is None else word for word in encoding.word_ids(row)]
        read = EncodedSentence(encoding["input_ids"][row], np.array(words, dtype=np.int64))
        if order is not None and all(sentence.heads for sentence in text):
            ends = [end for _, end in encoding["offset_mapping"][row]]
            subwords = [(end, word) for end, word in zip(ends, words, strict=True) if word != NO_WORD]
            read = read._replace(successors=_successors(text, subwords, read.size, order))
        found.append(read)
    return found


def _successors(text: Text, subwords: Sequence[tuple[int, int]], size: int, order: Order) -> list[int]:
    """The successors of ``size`` words, by the end and the word of each subword.

    No link goes between sentences.
    """
    found = [OTHER] * size
    begin = 0
    for sentence in text:
        starts = word_starts(sentence.text, sentence.words)
        places = (
            bisect_right(subwords, begin + starts[word], key=lambda subword: subword[0])
            for word in content_words(sentence, order)
        )
        # A word that was cut off has no place; two words of the tree may be one here, as in *cannot*.
        chain = list(dict.fromkeys(subwords[place][1] for place in places if place < len(subwords)))
        for word, after in pairwise([*chain, NONE]):
            found[word] = after
        begin += len(sentence.text) + 1
    return found


def exchanged(sentence: Sentence, draw: int) -> Sentence | None:
    """Exchange two words of one part of speech: the same words in another relation; None without such two.

    The tree stays, because the two take each other's place in it. Conjuncts are not exchanged with each
    other, because that changes nothing. The two are a pure function of the text and the number ``draw``, so
    they are the same however a batch is cut. The first word of the sentence begins with a capital.
    """
    words, upos = list(sentence.words), sentence.upos
    pairs = [
        (a, b)
        for tag in dict.fromkeys(upos)
        if tag in EXCHANGED
        for a, b in combinations([place for place, own in enumerate(upos) if own == tag], 2)
        if words[a].lower() != words[b].lower() and lifted(sentence, a) != lifted(sentence, b)
    ]
    if not pairs:
        return None
    a, b = seeded_random(draw, "swap", sentence.text).choice(pairs)
    text, lemmas, starts = sentence.text, list(sentence.lemmas), word_starts(sentence.text, words)
    first, second = words[a], words[b]
    if a == 0 and upos[a] != "PROPN":
        second = second[:1].upper() + second[1:]
        # As written within a sentence: *dogs*, but *DNA*, and in German *Hunde*.
        if first[1:].islower() and not (lemmas and lemmas[0][:1].isupper()):
            first = first[:1].lower() + first[1:]
    for place, word in ((b, first), (a, second)):  # the later one first, so that the other keeps its place
        text = text[: starts[place]] + word + text[starts[place] + len(words[place]) :]
        words[place] = word
    if lemmas:
        lemmas[a], lemmas[b] = lemmas[b], lemmas[a]
    return replace(sentence, text=text, words=words, lemmas=lemmas)


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
    return replace(sentence, text=sentence.text.rstrip()[:-1].rstrip(), **shorter)


def in_context(sentence: Sentence, anchor: str, draw: int, share: float) -> Text:
    """Return the sentence, for that share of all anchors with another before or after it.

    Corpus and templates give one sentence at a time: a network that met nothing else would link words of one
    sentence to words of the next. All sides of an example are read next to the same other sentence, which
    is a pure function of the text of its anchor and ``draw``.
    """
    chance = seeded_random(draw, "context", anchor)
    if chance.random() >= share:
        return (sentence,)
    other = chance.choice(contexts())
    return (other, sentence) if chance.random() < 0.5 else (sentence, other)
