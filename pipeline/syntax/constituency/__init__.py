"""Constituency trees: in brackets, given with a sentence, or derived from its dependency tree."""

from pipeline.syntax.constituency.brackets import DERIVED, GOLD, STANZA, read
from pipeline.syntax.constituency.derived import constituents, constituents_and_kind, derive, template
from pipeline.syntax.constituency.tree import TOKENS, Tree, tag_counts, tokens, top_constituents

__all__ = [
    "DERIVED",
    "GOLD",
    "STANZA",
    "TOKENS",
    "Tree",
    "constituents",
    "constituents_and_kind",
    "derive",
    "read",
    "tag_counts",
    "template",
    "tokens",
    "top_constituents",
]
