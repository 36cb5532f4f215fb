"""Judging embeddings: every unique text embedded once, then tasks, probes, significance."""
