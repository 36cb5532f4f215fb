"""How a backbone computes attention: as it was loaded to (fused, as a rule), but for training on a CPU."""

from typing import Any


def suit_attention(model: Any, training: bool, usual: str) -> None:
    """Set a transformers model to plain attention for training on a CPU, else to the ``usual`` kind.

    There dropout rules fused attention out, and what torch puts in its place is the slowest way.
    """
    plain = training and next(model.parameters()).device.type == "cpu"
    wanted = "eager" if plain else usual
    if model.config._attn_implementation != wanted:
        model.set_attn_implementation(wanted)
