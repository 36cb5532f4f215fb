"""Names, amounts and dates: ClearNLP makes them compounds, UD tells them apart."""

from collections.abc import Container

from pipeline.parsing.lexicon import MONTHS, NAME_ADJECTIVES, NAME_HEADS, NAME_STARTS, TITLES
from pipeline.parsing.turning import Turning

_DAYS = frozenset(map(str, range(1, 32)))
_HALVES_OF_DAY = frozenset({"am", "pm", "a.m.", "p.m.", "a.m", "p.m"})


def personal_names(tree: Turning, nouns: Container[str]) -> None:
    """``Marie Curie``: the first part heads, the others are ``flat``; other names keep their last as head."""
    for last, tag in enumerate(tree.tags):
        if tag not in ("NNP", "NNPS"):
            continue
        parts = [
            child
            for child in tree.children[last]
            if tree.relations[child] == "compound" and child < last and tree.tags[child] in ("NNP", "NNPS")
        ]
        name = list(parts)
        while name and tree.words[name[0]] in TITLES:
            tree.relations[name.pop(0)] = "nmod:desc"
        if not name:
            continue
        for part in name:
            if tree.words[part] in NAME_ADJECTIVES:
                tree.relations[part] = "amod"
                tree.upos[part] = "ADJ"
        first = name[0]
        if (
            tree.relations[first] == "amod"
            or len(name) != last - first
            or not _personal(tree, first, last, nouns)
        ):
            continue
        tree.promote(first, "flat")
        for part in name[1:]:
            tree.relations[part] = "flat"


def _personal(tree: Turning, first: int, last: int, nouns: Container[str]) -> bool:
    word = tree.words[last]
    if word in NAME_HEADS:
        return False
    if tree.words[first] in NAME_STARTS:
        return True
    known = word in nouns or (word.endswith("s") and (word[:-1] in nouns or word[:-2] in nouns))
    return not known and word.isalpha()


def amounts(tree: Turning) -> None:
    """``$ 65``: the unit heads, the number counts it. ``May 4``, ``2 pm``: the number heads."""
    for word, tag in enumerate(tree.tags):
        head = tree.heads[word]
        if tree.relations[word] == "nummod" and head >= 0 and tree.tags[head] != "CD":
            day = word > head and tree.words[head] in MONTHS and tree.words[word].rstrip("stndrh") in _DAYS
            if day or (word < head and tree.words[head] in _HALVES_OF_DAY):
                tree.promote(word, "nmod:unmarked")
                for child in tree.children[word]:
                    if tree.relations[child] == "nummod":
                        tree.relations[child] = "nmod:unmarked"
                continue
        if tag == "$" and head > word and tree.upos[head] == "NUM":
            tree.promote(word, "nummod")
            for child in list(tree.children[word]):
                if word < child < head and tree.relations[child] != "punct":
                    tree.move(child, head)
