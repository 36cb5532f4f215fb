"""What the network itself reads in a text, without a parser: for late interaction, and for people."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import torch

from pipeline.core.errors import SynsemError
from pipeline.nn.compute import evaluation_mode
from pipeline.nn.late_interaction import DECAY
from pipeline.syntax.sentence import Side
from pipeline.systems.synsem.data import read_texts
from pipeline.systems.synsem.heads import Links, evened, reached

if TYPE_CHECKING:
    from rich.tree import Tree

    from pipeline.systems.synsem.model import System


def late_links(links: Links, max_link_distance: int) -> torch.Tensor:
    """``evened`` g_i A_ij g_j, A = sum over k of DECAY^(k - 1) a^k up to that distance; float32 [B, W, W]."""
    content = links.content.sigmoid()
    weights = torch.tensor([DECAY**k for k in range(max_link_distance)], device=content.device)
    return evened(content[:, :, None] * reached(links, weights) * content[:, None])


class ReadWord(NamedTuple):
    """A word as the network reads it."""

    text: str
    content: float  # probability of being a content word
    successor: int | None  # the most probable next word, 0-based; None: no word follows
    probability: float  # of that

    @property
    def is_content(self) -> bool:
        """Whether the word is rather a content word than not."""
        return self.content >= 0.5


@torch.inference_mode()
def read_words(system: "System", text: str) -> list[ReadWord]:
    """Read the words of a text that ``encoder.max_tokens`` have room for; SynsemError if it has none."""
    tokenizer = system.tokenizer
    [read] = read_texts(tokenizer, [(Side(text, (), ()),)])
    if not read.size:
        raise SynsemError("the text is empty; give a sentence, in quotes")
    with evaluation_mode(system):
        links = system.read_tokens(tokenizer.pad([read.encoded], system.device), [read]).links
    content = links.content[0].sigmoid().tolist()
    best, places = links.successors[0].softmax(dim=1).max(dim=1)
    encoding = tokenizer.hf_tokenizer(text, truncation=True, max_length=tokenizer.max_tokens)
    spans = [encoding.word_to_chars(word) for word in range(read.size)]
    words = [text[span.start : span.end].strip() for span in spans]
    return [
        ReadWord(word, own, None if after == read.size else after, probability)
        for word, own, after, probability in zip(words, content, places.tolist(), best.tolist(), strict=True)
    ]


def chains(words: Sequence[ReadWord]) -> list[list[int]]:
    """Return every content word once, in the order read; several chains if the network reads no single one.

    A chain begins at a word that follows no content word (or, in a circle, at its first in the text). It
    ends if no word follows, or one that is no content word or that a chain has already.
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
    """Draw the chains as a ``rich`` tree: each word's position, content, and successor with probability."""
    from rich.text import Text
    from rich.tree import Tree

    # Not as markup, which would take words such as [a] and :smile: for its own.
    top = Tree(Text(text, "bold"))
    for chain in chains(words):
        branch = top.add(Text(" → ").join(Text(words[number].text, "bold") for number in chain))
        for number in chain:
            word = words[number]
            after = "end" if word.successor is None else f"{word.successor + 1} {words[word.successor].text}"
            parts = [
                Text(str(number + 1), "dim"),
                Text(word.text, "bold"),
                Text(f"content {word.content:.2f}", "green"),
                Text(f"→ {after} {word.probability:.2f}", "cyan"),
            ]
            branch.add(Text(" ").join(parts))
    others = [f"{word.text} {word.content:.2f}" for word in words if not word.is_content]
    if others:
        top.add(Text(f"no content: {' · '.join(others)}", "dim"))
    return top
