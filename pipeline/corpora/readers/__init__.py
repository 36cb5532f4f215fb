"""One file a layout: ``read(part)`` turns the files of a part into records, and cleans nothing."""

import difflib
import importlib
from collections.abc import Callable, Iterator

from pipeline.corpora.readers.part import Part
from pipeline.corpora.records import Record
from pipeline.errors import SynsemError

Reader = Callable[[Part], Iterator[Record]]

NAMES = (
    "aligned",
    "aligned_labels",
    "auto",
    "bracketed",
    "captions",
    "columnar",
    "columns",
    "conllu",
    "constituents",
    "jsonl",
    "labelled_pairs",
    "lines",
    "mediawiki",
    "mrpc",
    "pairs",
    "paws",
    "probing",
    "pythonbible",
    "qqp",
    "reuters",
    "senteval_sts",
    "sick",
    "snli",
    "stsb",
    "summaries",
    "table",
    "tagged",
    "text",
    "trec",
    "treebank",
    "wikiextractor",
    "wikisplit",
    "wikitext",
)


def reader(name: str) -> Reader:
    """The reader of that name; SynsemError naming the nearest one where there is none."""
    if name not in NAMES:
        close = difflib.get_close_matches(name, NAMES, n=1)
        hint = f"did you mean {close[0]}?" if close else f"choose one of {', '.join(NAMES)}"
        raise SynsemError(f"no reader is called {name!r}; {hint}")
    read: Reader = importlib.import_module(f"pipeline.corpora.readers.{name}").read
    return read
