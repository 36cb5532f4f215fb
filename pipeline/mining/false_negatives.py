"""Who may not be a negative, whatever its score: texts that may mean the same as the anchor."""

from collections.abc import Mapping
from typing import Any

from pipeline.agreement import agreement, triples
from pipeline.mining.overlap import jaccard
from pipeline.mining.words import bag, contained, same_text
from pipeline.sentences import Side

NEAR_COPY = 0.8  # Jaccard similarity of words from which, in one structure, two texts are taken for one


def lookalike(a: Mapping[str, Any], b: Mapping[str, Any], max_agreement: float = 0.45) -> str | None:
    """Why two sides (``store.SIDE``) may mean the same, or None.

    Equal texts; one's words all standing in the other, so that it may say the same and more; or nearly equal
    words (Jaccard similarity of 0.8) in the same structure, which agrees by more than ``max_agreement``.
    """
    if same_text(a, b):
        return "equal text"
    x, y = bag(a["words"]), bag(b["words"])
    if contained(x, y):
        return "one text contains the other"
    if jaccard(x, y) >= NEAR_COPY and structural_agreement(a, b) > max_agreement:
        return "near copy"
    return None


def structural_agreement(a: Mapping[str, Any], b: Mapping[str, Any]) -> float:
    """``pipeline.agreement`` of two sides or parsed rows, 0 to 1; by forms where there are no lemmas."""
    return agreement(triples(Side.from_row(a)), triples(Side.from_row(b)))
