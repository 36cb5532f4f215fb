"""Paraphrases by a trained system, for a user: in the syntax asked for, and judged."""
