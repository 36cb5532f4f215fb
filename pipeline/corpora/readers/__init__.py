"""Readers of file layouts by name: ``read_NAME(part)`` turns the files of a part into uncleaned records.

Add a reader to ``READERS`` and sources.yaml can name it.

auto  what the suffix of a file or its first line tells; the default
"""

import re
import sys
from collections.abc import Callable, Iterator

from pipeline.core.errors import SynsemError, unknown
from pipeline.corpora.readers import benchmarks, pairs, tables, text, trees, wiki
from pipeline.corpora.readers.base import Part, Record, suffix

Reader = Callable[[Part], Iterator[Record]]


def read_auto(part: Part) -> Iterator[Record]:
    """The records of a user's file; SynsemError where neither its name nor its start tells how to read it.

    With the option ``trees`` CoNLL-U keeps its trees.
    """
    guessed = _guess(part)
    name = "conllu" if guessed == "treebank" and not part.options.get("trees") else guessed
    yield from reader(name)(part)


READERS: dict[str, Reader] = {
    "aligned": pairs.read_aligned,
    "aligned_labels": benchmarks.read_aligned_labels,
    "auto": read_auto,
    "bracketed": trees.read_bracketed,
    "captions": pairs.read_captions,
    "columnar": tables.read_columnar,
    "contrast": benchmarks.read_contrast,
    "columns": trees.read_columns,
    "conllu": trees.read_conllu,
    "constituents": trees.read_constituents,
    "jsonl": tables.read_jsonl,
    "labelled_pairs": benchmarks.read_labelled_pairs,
    "lines": text.read_lines,
    "mediawiki": wiki.read_mediawiki,
    "mrpc": benchmarks.read_mrpc,
    "pairs": pairs.read_pairs,
    "paws": benchmarks.read_paws,
    "probing": benchmarks.read_probing,
    "pythonbible": text.read_pythonbible,
    "qqp": benchmarks.read_qqp,
    "reuters": text.read_reuters,
    "senteval_sts": benchmarks.read_senteval_sts,
    "sick": benchmarks.read_sick,
    "snli": benchmarks.read_snli,
    "stsb": benchmarks.read_stsb,
    "summaries": text.read_summaries,
    "table": tables.read_table,
    "tagged": text.read_tagged,
    "text": text.read_text,
    "trec": benchmarks.read_trec,
    "treebank": trees.read_treebank,
    "wikiextractor": wiki.read_wikiextractor,
    "wikisplit": pairs.read_wikisplit,
    "wikitext": wiki.read_wikitext,
}


def reader(name: str) -> Reader:
    """The reader of that name; SynsemError naming the nearest one where there is none."""
    if name not in READERS:
        raise unknown("reader", name, READERS)
    return READERS[name]


def described() -> dict[str, tuple[str, str]]:
    """Every reader: the file suffixes that choose it, and what it reads, by the docstring of its family."""
    found = {}
    for name, function in READERS.items():
        suffixes = ", ".join(ending for ending, chosen in _BY_SUFFIX.items() if chosen == name)
        lines = sys.modules[function.__module__].__doc__ or ""
        own = re.search(rf"^{name}  +(.+(?:\n +.+)*)", lines, flags=re.MULTILINE)
        found[name] = (suffixes, " ".join(own[1].replace("``", "").split()) if own else "")
    return found


_BY_SUFFIX = {
    ".arrow": "columnar",
    ".conllu": "treebank",
    ".csv": "table",
    ".feather": "columnar",
    ".json": "jsonl",
    ".jsonl": "jsonl",
    ".md": "text",
    ".mrg": "bracketed",
    ".parquet": "columnar",
    ".text": "text",
    ".tsv": "table",
    ".txt": "text",
    ".xml": "mediawiki",
}

# What has text in it and is none: zip archives of XML, binary files, markup.
_NOT_PLAIN = {
    ".doc", ".docx", ".epub", ".htm", ".html", ".odp", ".ods", ".odt", ".pdf", ".ppt", ".pptx", ".rtf",
    ".xls", ".xlsx",
}  # fmt: skip


def _guess(part: Part) -> str:
    outer = _BY_SUFFIX.get(suffix(part.input.name))
    if outer:
        return outer
    if suffix(part.input.name) in _NOT_PLAIN:
        raise SynsemError(f"{part.name}: is no plain text; save its text as .txt, or its table as .csv")
    for name, stream in part.input.streams():  # of an archive the first member tells
        inner = _BY_SUFFIX.get(suffix(name))
        if inner:
            return inner
        start = stream.read(512).lstrip()
        if start.startswith(b"<doc id="):
            return "wikiextractor"
        if start.startswith(b"<mediawiki"):
            return "mediawiki"
        break
    raise SynsemError(
        f"{part.name}: neither its name nor its start tells how to read it;"
        f" write READER:PATH, such as text:{part.name}"
    )
