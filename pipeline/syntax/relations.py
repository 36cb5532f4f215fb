"""Universal Dependencies relations: without their subtypes, and as numbers."""

from collections.abc import Iterable
from functools import lru_cache

UNKNOWN = 0
# The 37 of UD v2; a subtype (acl:relcl) counts as its relation.
RELATIONS = (
    "acl", "advcl", "advmod", "amod", "appos", "aux", "case", "cc", "ccomp", "clf", "compound", "conj", "cop",
    "csubj", "dep", "det", "discourse", "dislocated", "expl", "fixed", "flat", "goeswith", "iobj", "list",
    "mark", "nmod", "nsubj", "nummod", "obj", "obl", "orphan", "parataxis", "punct", "reparandum", "root",
    "vocative", "xcomp",
)  # fmt: skip
SIZE = 1 + len(RELATIONS)
_NUMBER = {name: number for number, name in enumerate(RELATIONS, start=1)}


@lru_cache(maxsize=1_000)
def universal(deprel: str) -> str:
    """A relation without its subtype: ``nsubj:pass`` -> ``nsubj``."""
    return deprel.partition(":")[0]


def relation_numbers(deprels: Iterable[str]) -> list[int]:
    """Numbers below ``SIZE``, one a relation; ``UNKNOWN`` for a relation outside UD."""
    return [_NUMBER.get(universal(name), UNKNOWN) for name in deprels]
