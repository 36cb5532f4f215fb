"""Training examples: what the dataset builders of all systems share (``pipeline/systems/*/mining.py``)."""
