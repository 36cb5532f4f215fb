"""Examples for ``ebsim``: weakly supervised triplets of titled documents (2024, section 3.2).

The sentences of a document are ranked by their cosine with its title. The title is closer to the first
sentence than to a later one: <title, first, later>; the later one is the second (4.1.2), or any (3.2.1). It
is also closer to the first sentence than to that sentence with the words masked that are nearest to the
title's: <title, first, masked>. Where no word is near enough, the second kind is left out. Function words are
never masked, not even those of the title.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.core.progress import track
from pipeline.core.seeding import generator
from pipeline.core.store import read_file, shards
from pipeline.corpora.clean import marks
from pipeline.mining.examples import example
from pipeline.mining.inputs import TRAINING_SPLITS, DistinctTexts, Embed, Inputs, Row, with_sentences
from pipeline.mining.output import write_examples
from pipeline.params import Mine
from pipeline.syntax.sentence import LABELS, Side, normalised
from pipeline.systems.ebsim import MASK
from pipeline.systems.ebsim.word_vectors import word_embedder

KIND, LATER, MASKED = "title", "later", "masked"
_FUNCTION = {"ADP", "AUX", "CCONJ", "DET", "PART", "PRON", "PUNCT", "SCONJ", "SYM"}
_DOCUMENTS = 512  # documents whose vectors are in memory at once


class Titled(NamedTuple):
    """A document's title as a row, and its sentences."""

    title: Row
    sentences: list[Row]


def mine(inputs: Inputs, out: Path, params: Mine, embed: Embed, workers: int | None = 1) -> Counter[str]:
    """Write ``schemas.TRIPLET`` rows to ``out``; returns counts of what was kept.

    One process does it, whatever ``workers`` says: the model that ranks the sentences is most of the work.
    Each example has one negative. Raises SynsemError where no document has a title, or where the package of
    the word vectors is not installed.
    """
    dropped: Counter[str] = Counter()
    by_word = word_embedder(inputs, params, embed) if params.ebsim.masked else embed
    examples = _examples(titled(inputs, params, dropped), params, embed, by_word, dropped)
    return write_examples(examples, inputs, out, params, embed, dropped)


def titled(inputs: Inputs, params: Mine, dropped: Counter[str]) -> Iterator[Titled]:
    """The documents of the training splits that have a title and sentences of ``max_words`` words at most."""
    total = sum(read_file(path).num_rows for path in shards(inputs.corpus))
    found = with_sentences(inputs, ("title", "split", "lang"), ("sent_id", "split", *Side._fields))
    for document, sentences in track(found, "mine ebsim", total, unit="documents"):
        if document["split"] not in TRAINING_SPLITS:
            continue
        title = document["title"] and _title(document)
        short = {normalised(row["text"]): row for row in sentences if len(row["words"]) <= params.max_words}
        if not title:
            dropped["document without title"] += 1
        elif not short:
            dropped["document without a sentence short enough"] += 1
        else:
            yield Titled(title, list(short.values()))


def _title(document: Row) -> Row | None:
    """The title as a row with a flat tree, because no parser has read it; None without a word."""
    words = re.findall(rf"\w[\w{marks()}]*|[^\w\s]", document["title"])
    if not words:
        return None
    flat = len(words) - 1
    return {
        "sent_id": document["doc_id"],
        "split": document["split"],
        "text": document["title"],
        "words": words,
        "heads": [0, *[1] * flat],
        "deprels": ["root", *["flat"] * flat],
        "upos": ["PROPN"] * len(words),
        "xpos": [""] * len(words),
        "lemmas": [word.lower() for word in words],
    }


def _examples(
    documents: Iterator[Titled], params: Mine, embed: Embed, by_word: Embed, dropped: Counter[str]
) -> Iterator[Row]:
    while some := list(islice(documents, _DOCUMENTS)):
        texts, words = DistinctTexts(embed), DistinctTexts(by_word)
        numbers = [
            (texts.number(title), [texts.number(sentence) for sentence in sentences])
            for title, sentences in some
        ]
        vectors = texts.vectors()
        nearest = []
        for (title, sentences), (anchor, own) in zip(some, numbers, strict=True):
            order = np.argsort(-np.round(vectors[own] @ vectors[anchor], 6), kind="stable")
            nearest.append([sentences[place] for place in order])
            for word in (*title["words"], *nearest[-1][0]["words"]) if params.ebsim.masked else ():
                words.number(_word(word))
        similar = _WordSimilarity(words)
        for (title, _), ranked in zip(some, nearest, strict=True):
            yield from _triplets(title, ranked, params, similar, dropped)


def _triplets(
    title: Row, ranked: Sequence[Row], params: Mine, similar: "_WordSimilarity", dropped: Counter[str]
) -> Iterator[Row]:
    first, later = ranked[0], ranked[1:]
    if not later:
        dropped["document of one sentence: no later one"] += 1
    for place in _places(len(later), title["sent_id"], params):
        yield example(title, first, KIND, [(later[place], LATER)])
    if params.ebsim.masked:
        without = masked(first, similar(title["words"], first), params)
        if without is None:
            dropped["no word near the title's: no masked one"] += 1
        else:
            yield example(title, first, KIND, [(without, MASKED)])


def _places(later: int, title: str, params: Mine) -> Iterable[int]:
    """Which of the later sentences are negatives: the next ones by rank, or any."""
    count = min(params.ebsim.per_document, later)
    if params.ebsim.negative == "next" or not count:
        return range(count)
    draw = generator(params.seed, "ebsim", title)
    return sorted(draw.choice(later, size=count, replace=False).tolist())


def masked(sentence: Row, similarity: NDArray[np.float32], params: Mine) -> Row | None:
    """Mask the words whose ``similarity`` [words] to the title reaches ``mask_similarity``.

    The most similar words come first, up to the share ``max_masked``; the tree stays. None where no word is
    masked.
    """
    settings = params.ebsim
    order = np.argsort(-similarity, kind="stable")[: int(settings.max_masked * len(similarity))]
    hidden = {int(place) for place in order if similarity[place] >= settings.mask_similarity}
    if not hidden:
        return None
    words = [MASK if place in hidden else word for place, word in enumerate(sentence["words"])]
    return {**sentence, "text": _masked_text(sentence, hidden), "words": words}


def _masked_text(sentence: Row, hidden: Iterable[int]) -> str:
    """The text with these words replaced in place; its spacing stays."""
    hidden, text, parts, end = set(hidden), sentence["text"], [], 0
    for place, word in enumerate(sentence["words"]):
        start = text.find(word, end)
        if start < 0:  # a word that the text spells differently
            return " ".join(MASK if at in hidden else each for at, each in enumerate(sentence["words"]))
        parts += [text[end:start], MASK if place in hidden else word]
        end = start + len(word)
    return "".join([*parts, text[end:]])


def _word(word: str) -> Row:
    """A word as a sentence, to be embedded."""
    return {"text": word, "words": [word], "heads": [0]} | {name: [""] for name in LABELS}


class _WordSimilarity:
    """Cosine of each word with the nearest word of the title; 1 for the same word.

    Function words and punctuation get -1, because the paper masks synonymous entities.
    """

    def __init__(self, words: DistinctTexts) -> None:
        self._words = words
        self._vectors = words.vectors()

    def __call__(self, title: Sequence[str], sentence: Row) -> NDArray[np.float32]:
        a, b = (
            np.array([self._words.number(_word(word)) for word in side])
            for side in (title, sentence["words"])
        )
        cosine = np.where(b[:, None] == a, 1.0, self._vectors[b] @ self._vectors[a].T)
        nearest = np.round(cosine.max(axis=1), 6)
        content = [
            upos not in _FUNCTION and any(map(str.isalnum, word))
            for word, upos in zip(sentence["words"], sentence["upos"], strict=True)
        ]
        return np.where(content, nearest, -1.0).astype(np.float32)
