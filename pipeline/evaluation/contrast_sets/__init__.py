"""Generators of the development and the two blind contrast sets (docs/contrast-sets.md)."""
