"""What a parsed tree says without training: content words in role order, the sketch of them, and controls.

The sketch is a vector of who does what. Content words at most ``REACH`` apart in role order are a pair. It
counts + in one direction and - in the other, and less, the further the two are apart: the structural kernel
of ``synsem`` (``systems/synsem/heads.py``), by a parser's tree. Signed feature hashing (Weinberger et al.
2009) maps the counts to a fixed number of dimensions, so that the cosine of two sketches is, but for
collisions, that of the counts: a tree kernel as a vector (Zanzotto & Dell'Arciprete 2012).

Controls show what a sentence's tree is worth: they put another in its place, which is a function of the text
and the heads, the same in training and in evaluation. The words keep their places in the text.

- ``shuffled`` keeps the tree's shape and assigns the words to its nodes at random. It takes surface order
  away as well.
- ``mismatched`` is the tree of another sentence of that length, from ``mismatched_trees.tsv``, with short
  edges and the usual depths. Each word keeps its relation and gets another head.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from pipeline.core.metrics import unit
from pipeline.core.seeding import generator, seeded_random
from pipeline.syntax.role_order import role_order
from pipeline.syntax.sentence import Sentence
from pipeline.syntax.tree import lemma

TreeControl = Literal["shuffled", "mismatched"]
CONTROLS: tuple[TreeControl, ...] = get_args(TreeControl)
Order = Literal["tree", "surface"] | TreeControl
WEIGHT = 0.4  # of the sketch, next to a sentence vector of length 1
REACH = 3  # content words further apart are not a pair
# As in systems/synsem/heads.py, which is exported without SynSem and so imports nothing of it.
DECAY = 0.7  # what a pair counts with one more word between, next to one without
WEAK = 0.05  # least norm that a word's pairs are divided by
_ROUNDING = 1e-5  # what is smaller than this, next to the terms that it is the sum of
_ODD = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio: spreads whatever it multiplies


def content_words(sentence: Sentence, order: Order) -> list[int]:
    """Return numbers of a sentence's content words, 0-based, in role order or that of a control.

    In any control each word keeps its relation, so that the content words are nearly the same and only their
    order differs. Raises SynsemError if the sentence has no labels.
    """
    if order == "surface":
        return sorted(role_order(sentence))
    if order == "tree":
        return role_order(sentence)
    return role_order(replace(sentence, heads=control_heads(sentence.heads, sentence.text, order)))


def sketch(sentences: Sequence[Sentence], dimensions: int = 512) -> NDArray[np.float32]:
    """Return unit vectors, float32 [n, dimensions]; zero if a sentence has fewer than two content words.

    Raises SynsemError if a sentence has no labels.
    """
    orders = [role_order(sentence) for sentence in sentences]
    numbers = np.array(
        [_number(lemma(each, word)) for each, words in zip(sentences, orders, strict=True) for word in words],
        dtype=np.uint64,
    )
    row = np.repeat(np.arange(len(sentences)), [len(words) for words in orders])  # of each content word
    first, second, count = _pairs(numbers, row)
    low, high = np.minimum(numbers[first], numbers[second]), np.maximum(numbers[first], numbers[second])
    hashed = _mix(_mix(low) + high)
    place = (hashed >> np.uint64(1)) % np.uint64(dimensions)
    forward = (hashed & np.uint64(1)).astype(bool) == (numbers[first] < numbers[second])
    found = np.zeros((len(sentences), dimensions), dtype=np.float32)
    np.add.at(found, (row[first], place.astype(np.int64)), np.where(forward, count, -count))
    norm = np.linalg.norm(found, axis=1)
    # What is left if all pairs cancel each other, as in a palindrome, is rounding.
    norm[norm <= _ROUNDING * np.bincount(row[first], count, len(sentences))] = np.inf
    return found / norm[:, None]


def _pairs(
    numbers: NDArray[np.uint64], row: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
    """Places of both words of each pair, in order, and what it counts, float32.

    A word that a sentence repeats counts once in all. A pair is divided by the fourth root of the norms of
    both words' pairs, so that a word with many of them weighs hardly more than another.
    """
    # A sentence's repetitions of a word have one key.
    _, known, often = np.unique(
        _mix(numbers + _mix(row.astype(np.uint64))), return_inverse=True, return_counts=True
    )
    share = 1 / often[known]
    firsts = [np.flatnonzero(row[:-gap] == row[gap:]) for gap in range(1, REACH + 1)]
    first = np.concatenate(firsts)
    gaps = np.repeat(np.arange(1, REACH + 1), [len(each) for each in firsts])
    second = first + gaps
    count = DECAY ** (gaps - 1) * share[first] * share[second]
    squares = sum(np.bincount(words, count**2, len(numbers)) for words in (first, second))
    # To a word and from it: each pair twice.
    even = np.maximum(np.sqrt(2 * squares), WEAK) ** -0.25
    count *= even[first] * even[second]
    different = numbers[first] != numbers[second]
    return first[different], second[different], count[different].astype(np.float32)


def concatenated(*parts: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the rows of the parts, float32 [n, D] each, end to end and of unit length; zero if all are.

    Their cosine is the mean of the parts' cosines, weighted by the squares of the parts' lengths.
    """
    return unit(np.concatenate(parts, axis=1))


@lru_cache(100_000)
def _number(word: str) -> int:
    """A number of 64 bits: the same on any machine."""
    return int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "little")


def _mix(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Mix the bits of 64-bit numbers, one to one (the finaliser of splitmix64)."""
    x = (numbers + _ODD) * _ODD
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


# Controls


def control_heads(heads: Sequence[int], text: str, control: TreeControl) -> Sequence[int]:
    """Return heads (1-based, 0 at the root) of the control's tree for a sentence with these heads.

    A mismatched tree is chosen by the text. Beyond the table's lengths it is several trees side by side, of
    equal parts as near as can be: the roots of the others depend on that of the first. A single word keeps
    its tree: there is no other.
    """
    words = len(heads)
    if control == "shuffled":
        nodes = generator(0, "shuffle", text).permutation(words)  # the new number of each, 0-based
        permuted = np.empty(words, dtype=np.int64)
        permuted[nodes] = np.concatenate(([0], nodes + 1))[np.asarray(heads, dtype=np.int64)]
        return permuted.tolist()
    table, own = _table(), tuple(heads)
    if words < min(table):
        return list(heads)
    parts = -(-words // max(table))
    ends = [words * part // parts for part in range(parts + 1)]
    found: list[int] = []
    for part, (start, end) in enumerate(pairwise(ends)):
        trees = [tree for tree in table[end - start] if tree != own]
        tree = trees[seeded_random(0, "other tree", text, part).randrange(len(trees))]
        root = found.index(0) + 1 if found else 0
        found += [start + head if head else root for head in tree]
    return found


@cache
def _table() -> dict[int, list[tuple[int, ...]]]:
    """The trees of ``mismatched_trees.tsv`` by their number of words; two or more of each length."""
    table: dict[int, list[tuple[int, ...]]] = {}
    for line in Path(__file__).with_name("mismatched_trees.tsv").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            tree = tuple(map(int, line.split()))
            table.setdefault(len(tree), []).append(tree)
    return table
