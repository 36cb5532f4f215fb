"""Near copies by MinHash signatures and their bands (Broder 1997; datasketch), without all pairs of texts.

Of documents, and of benchmark texts in the training text (contamination). A text is the set of its words and
pairs of neighbouring words, so that another order counts as a change.
"""

import functools
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.core.seeding import stable_hash
from pipeline.syntax.words import split, without, words

SHORTEST = 5  # words; shorter sentences ("What is it?") occur everywhere
PERMUTATIONS = 128
_CHUNK = 8192  # shingles hashed at once, so that a long document needs no large matrix
Signatures = NDArray[np.uint32]  # [n, PERMUTATIONS]


@functools.cache
def _hash() -> Any:
    from datasketch import MinHash

    return MinHash(PERMUTATIONS, seed=1, hashfunc=int, scheme="affine32")


def sign(words: Sequence[str]) -> NDArray[np.uint32]:
    """Return the signature of a text given by its words, uint32 [PERMUTATIONS].

    Texts with equal sets of shingles have equal signatures, whatever the machine.
    """
    single = np.array([zlib.crc32(word.encode()) for word in words], dtype=np.uint64)
    pairs = (single[:-1] * np.uint64(0x9E3779B97F4A7C15) + single[1:]) * np.uint64(0xD1B54A32D192ED03)
    shingles = np.concatenate([single, pairs >> np.uint64(32)])
    _hash().clear()
    for start in range(0, len(shingles), _CHUNK):
        _hash().update_batch(shingles[start : start + _CHUNK].tolist())
    return np.asarray(_hash().hashvalues, dtype=np.uint32)


@functools.cache
def bands(threshold: float) -> tuple[int, int]:
    """Return how many bands of how many rows find texts of Jaccard similarity ``threshold`` (0.5 to 1).

    Candidates are verified afterwards, so a missed pair costs nine times a false one.
    """
    from datasketch import MinHashLSH

    index = MinHashLSH(threshold=min(threshold, 0.95), num_perm=PERMUTATIONS, weights=(0.1, 0.9))
    return index.b, index.r


def band_keys(signatures: Signatures, band: int, rows: int) -> list[bytes]:
    """Return the rows of one band of each signature: what texts that may be alike have in common."""
    block = np.ascontiguousarray(signatures[:, band * rows : (band + 1) * rows])
    keys: list[bytes] = block.view(f"V{block.itemsize * rows}").ravel().tolist()
    return keys


def near_duplicates(
    signatures: Signatures, alive: NDArray[np.bool_], unit: NDArray[np.uint64], threshold: float
) -> NDArray[np.bool_]:
    """Return which documents are near-duplicates of an earlier one, bool [n].

    Documents not ``alive`` bool [n] are ignored; documents of one ``unit`` uint64 [n] (translations,
    paraphrases) are never duplicates of each other. Of the texts that share a band each is compared with the
    first and with the one before it, so many copies cost linear time, and the first one is kept.
    """
    near = np.zeros(len(alive), dtype=bool)
    places = np.flatnonzero(alive)
    count, rows = bands(threshold)
    for band in range(count):
        seen: dict[bytes, tuple[int, int]] = {}  # the first text of a key, and the last so far
        for place, key in zip(places.tolist(), band_keys(signatures[places], band, rows), strict=True):
            first, last = seen.get(key, (place, place))
            seen[key] = first, place
            for earlier in {first, last} - {place} if not near[place] else ():
                alike = (signatures[earlier] == signatures[place]).mean() >= threshold
                near[place] |= alike and unit[earlier] != unit[place]
    return near


class Contamination:
    """An index of benchmark texts and their sentences; ``threshold`` is a Jaccard similarity, None: exact."""

    def __init__(self, texts: Iterable[str], threshold: float | None) -> None:
        self._threshold = threshold
        self._exact: set[int] = set()
        self._words: set[str] = set()
        signatures = []
        for text in texts:
            for sentence in {text, *split(text)}:
                tokens = words(sentence)
                exact = stable_hash(0, "words", *tokens)
                if len(tokens) < SHORTEST or exact in self._exact:
                    continue
                self._exact.add(exact)
                if threshold is not None:
                    self._words.update(tokens)
                    signatures.append(sign(tokens))
        self._bands: list[dict[bytes, list[int]]] = []  # of each band: the texts of a key
        if threshold is not None and signatures:
            self._signatures = np.stack(signatures)
            count, self._rows = bands(threshold)
            for band in range(count):
                found: dict[bytes, list[int]] = {}
                for number, key in enumerate(band_keys(self._signatures, band, self._rows)):
                    found.setdefault(key, []).append(number)
                self._bands.append(found)

    def holds(self, sentence: str) -> bool:
        """Return whether the sentence, or nearly the same one, is in a benchmark."""
        tokens = words(sentence)
        if len(tokens) < SHORTEST or not self._exact:
            return False
        if stable_hash(0, "words", *tokens) in self._exact:
            return True
        # Most sentences have so many words that are in no benchmark that they need no signature.
        known = len(self._words.intersection(tokens)) / len(set(tokens))
        if self._threshold is None or known < self._threshold - 0.3:
            return False
        signature = sign(tokens)
        for band, texts in enumerate(self._bands):
            (key,) = band_keys(signature[None], band, self._rows)
            alike = (self._signatures[texts.get(key, [])] == signature).mean(axis=1)
            if (alike >= self._threshold).any():
                return True
        return False

    def cleaned(self, text: str) -> tuple[str, int]:
        """Return the text without such sentences, and how many were removed."""
        return without(text, self.holds) if self._exact else (text, 0)
