"""SynSem's own system: a backbone as it is, and a reader beside it that gives a structural vector."""
