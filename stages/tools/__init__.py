"""The commands that are no stage of the graph."""
