"""One transformation a file. Each exposes ``TRANSFORMATION``; ``pipeline.augment.base`` lists them."""
