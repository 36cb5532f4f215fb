"""Syntactic sentence embeddings (Liu et al. 2019): the tags of a translation, predicted."""
