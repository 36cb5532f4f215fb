"""The development set."""

from .frames import FRAMES
from .lexicon import LEXICON

__all__ = ["FRAMES", "LEXICON"]
