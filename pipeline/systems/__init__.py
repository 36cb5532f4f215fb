"""Sentence embedding systems, a package each; ``registry`` finds them by name."""
