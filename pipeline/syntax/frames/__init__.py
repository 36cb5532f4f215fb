"""Sentences made of frames and words: for the contrast sets, and for training examples of ``synsem``."""
