"""A text that a user typed: parsed, and its trees drawn for the terminal."""

from typing import TYPE_CHECKING

from pipeline.core.errors import SynsemError
from pipeline.core.params import Parse
from pipeline.parsing import base
from pipeline.parsing.base import repair
from pipeline.syntax.sentence import Sentence
from pipeline.syntax.tree import DependencyTree

if TYPE_CHECKING:
    from rich.tree import Tree


def parsed(text: str, lang: str, params: Parse) -> list[Sentence]:
    """Return the sentences of a text with well-formed trees; SynsemError if it has no words."""
    if not text.strip():
        raise SynsemError("the text is empty; give a sentence, in quotes")
    return [repair(sentence)[0] for sentence in next(base.load(params, lang).parse([text]))]


def draw(sentence: Sentence) -> "Tree":
    """Return a ``rich`` tree with position, word, relation and part of speech; dependents are in order."""
    from rich.text import Text
    from rich.tree import Tree

    below = DependencyTree(sentence.heads).children

    def label(word: int) -> Text:
        # Not as markup, which would take words such as [a] and :smile: for its own.
        return Text(" ").join(
            [
                Text(str(word + 1), "dim"),
                Text(sentence.words[word], "bold"),
                Text(sentence.deprels[word], "cyan"),
                Text(sentence.upos[word], "green"),
            ]
        )

    root = sentence.heads.index(0)
    top = Tree(label(root))
    pending = [(top, root)]
    while pending:
        branch, word = pending.pop()
        pending += [(branch.add(label(child)), child) for child in below[word]]
    return top
