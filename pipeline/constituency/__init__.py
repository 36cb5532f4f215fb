"""Constituency trees: in brackets, given with a sentence, or derived from its dependency tree."""

from pipeline.constituency.brackets import read
from pipeline.constituency.derived import derive
from pipeline.constituency.given import DERIVED, GOLD, STANZA
from pipeline.constituency.labels import TOKENS
from pipeline.constituency.template import constituents, constituents_and_kind, template
from pipeline.constituency.tree import Tree, tag_counts, tokens, top_constituents

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
