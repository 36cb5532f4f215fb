"""Training examples of ``parabart``: a source and its paraphrase (``pipeline.mining.paraphrase_pairs``)."""

from pipeline.mining.paraphrase_pairs import mine

__all__ = ["mine"]
