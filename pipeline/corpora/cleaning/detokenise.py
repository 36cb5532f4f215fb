"""Tokenised text back to running text: ``do n't stop , '' he said`` -> ``don't stop," he said``."""

import functools
from typing import Any


@functools.cache
def _detokenizer() -> Any:
    from nltk.tokenize.treebank import TreebankWordDetokenizer

    return TreebankWordDetokenizer()


def detokenise(text: str) -> str:
    """Undo the Penn Treebank's tokenisation, line by line; bracket codes (-LRB-) become brackets."""
    return "\n".join(
        _detokenizer().detokenize(line.split(), convert_parentheses=True) for line in text.split("\n")
    )
