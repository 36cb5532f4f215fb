"""Rows whose columns have names -> records: what JSON lines, tables, Parquet and Arrow have in common."""

from collections.abc import Mapping
from typing import Any

from pipeline.corpora.readers.part import Part, number
from pipeline.corpora.records import Record
from pipeline.errors import SynsemError

_NAMES = {
    "text": (
        "text",
        "sentence",
        "content",
        "document",
        "a",
        "sentence1",
        "sentence_a",
        "premise",
        "question1",
    ),
    "b": ("b", "sentence2", "sentence_b", "hypothesis", "question2", "paraphrase", "translation"),
    "title": ("title",),
    "lang": ("lang", "language"),
    "score": ("score", "similarity_score", "relatedness_score"),
    "label": ("label", "gold_label", "is_duplicate", "class"),
    "split": ("split",),
    "pair_id": ("pair_id",),
}


def columns(part: Part, present: list[str]) -> dict[str, str]:
    """Which column holds which field of a record: the part's options first, else the usual names.

    Raises SynsemError where no column holds the text, or an option names one that is not there.
    """
    lower = {name.lower(): name for name in present}
    found = {}
    for field, usual in _NAMES.items():
        if field in part.options:
            if part.options[field] not in present:
                raise _missing(part, repr(part.options[field]), present)
            found[field] = part.options[field]
        else:
            name = next((lower[name] for name in usual if name in lower), None)
            if name is not None:
                found[field] = name
    if "text" not in found:
        raise _missing(part, "'text' (or 'sentence', 'sentence1')", present)
    return found


def _missing(part: Part, column: str, present: list[str]) -> SynsemError:
    there = ", ".join(present[:8]) or "none"
    return SynsemError(f"{part.name}: has no column {column} among {there}; rename a column")


def record(row: Mapping[str, Any], found: Mapping[str, str], where: str) -> Record:
    """One row as a record; ``found`` is what ``columns`` returned."""
    values = {field: row[name] for field, name in found.items() if row.get(name) not in (None, "")}
    text = values.pop("text", "")
    if not isinstance(text, str) or not isinstance(values.get("b", ""), str):
        raise SynsemError(f"{where}: its text is a {type(text).__name__}, not a string; mend the row")
    if "score" in values:
        values["score"] = number(str(values["score"]), where)
    strings = {field: str(value) for field, value in values.items() if field != "score"}
    return Record(text, **(values | strings))
