"""The one training loop, its batches, checkpoints, curves and export."""
