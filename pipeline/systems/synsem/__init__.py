"""SynSem's own system: a backbone as it is, and a link encoder next to it that gives a structural vector."""
