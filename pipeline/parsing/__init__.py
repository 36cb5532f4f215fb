"""Parsing to Universal Dependencies: parsers by name, conversion, repair, and the parse stage."""
