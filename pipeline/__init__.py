"""SynSem: syntax-aware sentence embeddings. The importable library, without command line and without DVC."""
