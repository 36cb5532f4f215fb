"""The module that exported folders name, in ``modules.json``, to sentence-transformers.

In the repository and in a wheel it has the same name, which the library's own files have not.
"""

from pipeline.export.module import ParsedEncoder

__all__ = ["ParsedEncoder"]
