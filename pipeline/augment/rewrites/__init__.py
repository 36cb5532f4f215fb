"""One transformation a file. Each exposes ``TRANSFORMATION``; ``pipeline.augment.catalogue`` lists them."""
