"""Where text comes from: the source registry, fetching, readers, cleaning."""
