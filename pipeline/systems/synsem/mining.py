"""Training examples of ``synsem``: sentences with their rewordings, paraphrases, and alternations."""

from collections import Counter
from functools import partial
from pathlib import Path

from pipeline.mining import variants
from pipeline.mining.inputs import Embed, Inputs
from pipeline.params import Mine
from pipeline.systems.synsem.alternations.examples import with_alternations


def mine(inputs: Inputs, out: Path, params: Mine, embed: Embed, workers: int | None = 1) -> Counter[str]:
    """As ``mining.variants``, with a share of alternations (``mine.synsem.alternations``).

    Sentences without a rewording, which would be their own positives, are left out.
    """
    own, share = params.model_copy(update={"identity": "none"}), params.synsem.alternations
    mixed = partial(with_alternations, share=share, seed=params.seed) if share else None
    return variants.mine(inputs, out, own, embed, workers, mixed)
