"""Training examples of ``sscp``: sentences with variants and paraphrases (``pipeline.mining.variants``)."""

from pipeline.mining.variants import mine

__all__ = ["mine"]
