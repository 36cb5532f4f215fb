"""Readers of file layouts by name: ``read_NAME(part)`` turns the files of a part into uncleaned documents.

A function ``read_NAME`` of these modules can be named by sources.yaml or a user's ``NAME:PATH``.
"""

from collections.abc import Callable, Iterator

from pipeline.core.errors import SynsemError, unknown
from pipeline.corpora.files import Document, Part, suffix
from pipeline.corpora.readers import tables, text, trees

Reader = Callable[[Part], Iterator[Document]]

_BY_SUFFIX = {
    ".arrow": "columnar", ".conllu": "treebank", ".csv": "table", ".feather": "columnar", ".json": "jsonl",
    ".jsonl": "jsonl", ".md": "text", ".parquet": "columnar", ".text": "text",
    ".tsv": "table", ".txt": "text",
}  # fmt: skip


def read_auto(part: Part) -> Iterator[Document]:
    """Yield the documents of a user's file, read by its suffix, an archive's first member, or its start.

    With the option ``trees`` CoNLL-U keeps its trees. Raises SynsemError if nothing tells how to read it.
    """
    name = _BY_SUFFIX.get(suffix(part.input.name))
    if name is None:
        streams = part.input.streams()  # held, so that the first stays open
        inner, stream = next(streams)
        name = _BY_SUFFIX.get(suffix(inner))
        if name is None and stream.read(512).lstrip().startswith(b"<doc id="):
            name = "wikiextractor"
    if name is None:
        raise SynsemError(
            f"{part.input.name}: neither its name nor its start tells how to read it; save it as .txt, or its"
            f" table as .csv, or write READER:PATH, such as text:{part.input.name}"
        )
    yield from reader("conllu" if name == "treebank" and not part.options.get("trees") else name)(part)


READERS: dict[str, Reader] = {"auto": read_auto, **tables.IN_ORDER} | {
    name.removeprefix("read_"): function
    for module in (tables, text, trees)
    for name, function in vars(module).items()
    if name.startswith("read_")
}


def reader(name: str) -> Reader:
    """Return the reader of that name; SynsemError naming the nearest one if there is none."""
    if name not in READERS:
        raise unknown("reader", name, READERS)
    return READERS[name]
