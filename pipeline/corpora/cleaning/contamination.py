"""Contamination: sentences of the benchmarks, or nearly the same ones, are kept out of the training text."""

from collections.abc import Iterable

import numpy as np

from pipeline.core import seeding
from pipeline.corpora.cleaning.duplicates import Signer, agreement, band_keys, bands
from pipeline.corpora.cleaning.text import split, words

SHORTEST = 5  # words; shorter sentences ("What is it?") occur everywhere


class Contamination:
    """An index of benchmark texts and their sentences; ``threshold`` is a Jaccard similarity, None: exact."""

    def __init__(self, texts: Iterable[str], threshold: float | None) -> None:
        self._signer, self._threshold = Signer(), threshold
        self._exact: set[int] = set()
        signatures = []
        for text in texts:
            for sentence in {text, *split(text)}:
                tokens = words(sentence)
                key = _key(tokens)
                if len(tokens) < SHORTEST or key in self._exact:
                    continue
                self._exact.add(key)
                if threshold is not None:
                    signatures.append(self._signer.sign(tokens))
        self._keys = np.empty(0, dtype=np.uint64)  # of every band of every text, sorted
        if threshold is not None and signatures:
            self._signatures = np.stack(signatures)
            count, self._rows = bands(threshold)
            self._bands = range(count)
            keys = band_keys(self._signatures, self._bands, self._rows).ravel()
            order = np.argsort(keys, kind="stable")
            self._keys, self._texts = keys[order], order // count

    def __len__(self) -> int:
        return len(self._exact)

    def holds(self, sentence: str) -> bool:
        """Whether the sentence, or nearly the same one, is in a benchmark."""
        tokens = words(sentence)
        if len(tokens) < SHORTEST or not self._exact:
            return False
        if _key(tokens) in self._exact:
            return True
        if self._threshold is None or not len(self._keys):
            return False
        signature = self._signer.sign(tokens)
        keys = band_keys(signature[None], self._bands, self._rows)[0]
        first = np.searchsorted(self._keys, keys)
        for start in first[self._keys.take(first, mode="clip") == keys]:
            stop = np.searchsorted(self._keys, self._keys[start], "right")
            alike = agreement(self._signatures[self._texts[start:stop]], signature)
            if alike.max() >= self._threshold:
                return True
        return False

    def cleaned(self, text: str) -> tuple[str, int]:
        """The text without such sentences, and how many were removed.

        A line end ends a sentence for the parser too, so each stays, but where its whole line goes.
        """
        if not self._exact:
            return text, 0
        lines, removed = [], 0
        for line in text.split("\n"):
            sentences = split(line)
            clean = [sentence for sentence in sentences if not self.holds(sentence)]
            if clean or not sentences:
                lines.append(line if len(clean) == len(sentences) else " ".join(clean))
            removed += len(sentences) - len(clean)
        return "\n".join(lines), removed


def _key(tokens: list[str]) -> int:
    return seeding.stable_hash(0, "words", *tokens)
