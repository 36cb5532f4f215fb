"""Generators of the development and the blind contrast set (docs/contrast-sets.md)."""
