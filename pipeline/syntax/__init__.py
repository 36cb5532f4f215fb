"""Sentences and their trees: dependencies, constituents, canonical order, similarity, attachment scores."""
