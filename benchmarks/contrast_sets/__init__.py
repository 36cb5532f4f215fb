"""Generators of the development and the blind contrast sets (docs/contrast-sets.md)."""
