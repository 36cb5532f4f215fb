"""The sections of the report: each turns what the stages left into plain values for a template."""
