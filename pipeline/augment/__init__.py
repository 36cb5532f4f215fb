"""Rewriting sentences by their trees: a tree goes in, its variants come out, each with its own tree."""
