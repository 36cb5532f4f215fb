"""Evaluate embeddings: every text is embedded once, then the tasks score the vectors."""
