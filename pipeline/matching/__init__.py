"""Matchers: cross-encoders fine-tuned on labelled pairs, from any backbone or trained system."""
