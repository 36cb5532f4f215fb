"""What a trained network itself reads in a text: its content words, and which of them follows which."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import torch

from pipeline.core.errors import SynsemError
from pipeline.nn.inference import evaluation_mode
from pipeline.syntax.sentence import Side
from pipeline.systems.synsem.words import read

if TYPE_CHECKING:
    from rich.tree import Tree

    from pipeline.systems.synsem.model import System

_CONTENT = 0.5  # the least gate of a content word


class ReadWord(NamedTuple):
    """A word as the network reads it."""

    text: str
    gate: float  # probability of being a content word
    successor: int | None  # the most probable next word, 0-based; None: no word follows
    probability: float  # of that

    @property
    def is_content(self) -> bool:
        """Whether the word is rather a content word than not."""
        return self.gate >= _CONTENT


@torch.inference_mode()
def read_words(system: "System", text: str) -> list[ReadWord]:
    """The words of a text that ``encoder.max_tokens`` have room for; SynsemError where it has none."""
    [sentence] = read(system.tokenizer, [Side(text, (), ())])
    if not sentence.size:
        raise SynsemError("the text is empty; give a sentence, in quotes")
    with evaluation_mode(system):
        tokens = system.tokenizer.pad([sentence.encoded], system.device)
        pointed = system.read_tokens(tokens, [sentence]).structure.pointed
    gates = pointed.gates[0].sigmoid().tolist()
    best, places = pointed.successors[0].softmax(dim=1).max(dim=1)
    found = zip(_texts(system, text, sentence.size), gates, places.tolist(), best.tolist(), strict=True)
    return [
        ReadWord(word, gate, None if after == sentence.size else after, probability)
        for word, gate, after, probability in found
    ]


def chains(words: Sequence[ReadWord]) -> list[list[int]]:
    """Every content word once, in the order read; more than one chain where the network reads no single one.

    A chain begins at a word that follows no content word (or, in a circle, at its first in the text). It
    ends where no word follows, or one that is no content word or that a chain has already.
    """
    content = [number for number, word in enumerate(words) if word.is_content]
    followed = {words[number].successor for number in content}
    seen: set[int] = set()
    found = []
    for start in [number for number in content if number not in followed] + content:
        chain: list[int] = []
        word: int | None = start
        while word is not None and words[word].is_content and word not in seen:
            seen.add(word)
            chain.append(word)
            word = words[word].successor
        if chain:
            found.append(chain)
    return found


def draw(text: str, words: Sequence[ReadWord]) -> "Tree":
    """The chains as a ``rich`` tree: each word's position, gate, and successor with its probability."""
    from rich.text import Text
    from rich.tree import Tree

    # Not as markup, which would take words such as [a] and :smile: for its own.
    top = Tree(Text(text, "bold"))
    for chain in chains(words):
        branch = top.add(Text(" → ").join(Text(words[word].text, "bold") for word in chain))
        for number in chain:
            word = words[number]
            after = "end" if word.successor is None else f"{word.successor + 1} {words[word.successor].text}"
            branch.add(
                Text(" ").join(
                    [
                        Text(str(number + 1), "dim"),
                        Text(word.text, "bold"),
                        Text(f"content {word.gate:.2f}", "green"),
                        Text(f"→ {after} {word.probability:.2f}", "cyan"),
                    ]
                )
            )
    others = [f"{word.text} {word.gate:.2f}" for word in words if not word.is_content]
    if others:
        top.add(Text(f"no content: {' · '.join(others)}", "dim"))
    return top


def _texts(system: "System", text: str, count: int) -> list[str]:
    """The text of each word."""
    tokenizer = system.tokenizer
    encoding = tokenizer.hf_tokenizer(text, truncation=True, max_length=tokenizer.max_tokens)
    spans = [encoding.word_to_chars(word) for word in range(count)]
    return [text[span.start : span.end].strip() for span in spans]
