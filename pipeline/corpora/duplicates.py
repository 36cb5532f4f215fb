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
_PAIRS = 2**13  # signatures compared at once: 8 MB
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


def band_keys(signatures: Signatures, wanted: range, rows: int) -> NDArray[np.uint64]:
    """Return a key for each text and wanted band, uint64 [n, len(wanted)].

    Texts that agree on all rows of a band, and hardly any others, share its key.
    """
    shape = len(signatures), len(wanted), rows
    block = signatures[:, wanted.start * rows : wanted.stop * rows].reshape(shape)
    # FNV-1a over 32-bit units, begun with the band's number, and a finisher.
    key = np.arange(wanted.start, wanted.stop, dtype=np.uint64) + np.uint64(0xCBF29CE484222325)
    key = np.broadcast_to(key, shape[:2])
    for row in range(rows):
        key = (key ^ block[:, :, row]) * np.uint64(0x100000001B3)
    return (key ^ (key >> np.uint64(31))) * np.uint64(0x94D049BB133111EB)


def near_duplicates(
    signatures: Signatures, alive: NDArray[np.bool_], unit: NDArray[np.uint64], threshold: float
) -> NDArray[np.bool_]:
    """Return which documents are near-duplicates of an earlier one, bool [n].

    Documents not ``alive`` bool [n] are ignored; documents of one ``unit`` uint64 [n] (translations,
    paraphrases) are never duplicates of each other. Of the texts that share a band each is compared with the
    first and with the one before it, so many copies cost linear time, and the first one is kept.
    """
    near = np.zeros(len(alive), dtype=bool)
    rows = np.flatnonzero(alive)
    count, size = bands(threshold)
    for band in range(count):
        keys = band_keys(signatures, range(band, band + 1), size)[rows, 0]
        order = np.argsort(keys, kind="stable")
        same = keys[order][1:] == keys[order][:-1]
        place = np.arange(len(order))
        start = np.maximum.accumulate(np.where(np.concatenate([[False], same]), 0, place))
        later = np.flatnonzero(same) + 1
        for earlier in (start[later], later - 1):
            a, b = rows[order[earlier]], rows[order[later]]
            wanted = np.flatnonzero((unit[a] != unit[b]) & ~near[b])
            for some in np.array_split(wanted, len(wanted) // _PAIRS + 1):
                alike = (signatures[a[some]] == signatures[b[some]]).mean(axis=1)
                near[b[some[alike >= threshold]]] = True
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
                key = stable_hash(0, "words", *tokens)
                if len(tokens) < SHORTEST or key in self._exact:
                    continue
                self._exact.add(key)
                if threshold is not None:
                    self._words.update(tokens)
                    signatures.append(sign(tokens))
        self._keys = np.empty(0, dtype=np.uint64)  # of every band of every text, sorted
        if threshold is not None and signatures:
            self._signatures = np.stack(signatures)
            count, self._rows = bands(threshold)
            self._bands = range(count)
            keys = band_keys(self._signatures, self._bands, self._rows).ravel()
            order = np.argsort(keys, kind="stable")
            self._keys, self._texts = keys[order], order // count

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
        keys = band_keys(signature[None], self._bands, self._rows)[0]
        first = np.searchsorted(self._keys, keys)
        for start in first[self._keys.take(first, mode="clip") == keys]:
            stop = np.searchsorted(self._keys, self._keys[start], "right")
            alike = (self._signatures[self._texts[start:stop]] == signature).mean(axis=1)
            if alike.max() >= self._threshold:
                return True
        return False

    def cleaned(self, text: str) -> tuple[str, int]:
        """Return the text without such sentences, and how many were removed."""
        return without(text, self.holds) if self._exact else (text, 0)
