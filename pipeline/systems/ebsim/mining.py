"""Training examples of ``ebsim``: weakly supervised triplets of titled documents (2024, section 3.2).

The sentences of a document are ranked by their cosine with its title. The title is closer to the first
sentence than to the second: <title, first, second> (4.1.2). It is also closer to the first sentence than to
that sentence with the words masked that are nearest to the title's: <title, first, masked>. If no word is
near enough, the second kind is left out. Function words are never masked, not even those of the title.

``ebsim.mask_words`` says whose word vectors these are. ``backbone``: the encoder reads each word by itself.
``corpus``: word2vec (Mikolov et al. 2013) trained on the corpus, as in the paper.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.core import store
from pipeline.core.errors import SynsemError, to_install
from pipeline.core.parallel import track
from pipeline.core.params import Encoder
from pipeline.core.seeding import SEED
from pipeline.mining.filter import Example, clean
from pipeline.mining.inputs import TRAINING_SPLITS, Inputs, Row, with_sentences
from pipeline.syntax.sentence import Sentence, normalised
from pipeline.syntax.words import marks
from pipeline.systems.ebsim import MASK

Embed = Callable[[Sequence[Sentence]], NDArray[np.float32]]  # unit vectors of n texts, [n, d]
WordVectors = Callable[[Sequence[str]], NDArray[np.float32]]  # of n words, [n, d]: zeros for unknown ones

TITLE, LATER, MASKED = "title", "later", "masked"
MASK_SIMILARITY = 0.8  # cosine with a word of the title from which a word is masked
MAX_MASKED = 0.5  # of the words of a sentence
_FUNCTION = {"ADP", "AUX", "CCONJ", "DET", "PART", "PRON", "PUNCT", "SCONJ", "SYM"}
_DOCUMENTS = 512  # documents whose vectors are in memory at once
_WIDTH, _MIN_COUNT = 200, 5  # of word2vec: width as in the paper; rarer words have no vector
_COLUMNS = ("sent_id", "split", "text", "words", "heads", "deprels", "upos", "xpos", "lemmas")


def examples(inputs: Inputs, params: Any, dropped: Counter[str]) -> Iterator[Example]:
    """Yield one or two examples of each document, each with one negative.

    Raises SynsemError if the package of the word vectors is not installed.
    """
    embed = backbone(params.encoder)
    words = word_vectors(inputs, params, embed)
    documents = titled(inputs, params.mine.max_words, dropped)
    return clean(_examples(documents, embed, words, dropped), inputs, dropped)


def titled(inputs: Inputs, max_words: int, dropped: Counter[str]) -> Iterator[tuple[Row, list[Row]]]:
    """Yield the title and the sentences of each document of the training splits that has both."""
    total = sum(store.read_file(path).num_rows for path in store.shards(inputs.corpus))
    found = with_sentences(inputs, ("title", "split"), _COLUMNS)
    for document, sentences in track(found, "mine ebsim", total, unit="documents"):
        if document["split"] not in TRAINING_SPLITS:
            continue
        title = document["title"] and _title(document)
        short = {normalised(row["text"]): row for row in sentences if len(row["words"]) <= max_words}
        if not title:
            dropped["document without title"] += 1
        elif not short:
            dropped["document without a sentence short enough"] += 1
        else:
            yield title, list(short.values())


def _title(document: Row) -> Row | None:
    """Return the title as a row with a flat tree, because no parser has read it; None without a word."""
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
    documents: Iterator[tuple[Row, list[Row]]], embed: Embed, words: WordVectors | None, dropped: Counter[str]
) -> Iterator[Example]:
    while some := list(islice(documents, _DOCUMENTS)):
        both = [row for title, sentences in some for row in (title, *sentences)]
        texts = {normalised(row["text"]): Sentence.from_row(row) for row in reversed(both)}
        vectors = dict(zip(texts, embed(list(texts.values())), strict=True))
        ranked = []
        for title, sentences in some:
            own = np.stack([vectors[normalised(row["text"])] for row in sentences])
            cosine = np.round(own @ vectors[normalised(title["text"])], 6)
            ranked.append((title, [sentences[place] for place in np.argsort(-cosine, kind="stable")]))
        if words is not None:  # all at once
            words([word for title, own in ranked for word in (*title["words"], *own[0]["words"])])
        for title, (first, *later) in ranked:
            if later:
                yield Example(title, first, TITLE, [(later[0], LATER)])
            else:
                dropped["document of one sentence: no later one"] += 1
            if words is None:
                continue
            without = masked(first, similarity(title["words"], first, words))
            if without is None:
                dropped["no word near the title's: no masked one"] += 1
            else:
                yield Example(title, first, TITLE, [(without, MASKED)])


def similarity(title: Sequence[str], sentence: Row, words: WordVectors) -> NDArray[np.float32]:
    """Return the cosine of each word with the nearest word of the title; 1 for the same word.

    Function words and punctuation get -1, because the paper masks synonymous entities.
    """
    cosine = words(sentence["words"]) @ words(title).T
    known = {normalised(word) for word in title}
    content = [
        upos not in _FUNCTION and any(map(str.isalnum, word))
        for word, upos in zip(sentence["words"], sentence["upos"], strict=True)
    ]
    same = [normalised(word) in known for word in sentence["words"]]
    nearest = np.where(same, np.maximum(cosine.max(axis=1), 1.0), cosine.max(axis=1))
    return np.where(content, np.round(nearest, 6), -1.0).astype(np.float32)


def masked(sentence: Row, similarity: NDArray[np.float32]) -> Row | None:
    """Mask the words whose ``similarity`` [words] to the title reaches ``MASK_SIMILARITY``; the tree stays.

    The most similar words come first, up to the share ``MAX_MASKED``. None if no word is masked.
    """
    order = np.argsort(-similarity, kind="stable")[: int(MAX_MASKED * len(similarity))]
    hidden = {int(place) for place in order if similarity[place] >= MASK_SIMILARITY}
    if not hidden:
        return None
    words = [MASK if place in hidden else word for place, word in enumerate(sentence["words"])]
    text, parts, end = sentence["text"], [], 0
    for before, after in zip(sentence["words"], words, strict=True):
        start = text.find(before, end)
        if start < 0:  # a word that the text spells differently
            return {**sentence, "text": " ".join(words), "words": words}
        parts += [text[end:start], after]
        end = start + len(before)
    return {**sentence, "text": "".join([*parts, text[end:]]), "words": words}


def backbone(encoder: Encoder) -> Embed:
    """Return a function that embeds texts with the untrained backbone."""
    from pipeline.nn.encoder import embed
    from pipeline.systems.base.registry import Baseline

    model = Baseline(encoder)
    encoders = {"semantic": model.encoder}
    # Exact, so that a vector does not depend on the texts embedded with it.
    return lambda texts: embed(encoders, model.tokenizer, texts, exact=True)["semantic"]


def word_vectors(inputs: Inputs, params: Any, embed: Embed) -> WordVectors | None:
    """Return the vectors that ``ebsim.mask_words`` names, those of words by ``embed`` among them; None: none.

    Raises SynsemError if the package that they need is not installed.
    """
    kind = params.ebsim.mask_words
    if kind is None:
        return None
    known: dict[str, NDArray[np.float32]] = {}

    def find(words: Sequence[str]) -> NDArray[np.float32]:
        new = {normalised(word): word for word in reversed(words) if normalised(word) not in known}
        if new:
            sides = [Sentence(word, [word]) for word in new.values()]
            known.update(zip(new, embed(sides), strict=True))
        return np.stack([known[normalised(word)] for word in words])

    if kind == "backbone":
        return find
    try:
        return _word2vec(inputs)
    except ImportError as error:
        raise SynsemError(
            f"ebsim.mask_words: {kind} needs the package {error.name}; {to_install('words')}, "
            "or set ebsim.mask_words to backbone"
        ) from error


def _word2vec(inputs: Inputs) -> WordVectors:
    """Skip-gram with negative sampling on the training splits; one worker, so that runs are equal."""
    from gensim.models import Word2Vec

    known = Word2Vec(
        _Sentences(inputs), vector_size=_WIDTH, min_count=_MIN_COUNT, sg=1, seed=SEED, workers=1
    ).wv
    unknown = np.zeros(_WIDTH, dtype=np.float32)

    def find(words: Sequence[str]) -> NDArray[np.float32]:
        names = map(normalised, words)
        return np.stack([known.get_vector(name, norm=True) if name in known else unknown for name in names])

    return find


class _Sentences:
    """The words of every training sentence; gensim iterates over them several times."""

    def __init__(self, inputs: Inputs) -> None:
        self._inputs = inputs

    def __iter__(self) -> Iterator[list[str]]:
        for row in store.rows(self._inputs.sentences, "split", "words"):
            if row["split"] in TRAINING_SPLITS:
                yield [normalised(word) for word in row["words"]]
