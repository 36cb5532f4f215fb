"""What every stage uses: errors, atomic output, Arrow storage, workers, resume, seeds, progress, metrics."""
