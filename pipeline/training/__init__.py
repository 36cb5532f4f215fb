"""One training loop for all systems, with its batches, checkpoints and curves."""
