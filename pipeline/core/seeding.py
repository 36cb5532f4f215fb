"""Choices that depend on content only, the same in any order: random numbers, samples, rows of one split."""

import hashlib
import heapq
from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import TypeVar

import numpy as np

Item = TypeVar("Item")
SEED = 13  # of all random choices but those of training, which has `seeds`


def stable_hash(seed: int, *keys: str) -> int:
    """Return a 64-bit number that looks random and is a pure function of the seed and the keys."""
    digest = hashlib.blake2b("\x1f".join((str(seed), *keys)).encode(), digest_size=8)
    return int.from_bytes(digest.digest(), "big")


def generator(seed: int, *keys: str) -> np.random.Generator:
    """Return a NumPy generator for arrays and permutations: one for a whole stage or file."""
    return np.random.default_rng(stable_hash(seed, *keys))


def seeded_random(seed: int, *facts: str | int) -> Random:
    """Return a ``random.Random`` for a few draws: cheap enough to make one for each sentence."""
    return Random(stable_hash(seed, *map(str, facts)))


def sample(items: Iterable[Item], most: int, text: Callable[[Item], str], *keys: str) -> list[Item]:
    """Return at most ``most`` of the items, those whose ``text`` has the lowest hash: the same in any order.

    Holds at most that many at a time; returns all items if there are fewer.
    """
    return heapq.nsmallest(most, items, key=lambda item: stable_hash(0, *keys, text(item)))


def linked(rows: Sequence[tuple[str, str | None]]) -> list[str]:
    """Return a name for each row of one or two texts; linked rows have the same name.

    Two rows are linked if a text of one has the words of a text of the other, in any order and case (PAWS
    makes several pairs of a sentence), or if both are linked to a third. The name is the first of their first
    texts in alphabetical order. If more than half of the rows would be linked, as when many share one second
    text, each row is named by its own first text.
    """
    links: dict[str, str] = {}

    def root(text: str) -> str:
        key = word_key(text)
        while links.setdefault(key, key) != key:
            links[key] = key = links[links[key]]
        return key

    for first, second in rows:
        links[root(second or first)] = root(first)
    groups: dict[str, list[str]] = {}
    for first, _ in rows:
        groups.setdefault(root(first), []).append(first)
    if len(rows) > 1 and 2 * max(map(len, groups.values())) > len(rows):
        return [first for first, _ in rows]
    names = {key: min(texts) for key, texts in groups.items()}
    return [names[root(first)] for first, _ in rows]


def word_key(text: str) -> str:
    """Return a key that is equal for texts with the same words, whatever their order and case."""
    return " ".join(sorted(text.casefold().split()))
