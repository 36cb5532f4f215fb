"""The systems, one a file: a model, its loss and its views, built from ``pipeline.nn``."""
