"""Random choices that depend on content alone: the same in any order, on any worker and machine."""

import hashlib
import heapq
from collections.abc import Callable, Iterable
from random import Random
from typing import TypeVar

import numpy as np

Item = TypeVar("Item")


def stable_hash(seed: int, *keys: str) -> int:
    """A 64-bit number that looks random and is a pure function of the seed and the keys."""
    digest = hashlib.blake2b("\x1f".join((str(seed), *keys)).encode(), digest_size=8)
    return int.from_bytes(digest.digest(), "big")


def generator(seed: int, *keys: str) -> np.random.Generator:
    """NumPy's generator, for arrays and permutations: one for a whole stage or file."""
    return np.random.default_rng(stable_hash(seed, *keys))


def seeded_random(seed: int, *facts: str | int) -> Random:
    """Python's generator, for a few draws: cheap enough to make one for each sentence."""
    return Random(stable_hash(seed, *map(str, facts)))


def sample(items: Iterable[Item], most: int, text: Callable[[Item], str], *keys: str) -> list[Item]:
    """At most ``most`` of the items, those whose ``text`` has the lowest hash: the same in any order.

    Holds no more than so many at a time; all of them where there are no more.
    """
    return heapq.nsmallest(most, items, key=lambda item: stable_hash(0, *keys, text(item)))
