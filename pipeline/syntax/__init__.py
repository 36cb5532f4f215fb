"""Sentences and their trees: dependencies, constituents, role order, similarity, attachment scores."""
