"""Where text comes from: sources, fetching, readers of file layouts, cleaning."""
