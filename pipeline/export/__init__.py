"""Using a trained model: vectors of text, search, paraphrases, and folders and graphs for other programs."""
