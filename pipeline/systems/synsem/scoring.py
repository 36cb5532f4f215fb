"""What the network itself reads in a text, without a parser, for people."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import torch

from pipeline.core.errors import SynsemError
from pipeline.syntax.sentence import Sentence

if TYPE_CHECKING:
    from rich.tree import Tree

    from pipeline.systems.synsem.model import System


class ReadWord(NamedTuple):
    """A word as the network reads it."""

    text: str
    content: float  # probability of being a content word; from 0.5 on it counts as one
    successor: int | None  # the most probable next word, 0-based; None: no word follows
    probability: float  # of that


@torch.inference_mode()
def read_words(system: "System", text: str) -> list[ReadWord]:
    """Read the words of a text that ``encoder.max_tokens`` have room for; SynsemError if it has none."""
    [(_, reading, [size])] = system.readings([Sentence(text)])
    if not size:
        raise SynsemError("the text is empty; give a sentence, in quotes")
    content = reading.links.content[0].sigmoid().tolist()
    probabilities, places = reading.links.successors[0].softmax(dim=1).max(dim=1)
    encoding = system.tokenizer.tokenize([text], places=False)
    found = []
    for word, (after, best) in enumerate(zip(places.tolist(), probabilities.tolist(), strict=True)):
        start, end = encoding.word_to_chars(0, word)
        successor = None if after == size else after
        found.append(ReadWord(text[start:end].strip(), content[word], successor, best))
    return found


def chains(words: Sequence[ReadWord]) -> list[list[int]]:
    """Return every content word once, in the order read; several chains if the network reads no single one.

    A chain begins at a word that follows no content word (or, in a circle, at its first in the text). It
    ends if no word follows, or one that is not a content word or that a chain has already.
    """
    left = [number for number, word in enumerate(words) if word.content >= 0.5]
    followed = {words[number].successor for number in left}
    found = []
    for start in sorted(left, key=followed.__contains__):  # first the words that follow none
        chain: list[int] = []
        word: int | None = start
        while word in left:
            left.remove(word)
            chain.append(word)
            word = words[word].successor
        if chain:
            found.append(chain)
    return found


def draw(text: str, words: Sequence[ReadWord]) -> "Tree":
    """Draw the chains as a ``rich`` tree: each word's position, content, and successor with probability."""
    from rich.text import Text
    from rich.tree import Tree

    # Not as markup, which would take words such as [a] and :smile: for its own.
    top = Tree(Text(text, "bold"))
    for chain in chains(words):
        branch = top.add(Text(" → ".join(words[number].text for number in chain), "bold"))
        for number in chain:
            word = words[number]
            after = "end" if word.successor is None else f"{word.successor + 1} {words[word.successor].text}"
            branch.add(
                Text.assemble(
                    (f"{number + 1} ", "dim"),
                    (f"{word.text} ", "bold"),
                    (f"content {word.content:.2f} ", "green"),
                    (f"→ {after} {word.probability:.2f}", "cyan"),
                )
            )
    others = [f"{word.text} {word.content:.2f}" for word in words if word.content < 0.5]
    if others:
        top.add(Text(f"no content: {' · '.join(others)}", "dim"))
    return top
