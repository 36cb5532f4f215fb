"""EBSIM (2024): a cross-encoder for semantic matching, pretrained on titled documents."""

MASK = "[MASK]"  # how examples write a masked word, whatever the tokenizer's own mask token
