"""The evaluation tasks, one a file: embeddings and data in, an outcome out."""
