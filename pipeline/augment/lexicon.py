"""The closed lists of English words that the rules consult, from ``lexicon.tsv``."""

from functools import cache
from importlib.resources import files


@cache
def _lists() -> dict[str, frozenset[str]]:
    text = (files("pipeline.augment") / "lexicon.tsv").read_text(encoding="utf-8")
    lists: dict[str, frozenset[str]] = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            name, _, members = line.partition("\t")
            lists[name] = lists.get(name, frozenset()) | frozenset(members.split())
    return lists


def words(name: str) -> frozenset[str]:
    """One list of lower-case words; KeyError where lexicon.tsv has no list of this name."""
    return _lists()[name]
