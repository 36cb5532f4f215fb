"""Trees for the terminal."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pipeline.constituency import constituents_and_kind
from pipeline.constituency.tree import drawn
from pipeline.params import Parse
from pipeline.parsing.typed import parsed
from pipeline.sentences import Sentence
from pipeline.trees import children

if TYPE_CHECKING:
    from rich.tree import Tree


def trees(text: str, lang: str, params: Parse) -> "Iterator[Tree]":
    """Parse a text and yield a ``rich`` tree a sentence."""
    yield from map(draw, parsed(text, lang, params))


def bracketed(text: str, lang: str, params: Parse) -> Iterator[str]:
    """Parse a text and yield for each sentence its constituency tree, where it is from, and its template."""
    for sentence in parsed(text, lang, params):
        tree, kind = constituents_and_kind(sentence)
        yield f"{drawn(tree)}\n{kind}; as a template:\n{tree.without_words()}"


def draw(sentence: Sentence) -> "Tree":
    """The sentence as a ``rich`` tree: position, word, relation, part of speech; dependents in order."""
    from rich.markup import escape
    from rich.tree import Tree

    below = children(sentence.heads)

    def label(word: int) -> str:
        return (
            f"[dim]{word + 1}[/] [bold]{escape(sentence.words[word])}[/] "
            f"[cyan]{sentence.deprels[word]}[/] [green]{sentence.upos[word]}[/]"
        )

    root = sentence.heads.index(0)
    top = Tree(label(root))
    pending = [(top, root)]
    while pending:
        branch, word = pending.pop()
        pending += [(branch.add(label(child)), child) for child in below[word]]
    return top
