"""Cleaning of text: regular Unicode, language, near-duplicates, benchmark contamination."""
