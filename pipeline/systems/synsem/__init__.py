"""SynSem's own system: one network reads a sentence once and gives a semantic and a structural vector."""
