"""Training examples of ``synsem``: every sentence, with its variants and paraphrases where it has some."""

from collections import Counter
from pathlib import Path

from pipeline.mining import variants
from pipeline.mining.inputs import Embed, Inputs
from pipeline.params import Mine


def mine(inputs: Inputs, out: Path, params: Mine, embed: Embed) -> Counter[str]:
    """As ``mining.variants``; a sentence without a rewording is kept too, because its links are learnt."""
    return variants.mine(inputs, out, params.model_copy(update={"identity": "all"}), embed)
