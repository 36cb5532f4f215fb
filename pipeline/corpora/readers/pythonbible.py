"""A Bible of the pythonbible packages: a Python module that holds the text and where each verse starts.

The module is parsed, never run.
"""

import ast
from collections.abc import Iterator

from pipeline.corpora.readers.part import Part
from pipeline.corpora.records import Record
from pipeline.errors import SynsemError

_TOO_DEEP = (RecursionError, MemoryError)  # what Python's own parser says of brackets without end


def read(part: Part) -> Iterator[Record]:
    """One record a verse; its pair_id is the same in every translation (``shared:bible:40001001``)."""
    for name, stream in part.input.streams():
        try:
            calls = [node for node in ast.walk(ast.parse(stream.read())) if isinstance(node, ast.Call)]
            text, starts = ast.literal_eval(calls[0].args[1]), ast.literal_eval(calls[0].args[2])
            verses = sorted(starts.items(), key=lambda item: (item[1], item[0]))
            if not isinstance(text, str) or not all(isinstance(start, int) for _, start in verses):
                raise TypeError("no text with the places of its verses")
        except (SyntaxError, ValueError, TypeError, IndexError, AttributeError, *_TOO_DEEP) as error:
            raise SynsemError(f"{name}: not a module of pythonbible ({error}); fetch it again") from error
        ends = [start for _, start in verses[1:]] + [len(text)]
        for (verse, start), end in zip(verses, ends, strict=True):
            yield Record(text[start:end], pair_id=f"shared:bible:{verse}")
