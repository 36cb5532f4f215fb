"""Chance that depends on content alone: the same whatever the order, the worker or the machine."""

import hashlib

import numpy as np


def rank(seed: int, *keys: str) -> int:
    """A 64-bit number that looks random and is a pure function of the seed and the keys."""
    digest = hashlib.blake2b("\x1f".join((str(seed), *keys)).encode(), digest_size=8)
    return int.from_bytes(digest.digest(), "big")


def generator(seed: int, *keys: str) -> np.random.Generator:
    """A NumPy generator seeded by ``rank``."""
    return np.random.default_rng(rank(seed, *keys))
