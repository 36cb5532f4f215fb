"""Universal Dependencies relations as numbers."""

from collections.abc import Iterable

UNKNOWN = 0
# The 37 of UD v2; a subtype (acl:relcl) counts as its relation.
RELATIONS = (
    "acl", "advcl", "advmod", "amod", "appos", "aux", "case", "cc", "ccomp", "clf", "compound", "conj", "cop",
    "csubj", "dep", "det", "discourse", "dislocated", "expl", "fixed", "flat", "goeswith", "iobj", "list",
    "mark", "nmod", "nsubj", "nummod", "obj", "obl", "orphan", "parataxis", "punct", "reparandum", "root",
    "vocative", "xcomp",
)  # fmt: skip
SIZE = 1 + len(RELATIONS)
CLAUSAL = ("acl", "advcl", "ccomp", "csubj", "parataxis", "root", "xcomp")  # these head a clause
_NUMBER = {name: number for number, name in enumerate(RELATIONS, start=1)}


def relation_numbers(deprels: Iterable[str]) -> list[int]:
    """Numbers below ``SIZE``; UNKNOWN for a relation that UD does not know."""
    return [_NUMBER.get(name.split(":")[0], UNKNOWN) for name in deprels]


CLAUSAL_NUMBERS = relation_numbers(CLAUSAL)
