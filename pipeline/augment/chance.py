"""Random choices that depend on the text alone: the same sentence gets the same numbers anywhere."""

import hashlib
from random import Random


def seed_of(*facts: str | int) -> int:
    """A 64-bit number from a sha256 of the facts."""
    digest = hashlib.sha256("\x1f".join(map(str, facts)).encode()).digest()
    return int.from_bytes(digest[:8], "big")


def generator(*facts: str | int) -> Random:
    """A generator seeded by the facts; cheaper to make than NumPy's, and one is made for a sentence."""
    return Random(seed_of(*facts))
