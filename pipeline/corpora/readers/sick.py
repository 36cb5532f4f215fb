"""SICK: relatedness and entailment of sentence pairs, by tabs under a header line (Marelli et al. 2014)."""

from collections.abc import Iterator

from pipeline.corpora.readers.part import Part, fields, number
from pipeline.corpora.records import Record
from pipeline.errors import SynsemError

_SPLITS = {"TRAIN": "train", "TRIAL": "dev", "TEST": "test"}


def read(part: Part) -> Iterator[Record]:
    """Two records a pair: subset ``relatedness`` (score 1 to 5) and subset ``entailment`` (class).

    The split is the file's, or the one that SICK.txt gives in its column SemEval_set.
    """
    header: list[str] = []
    for where, row in fields(part, 5, 12):
        if not header:
            header = row
            missing = {"sentence_A", "sentence_B", "relatedness_score"} - set(header)
            if missing:
                raise SynsemError(f"{where}: no column {', '.join(sorted(missing))}; is this SICK?")
            continue
        values = dict(zip(header, row, strict=True))
        split = _SPLITS.get(values.get("SemEval_set", ""))
        pair = Record(values["sentence_A"], values["sentence_B"], presplit=True, split=split)
        yield pair._replace(subset="relatedness", score=number(values["relatedness_score"], where))
        label = values.get("entailment_judgment") or values.get("entailment_label", "")
        yield pair._replace(subset="entailment", label=label.strip().upper())
