"""What text is kept, and why the rest is not."""
