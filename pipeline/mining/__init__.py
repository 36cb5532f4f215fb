"""Training examples: one file a system, over the shared parts of ``examples``."""
