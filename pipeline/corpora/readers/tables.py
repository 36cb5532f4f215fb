"""Tables: columns with names of their own, and benchmarks whose columns stand in a known order.

table     CSV or TSV with a header line; quotes as in RFC 4180, in TSV only around a field with doubled ones
columnar  Parquet and Arrow IPC (file, stream or Feather), batch by batch
jsonl     JSON lines: an object per line

Columns between tabs (``_LAYOUTS``): mrpc; paws; qqp, in BiMPM's partition and as the official file;
labelled_pairs, two texts and a class, or with the option ``score`` a number (PAWS-X, LCQMC, BQ, Chinese
STS-B); stsb, in some rows with two origins; probing (SentEval, X-Probe); pairs (ManyThings/Tatoeba), with the
option ``lang`` for the language of the second text; captions, ``IMAGE#N`` and a caption (Flickr8k and 30k);
contrast, of SynSem's contrast sets the one that the option ``set`` names. With the option ``last`` so many
rows at the end of a file.

senteval_sts  SemEval STS in SentEval's layout: a file of pairs and a file of gold scores, line by line
trec          question classification: ``COARSE:fine question`` per line (Li & Roth 2002)
"""

import csv
import json
import math
import re
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain, count
from typing import Any

import pyarrow as pa
from pyarrow import ipc

from pipeline.core.errors import SynsemError
from pipeline.corpora.clean import regular
from pipeline.corpora.files import LINE_LIMIT, SPLITS, Document, Part, fields, side_by_side, suffix

# By layout and number of columns: which field of a document each column holds.
_STSB = ("subset", "", "", "", "score", "text", "b")
_LAYOUTS: dict[str, dict[int, tuple[str, ...]]] = {
    "captions": {2: ("pair_id", "text")},
    "contrast": {5: ("set", "subset", "label", "text", "b")},
    "labelled_pairs": {3: ("text", "b", "label")},
    "mrpc": {5: ("label", "", "", "text", "b")},
    "pairs": {2: ("text", "b"), 3: ("text", "b", "")},
    "paws": {4: ("", "text", "b", "label")},
    "probing": {2: ("text", "label"), 3: ("split", "label", "text")},
    "qqp": {4: ("label", "text", "b", ""), 6: ("", "", "", "text", "b", "label")},
    "stsb": {7: _STSB, 8: (*_STSB, ""), 9: (*_STSB, "", "")},
}
_HEADERS = ("label", "is_duplicate", "Quality")
_PROBING_SPLITS = {"tr": "train", "va": "dev", "te": "test"}
_MEANINGS = {"same": "1", "different": "0"}  # labels of a contrast set


def _in_order(layout: dict[int, tuple[str, ...]], part: Part) -> Iterator[Document]:
    options = part.options
    rows: Iterable[tuple[str, list[str]]] = fields(part, *layout)
    if last := options.get("last"):
        rows = deque(rows, maxlen=int(last))
    for where, row in rows:
        values: dict[str, Any] = dict(zip(layout[len(row)], row, strict=True))
        values.pop("", None)
        if values.get("label") in _HEADERS or values.pop("set", None) != options.get("set"):
            continue
        if "label" in values and options.get("score"):
            values["score"] = values.pop("label")
        if "score" in values:
            values["score"] = _number(values["score"], where)
        if "pair_id" in values:
            values["pair_id"] = values["pair_id"].partition("#")[0]
        if "split" in values:
            values["split"] = _PROBING_SPLITS[values["split"]]
        if "set" in options:
            values["label"] = _MEANINGS[values["label"]]
        yield Document(**values, b_lang=options.get("lang"), presplit=True)


IN_ORDER: dict[str, Callable[[Part], Iterator[Document]]] = {
    name: partial(_in_order, layout) for name, layout in _LAYOUTS.items()
}


def read_senteval_sts(part: Part) -> Iterator[Document]:
    """Yield a document for each scored pair (0 to 5); a pair whose gold line is empty was never scored.

    Raises SynsemError if the two files differ in their number of lines, or a line is not a pair.
    """
    for lines in side_by_side(part):
        (name, number, pair), (gold, _, score) = lines["pairs"], lines["gold"]
        if score.strip():
            a, _, b = pair.partition("\t")
            if not b:
                raise SynsemError(f"{name}:{number}: not two texts with a tab between them; fix the line")
            b = b.split("\t")[0]  # SemEval 2016 adds the two origins
            yield Document(a, b, presplit=True, score=_number(score, f"{gold}:{number}"))


def read_trec(part: Part) -> Iterator[Document]:
    """Yield a document for each question; the label is the coarse class."""
    for name, line_number, line in part.input.lines():
        kind, _, question = line.strip().partition(" ")
        if ":" not in kind or not question:
            raise SynsemError(f"{name}:{line_number}: not 'COARSE:fine question'; fix the line")
        yield Document(question, presplit=True, label=kind.partition(":")[0])


# The columns of a table that hold a field of a document, by their usual names.
_NAMES = {
    "text": (
        "text", "sentence", "content", "document", "a", "sentence1", "sentence_a", "premise", "question1",
    ),
    "b": ("b", "sentence2", "sentence_b", "hypothesis", "question2", "paraphrase", "translation"),
    "title": ("title",),
    "lang": ("lang", "language"),
    "score": ("score", "similarity_score", "relatedness_score"),
    "label": ("label", "gold_label", "is_duplicate", "class"),
    "split": ("split",),
    "pair_id": ("pair_id",),
}  # fmt: skip
# Whether two texts say the same, as other programs write it; pandas turns 1 into 1.0 next to a missing one.
_SAME = {"1.0": "1", "true": "1", "0.0": "0", "false": "0"}


def _columns_of(present: list[str], where: str, needed: bool = True) -> dict[str, str]:
    """Return which column holds which field of a document, by the usual names.

    Raises SynsemError if two columns that are read have one name or, with ``needed``, if none holds a text.
    """
    columns = {name.lower(): name for name in reversed(present)}
    found = {
        field: columns[next(name for name in usual if name in columns)]
        for field, usual in _NAMES.items()
        if not columns.keys().isdisjoint(usual)
    }
    counts = Counter(name.lower() for name in present)
    if twice := [name for name in found.values() if counts[name.lower()] > 1]:
        raise SynsemError(f"{where}: has more than one column {twice[0]!r}; rename or drop one")
    if needed and "text" not in found:
        there = ", ".join(present[:8]) or "none"
        raise SynsemError(
            f"{where}: has no column 'text' (or 'sentence1', ...) among {there}; rename one, or save"
            " the table with commas or tabs"
        )
    return found


def _record(row: Mapping[str, Any], found: Mapping[str, str], where: str) -> Document:
    """Return one row as a document; ``found`` is what ``_columns_of`` returned.

    A pair needs its score, if there is a column for scores, or a label. A text alone has no score: what
    stands there, such as the stars of a review, is not read. A second text that is null says that there is
    none; one that is empty stays so, for the row to be dropped as half a pair.
    """
    values: dict[str, Any] = {"text": ""}
    for field, column in found.items():
        value = row.get(column)
        if value is None or (isinstance(value, float) and math.isnan(value)):
            continue
        if field not in ("text", "b"):  # fields that nobody cleans later
            value = regular(str(value), one_line=True)
        elif not isinstance(value, str):
            raise SynsemError(f"{where}: {column!r} is {value!s:.40}, not a string; fix the row")
        if value or field == "b":
            values[field] = value
    score = values.pop("score", "")
    if values.get("b") and (score or ("score" in found and "label" not in values)):
        values["score"] = _number(score, where, found["score"])
    if "b" in values and "label" in values:
        values["label"] = _SAME.get(values["label"].casefold(), values["label"])
    if "split" in values:
        values["split"] = SPLITS.get(values["split"].casefold(), values["split"])
    return Document(**values)


def _number(text: str, where: str, column: str = "score") -> float:
    """Read a finite decimal number; SynsemError naming place and column for another text or none."""
    # Python's float takes "nan", "inf" and "1_0" as well.
    if not re.fullmatch(r"\s*[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?\s*", text):
        raise SynsemError(f"{where}: {column} {text!r} is not a number; fix or remove the line")
    return float(text)


_QUOTED = re.compile(r'"[^"]*(?:""[^"]*)+"')  # a whole field, with a quote in it


def read_table(part: Part) -> Iterator[Document]:
    """Yield a document for each row; the suffix tells TSV from CSV, otherwise a tab in the header line does.

    Raises SynsemError if a needed column is missing or a row has not as many fields as the header.
    """
    csv.field_size_limit(LINE_LIMIT)
    for name, numbered in part.input.texts():
        lines = (f"{line}\n" for _, line in numbered)
        first = next(lines, "")
        # Some call a file .csv whose fields stand between tabs; no comma is then in its header.
        tabs = suffix(name) == ".tsv" or ("\t" in first and (suffix(name) != ".csv" or "," not in first))
        whole = chain([first], lines)
        rows = map(_tabbed, whole) if tabs else csv.reader(whole, strict=True)
        try:
            header = [column.strip().strip('"') for column in next(rows, [])]
            found = _columns_of(header, name)
            for place, row in enumerate(rows, start=2):
                where = f"{name}: row {place}"
                if row and len(row) != len(header):
                    raise SynsemError(f"{where}: {len(row)} fields under {len(header)} columns; fix the row")
                if row:
                    yield _record(dict(zip(header, row, strict=True)), found, where)
        except csv.Error as error:
            raise SynsemError(f"{name}: not CSV ({error}); fix the row") from error


def _tabbed(line: str) -> list[str]:
    """Return the fields of a line; those that a CSV writer has quoted for a quote in them without these."""
    fields = line.rstrip("\n").split("\t") if line.strip() else []
    return [each[1:-1].replace('""', '"') if _QUOTED.fullmatch(each) else each for each in fields]


def read_columnar(part: Part) -> Iterator[Document]:
    """Yield a document for each row; the schema tells the columns."""
    for name, stream in part.input.streams():
        try:
            number = count(1)
            for batch in _batches(stream):
                batch.validate(full=True)  # broken offsets would crash the process
                found = _columns_of(batch.schema.names, name)
                for row in batch.select(list(found.values())).to_pylist():
                    yield _record(row, found, f"{name}: row {next(number)}")
        except (pa.ArrowException, OSError) as error:
            raise SynsemError(f"{name}: neither Parquet nor Arrow ({error}); write it again") from error


def _batches(stream: Any) -> Iterator[pa.RecordBatch]:
    source = stream if stream.seekable() else pa.BufferReader(stream.read())
    head = source.read(6)
    source.seek(0)
    if head.startswith(b"PAR1"):
        from pyarrow import parquet

        yield from parquet.ParquetFile(source).iter_batches(1024)
    elif head == b"ARROW1":
        reader = ipc.open_file(source)
        yield from (reader.get_batch(number) for number in range(reader.num_record_batches))
    else:
        yield from ipc.open_stream(source)


def read_jsonl(part: Part) -> Iterator[Document]:
    """Yield a document for each line, which may have columns of its own; the first of a file needs a text."""
    member = None
    for name, line_number, line in part.input.lines():
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError:
            row = None
        if not isinstance(row, dict):
            raise SynsemError(f"{name}:{line_number}: not a JSON object; write one whole object per line")
        found = _columns_of(list(row), name, needed=name != member)
        member = name
        yield _record(row, found, f"{name}:{line_number}")
