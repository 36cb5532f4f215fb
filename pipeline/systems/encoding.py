"""Texts to a table of vectors: the way from plain text through a parser into a system."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa

from pipeline.errors import SynsemError
from pipeline.nn.embedding import embed
from pipeline.params import Parse
from pipeline.sentences import Side
from pipeline.systems import registry


def encode(folder: Path, texts: Sequence[str], view: str | None, params: Parse) -> pa.Table:
    """Embed texts, one sentence each, with a saved system; only views that read trees cost a parse.

    Returns a column ``text`` and a column of fixed-size float32 lists for the view, or one a view if None.
    Texts are in ``parse.benchmark_language``. Raises SynsemError for a view that the system lacks.
    """
    system = registry.load(folder)
    if view == "semantic":
        vectors = embed({view: system.semantic}, system.tokeniser, [Side(text, (), ()) for text in texts])
    else:
        vectors = system.embed(list(parsed(texts, params)))
    if view is not None and view not in vectors:
        raise SynsemError(f"--view: {folder} has no view {view!r}; choose from {', '.join(vectors)}")
    chosen = {name: matrix for name, matrix in vectors.items() if view in (None, name)}
    columns = {
        name: pa.FixedSizeListArray.from_arrays(pa.array(matrix.ravel()), matrix.shape[1])
        for name, matrix in chosen.items()
    }
    return pa.table({"text": pa.array(list(texts), pa.string())} | columns)


def parsed(texts: Sequence[str], params: Parse) -> Iterator[Side]:
    """One tree a text; an empty text is a tree of one empty word."""
    from pipeline.parsing import registry as parsers
    from pipeline.parsing.base import Passage
    from pipeline.parsing.wellformed import mend

    lang = params.benchmark_language
    passages = [Passage(text, lang, single=True) for text in texts]
    for text, sentences in zip(texts, parsers.load(params, lang).parse(passages), strict=True):
        tree = mend(sentences[0])[0] if sentences else None
        yield Side(text, tree.words, tree.heads) if tree else Side(text, [""], [0])
