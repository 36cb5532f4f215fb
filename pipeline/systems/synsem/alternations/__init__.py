"""Alternations: one thing said in several constructions, as training examples without a tree."""
