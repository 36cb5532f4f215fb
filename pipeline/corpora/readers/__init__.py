"""Readers of file layouts by name: ``read_NAME(part)`` turns the files of a part into uncleaned records.

Add a reader to ``READERS`` and sources.yaml, or a user's ``READER:PATH``, can name it.
"""

from collections.abc import Callable, Iterator

from pipeline.core.errors import SynsemError, unknown
from pipeline.corpora.files import Part, Record, suffix
from pipeline.corpora.readers import benchmarks, tables, text, trees

Reader = Callable[[Part], Iterator[Record]]

_BY_SUFFIX = {
    ".arrow": "columnar", ".conllu": "treebank", ".csv": "table", ".feather": "columnar", ".json": "jsonl",
    ".jsonl": "jsonl", ".md": "text", ".mrg": "constituents", ".parquet": "columnar", ".text": "text",
    ".tsv": "table", ".txt": "text",
}  # fmt: skip


def read_auto(part: Part) -> Iterator[Record]:
    """Yield the records of a user's file, read by its suffix, an archive's first member, or its start.

    With the option ``trees`` CoNLL-U keeps its trees. Raises SynsemError if nothing tells how to read it.
    """
    guessed = _BY_SUFFIX.get(suffix(part.input.name)) or _guess(part)
    name = "conllu" if guessed == "treebank" and not part.options.get("trees") else guessed
    yield from reader(name)(part)


def _guess(part: Part) -> str:
    for name, stream in part.input.streams():
        if inner := _BY_SUFFIX.get(suffix(name)):
            return inner
        if stream.read(512).lstrip().startswith(b"<doc id="):
            return "wikiextractor"
        break
    raise SynsemError(
        f"{part.name}: neither its name nor its start tells how to read it; save it as .txt, or its table as"
        f" .csv, or write READER:PATH, such as text:{part.name}"
    )


READERS: dict[str, Reader] = {
    "aligned": text.read_aligned,
    "auto": read_auto,
    "captions": text.read_captions,
    "columnar": tables.read_columnar,
    "columns": trees.read_columns,
    "conllu": trees.read_conllu,
    "constituents": trees.read_constituents,
    "contrast": benchmarks.read_contrast,
    "jsonl": tables.read_jsonl,
    "labelled_pairs": benchmarks.read_labelled_pairs,
    "lines": text.read_lines,
    "pairs": text.read_pairs,
    "paws": benchmarks.read_paws,
    "probing": benchmarks.read_probing,
    "pythonbible": text.read_pythonbible,
    "qqp": benchmarks.read_qqp,
    "reuters": text.read_reuters,
    "senteval_sts": benchmarks.read_senteval_sts,
    "stsb": benchmarks.read_stsb,
    "summaries": text.read_summaries,
    "table": tables.read_table,
    "tagged": text.read_tagged,
    "text": text.read_text,
    "trec": benchmarks.read_trec,
    "treebank": trees.read_treebank,
    "wikiextractor": text.read_wikiextractor,
    "wikisplit": text.read_wikisplit,
}


def reader(name: str) -> Reader:
    """Return the reader of that name; SynsemError naming the nearest one if there is none."""
    if name not in READERS:
        raise unknown("reader", name, READERS)
    return READERS[name]
