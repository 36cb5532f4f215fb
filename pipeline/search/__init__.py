"""Looking a corpus through for sentences like one of yours."""
