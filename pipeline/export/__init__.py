"""Using a trained model: vectors of text, search, and folders and graphs for other programs."""
