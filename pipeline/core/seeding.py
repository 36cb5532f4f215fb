"""Random choices that depend on content alone: the same in any order, on any worker and machine."""

import hashlib
from random import Random

import numpy as np


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
