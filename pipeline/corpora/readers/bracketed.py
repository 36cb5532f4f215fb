"""Constituency trees in brackets (Penn Treebank, .mrg)."""

from collections.abc import Iterator

from nltk import Tree

from pipeline.corpora.readers.part import Part
from pipeline.corpora.records import Record
from pipeline.errors import SynsemError


def read(part: Part) -> Iterator[Record]:
    """One record a tree: its words without traces; the label is the constituents below the clause."""
    for name, stream in part.input.streams():
        for number, bracket in brackets(name, part.input.decoded(name, stream)):
            try:
                tree = Tree.fromstring(bracket)
            except ValueError as error:
                reason = " ".join(str(error).split())
                raise SynsemError(f"{name}:{number}: not a bracketed tree ({reason}); mend it") from error
            words = [word for word, tag in tree.pos() if tag != "-NONE-"]
            yield Record(" ".join(words), presplit=True, label=_top_constituents(tree))


def brackets(name: str, lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Every tree of a file as it stands, with the number of its first line; SynsemError where one is cut."""
    depth, start, held = 0, 0, list[str]()
    for number, line in lines:
        if not held:
            if not line.strip():
                continue
            start = number
        held.append(line)
        depth += line.count("(") - line.count(")")
        if depth == 0:
            yield start, " ".join(held)
            held = []
    if held:
        raise SynsemError(f"{name}:{start}: a bracket is never closed; the file is cut short")


def _top_constituents(tree: Tree) -> str:
    while len(tree) == 1 and isinstance(tree[0], Tree) and tree[0].height() > 2:
        tree = tree[0]
    labels = [child.label() for child in tree if isinstance(child, Tree)]
    plain = [
        label if label.startswith("-") else label.partition("-")[0].partition("=")[0] for label in labels
    ]
    return " ".join(label for label in plain if label != "-NONE-")
