"""Training examples of ``synsem``: sentences with their rewordings, and paraphrases."""

from collections import Counter
from pathlib import Path

from pipeline.mining import variants
from pipeline.mining.inputs import Embed, Inputs
from pipeline.params import Mine


def mine(inputs: Inputs, out: Path, params: Mine, embed: Embed) -> Counter[str]:
    """As ``mining.variants``, without sentences without a rewording, which would be their own positives."""
    return variants.mine(inputs, out, params.model_copy(update={"identity": "none"}), embed)
