"""Gold trees for the parse backend ``conllu``: each sentence is a document whose text is CoNLL-U."""

from collections.abc import Iterator

from pipeline.corpora.readers.conllu import blocks
from pipeline.corpora.readers.part import Part
from pipeline.corpora.records import Record
from pipeline.errors import SynsemError

# CoNLL-U column -> option that names the column of plain rows which holds it, counted from 0.
_COLUMNS = {1: "form", 2: "lemma", 3: "upos", 4: "xpos", 6: "head", 7: "deprel"}


def read(part: Part) -> Iterator[Record]:
    """One record a sentence of CoNLL-U, or of plain columns where the options name at least form and head."""
    if "form" not in part.options:
        yield from (Record(block, gold=True) for _, _, block in blocks(part))
        return
    rows: list[str] = []
    count, before = 0, ""
    for name, number, line in part.input.lines():
        if rows and (not line.strip() or name != before):
            count += 1
            yield _sentence(before, count, rows)
            rows = []
        before = name
        if line.strip():
            rows.append(_row(line.split("\t"), part, len(rows) + 1, f"{name}:{number}"))
    if rows:
        yield _sentence(before, count + 1, rows)


def _sentence(name: str, count: int, rows: list[str]) -> Record:
    sent_id = f"# sent_id = {name.rpartition('/')[2]}-{count}"
    return Record("\n".join([sent_id, *rows]) + "\n\n", gold=True)


def _row(values: list[str], part: Part, position: int, where: str) -> str:
    row = [str(position), *["_"] * 9]
    for column, option in _COLUMNS.items():
        if option in part.options:
            if part.options[option] >= len(values):
                raise SynsemError(f"{where}: no column {part.options[option] + 1}; choose another reader")
            row[column] = values[part.options[option]] or "_"
    if row[7] == "_":
        row[7] = "root" if row[6] == "0" else "dep"
    return "\t".join(row)
