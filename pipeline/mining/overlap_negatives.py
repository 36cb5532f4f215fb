"""Hard negatives from the corpus: sentences with nearly the same words in another structure."""

import tempfile
from array import array
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.core.hash_numbers import HashNumbers
from pipeline.core.seeding import stable_hash
from pipeline.mining.examples import distinct, same_text, tree_similarity, word_set
from pipeline.mining.inputs import TRAINING_SPLITS, Inputs, Lookup, Row, without_variants
from pipeline.mining.overlap import SimilarPair, WordSets, hashed_pairs, similar_pairs
from pipeline.mining.paraphrases import PairOf
from pipeline.mining.partners import Partners
from pipeline.params import Mine
from pipeline.syntax.relations import universal
from pipeline.syntax.roles import lemma
from pipeline.syntax.sentence import Side

KIND = "overlap"
_EXAMINED = 16  # pairs examined for each sentence: in a corpus of one template all sentences overlap
_BLOCK = 2**16  # sentences whose negatives are read at once
_WORDS = 2**16  # words whose numbers need no second hash: the frequent ones


def overlap_negatives(inputs: Inputs, pair_of: PairOf, params: Mine, dropped: Counter[str]) -> Partners:
    """Row numbers of up to ``mine.overlap.per_example`` negatives for each sentence, by its row number.

    A negative is of the same split; the Jaccard similarity of the words is at least ``min_overlap``, the
    structural similarity of the trees at most ``max_structural_similarity``, and the least similar trees come
    first. Refused as possible false negatives: sentences of the same pair_id (``pair_of``), and those of
    ``may_mean_the_same``. Memory: some 60 bytes a sentence; the words lie in a temporary folder.
    """
    found = Partners()
    if not params.overlap.per_example:
        return found
    with tempfile.TemporaryDirectory() as folder:
        corpus = _word_sets(inputs, params, Path(folder))
        # More places would stay empty.
        most = min(params.overlap.per_example, _EXAMINED)
        best = _Best(Path(folder), len(corpus.sets), most)
        _examine(corpus, Lookup(inputs), pair_of, params, best, dropped)
        for each, other in best.pairs():
            found.add(int(corpus.places[each]), int(corpus.places[other]))
        dropped["overlap: beyond mine.overlap.per_example"] += best.given - len(found)
    return found


class _Corpus(NamedTuple):
    """The words of every distinct sentence that is not too long, its row number and its split's number."""

    sets: WordSets
    places: NDArray[np.int64]
    splits: NDArray[np.int8]


class _Best:
    """The ``per_example`` lowest of what is added to each of n sentences, in memory-mapped files."""

    def __init__(self, folder: Path, n: int, per_example: int) -> None:
        self.given = 0
        shape = (max(n, 1), per_example)  # an empty file cannot be mapped
        self._scores = _file_full_of(folder / "scores", np.array(np.inf), shape)
        self._others = _file_full_of(folder / "others", np.array(-1, dtype=np.int32), shape)

    def add(self, each: int, score: float, other: int) -> None:
        self.given += 1
        scores, others = self._scores[each], self._others[each]
        place = len(scores)
        while place and (score, other) < (scores[place - 1], others[place - 1]):
            place -= 1
        if place < len(scores):
            scores[place + 1 :], others[place + 1 :] = scores[place:-1].copy(), others[place:-1].copy()
            scores[place], others[place] = score, other

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Each sentence with the others that it keeps, the lowest first."""
        for start in range(0, len(self._scores), _BLOCK):
            for each, place in np.argwhere(np.isfinite(self._scores[start : start + _BLOCK])).tolist():
                yield start + each, int(self._others[start + each, place])


def _file_full_of(path: Path, value: NDArray[Any], shape: tuple[int, int]) -> NDArray[Any]:
    """A mapped file of one value; written first, because a full disk kills who writes to a mapped hole."""
    with path.open("wb") as stream:
        for start in range(0, shape[0], _BLOCK):
            stream.write(value.tobytes() * (min(_BLOCK, shape[0] - start) * shape[1]))
    return np.memmap(path, value.dtype, "r+", shape=shape)


def _examine(
    corpus: _Corpus,
    sentences: Lookup,
    pair_of: PairOf,
    params: Mine,
    best: _Best,
    dropped: Counter[str],
) -> None:
    """Add to ``best`` the pairs of sentences that are negatives of each other, by structural similarity."""
    examined = np.zeros(len(corpus.sets), dtype=np.uint8)
    for a, b, _ in _pairs(corpus.sets, params):
        if corpus.splits[a] != corpus.splits[b]:
            dropped["overlap: another split"] += 1
            continue
        if max(examined[a], examined[b]) >= _EXAMINED:
            dropped[f"overlap: beyond {_EXAMINED} pairs of one sentence"] += 1
            continue
        examined[a] += 1
        examined[b] += 1
        one, other = sentences[int(corpus.places[a])], sentences[int(corpus.places[b])]
        similarity = tree_similarity(one, other)
        together = pair_of.shared(one["sent_id"], other["sent_id"])
        reason = "shared pair_id" if together else may_mean_the_same(one, other, similarity, params)
        if reason:
            dropped[f"overlap: {reason}"] += 1
            continue
        best.add(a, similarity, b)
        best.add(b, similarity, a)


def _word_sets(inputs: Inputs, params: Mine, folder: Path) -> _Corpus:
    """Read the words of the sentences into files of the folder, memory-mapped."""
    numbers = HashNumbers()
    number = lru_cache(maxsize=_WORDS)(lambda word: numbers.number(stable_hash(0, word)))
    places, splits, starts = array("q"), array("b"), array("q", [0])
    with (folder / "words").open("wb") as stream:
        for sentence in distinct(without_variants(inputs), params, Counter()):
            # Sorted, because hashing depends on the numbers and the order of a set differs between processes.
            own = array("i", sorted(map(number, sorted(word_set(sentence["words"])))))
            own.tofile(stream)
            starts.append(starts[-1] + len(own))
            places.append(sentence["place"])
            splits.append(TRAINING_SPLITS.index(sentence["split"]))
    # An empty file cannot be mapped.
    words = np.memmap(folder / "words", np.int32, "r") if starts[-1] else np.empty(0, dtype=np.int32)
    sets = WordSets(words, np.frombuffer(starts, dtype=np.int64))
    return _Corpus(sets, np.frombuffer(places, dtype=np.int64), np.frombuffer(splits, dtype=np.int8))


def _pairs(sets: WordSets, params: Mine) -> Iterator[SimilarPair]:
    threshold = params.overlap.min_overlap
    if len(sets) > params.overlap.exact_up_to:
        return hashed_pairs(sets, threshold, params.seed)
    return similar_pairs(sets, threshold)


def may_mean_the_same(a: Row, b: Row, similarity: float, params: Mine) -> str | None:
    """Why two texts that share most words may mean the same, or None; ``similarity`` is of their trees.

    They are equal; one has all words of the other and more; their trees are more alike than
    ``mine.overlap.max_structural_similarity``; or they are one copular clause, turned round.
    """
    if same_text(a, b):
        return "equal text"
    x, y = word_set(a["words"]), word_set(b["words"])
    # Equal sets pass: the same words in another structure are what is looked for.
    if x < y or y < x:
        return "one text contains the other"
    if similarity > params.overlap.max_structural_similarity:
        return "the same structure"
    one, other = _copular(Side.from_row(a)), _copular(Side.from_row(b))
    return "a copular clause turned round" if one is not None and one[::-1] == other else None


def _copular(tree: Side) -> tuple[str, str] | None:
    """The lemmas of subject and predicate where the main clause says that one noun is another."""
    deprels = [universal(deprel) for deprel in tree.deprels or ()]
    for root, deprel in enumerate(deprels):
        if deprel != "root" or not tree.upos or tree.upos[root] not in ("NOUN", "PROPN"):
            continue
        below = {deprels[word]: word for word, head in enumerate(tree.heads) if head == root + 1}
        if "cop" in below and "nsubj" in below:
            return lemma(tree, below["nsubj"]), lemma(tree, root)
    return None
