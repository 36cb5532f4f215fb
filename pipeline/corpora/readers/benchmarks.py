"""Benchmarks as their authors give them out.

paws            id, two sentences, label 0 or 1; some copies lack the header line
qqp             Quora Question Pairs: BiMPM's partition (label, two questions, id) and the official file
mrpc            Microsoft Research Paraphrase Corpus: Quality, two ids, two sentences, with a header line
labelled_pairs  two texts and a class or score, no header: PAWS-X (XTREME form), LCQMC, BQ, Chinese STS-B
stsb            STS Benchmark: genre, file, year, id, score, two sentences; in some rows their two origins
sick            relatedness and entailment of pairs, with a header line (Marelli et al. 2014)
snli            JSON lines with sentence1, sentence2 and gold_label
senteval_sts    SemEval STS in SentEval's layout: a file of pairs and a file of gold scores, line by line
aligned_labels  SNLI in SentEval's layout: three files, premise, hypothesis and class, line by line
probing         SentEval's probing tasks (split, label, sentence) and X-Probe (sentence, label)
contrast        SynSem's contrast sets, one after the other in one file with a header line
trec            question classification: ``COARSE:fine question`` a line (Li & Roth 2002)

Columns stand between tabs.
"""

import json
from collections.abc import Iterator
from itertools import zip_longest

from pipeline.core.errors import SynsemError
from pipeline.corpora.readers.base import SPLITS, Part, Record, choice, fields, number


def read_paws(part: Part) -> Iterator[Record]:
    """One record a pair; label "1" is a paraphrase."""
    for where, (key, a, b, label) in fields(part, 4):
        if key != "id":
            yield Record(a, b, presplit=True, label=choice(label, ("0", "1"), where))


def read_qqp(part: Part) -> Iterator[Record]:
    """One record a pair; label "1" is a duplicate."""
    for where, row in fields(part, 4, 6):
        if row[-1] == "is_duplicate":
            continue
        label, a, b = row[:3] if len(row) == 4 else (row[5], row[3], row[4])
        yield Record(a, b, presplit=True, label=choice(label, ("0", "1"), where))


def read_mrpc(part: Part) -> Iterator[Record]:
    """One record a pair; label "1" is a paraphrase."""
    for where, (label, _, _, a, b) in fields(part, 5):
        if label != "Quality":
            yield Record(a, b, presplit=True, label=choice(label, ("0", "1"), where))


def read_labelled_pairs(part: Part) -> Iterator[Record]:
    """One record a pair; with the option ``score`` the third column is a number, else a class."""
    for where, (a, b, value) in fields(part, 3):
        if part.options.get("score"):
            yield Record(a, b, presplit=True, score=number(value, where))
        else:
            yield Record(a, b, presplit=True, label=value.strip())


def read_stsb(part: Part) -> Iterator[Record]:
    """One record a pair, score 0 to 5; the subset is the genre (main-captions, main-forums, main-news)."""
    for where, row in fields(part, 7, 8, 9):
        yield Record(row[5], row[6], presplit=True, score=number(row[4], where), subset=row[0])


def read_sick(part: Part) -> Iterator[Record]:
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
        split = SPLITS.get(values.get("SemEval_set", "").lower())
        pair = Record(values["sentence_A"], values["sentence_B"], presplit=True, split=split)
        yield pair._replace(subset="relatedness", score=number(values["relatedness_score"], where))
        label = values.get("entailment_judgment") or values.get("entailment_label", "")
        yield pair._replace(subset="entailment", label=label.strip().upper())


def read_snli(part: Part) -> Iterator[Record]:
    """One record a pair on which the annotators agreed (a gold label other than "-")."""
    for name, line_number, line in part.input.lines():
        try:
            row = json.loads(line)
            a, b, label = row["sentence1"], row["sentence2"], row["gold_label"]
            if not all(isinstance(value, str) for value in (a, b, label)):
                raise TypeError("a value is no string")
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise SynsemError(f"{name}:{line_number}: not a row of SNLI ({error}); fetch it again") from error
        if label != "-":
            yield Record(a, b, presplit=True, label=label)


def read_senteval_sts(part: Part) -> Iterator[Record]:
    """One record a scored pair (0 to 5); a pair whose gold line is empty was never scored and is left out.

    Raises SynsemError where the two files differ in their number of lines, or a line is no pair.
    """
    for pair, gold in zip_longest(part.role("pairs").lines(), part.role("gold").lines()):
        if pair is None or gold is None:
            raise SynsemError(f"{part.name}: pairs and gold scores differ in their number of lines")
        if not gold[2].strip():
            continue
        where = f"{pair[0]}:{pair[1]}"
        texts = pair[2].split("\t")
        if len(texts) < 2:  # SemEval 2016 adds the two origins
            raise SynsemError(f"{where}: not two texts with a tab between them; fix the line")
        yield Record(texts[0], texts[1], presplit=True, score=number(gold[2], f"{gold[0]}:{gold[1]}"))


def read_aligned_labels(part: Part) -> Iterator[Record]:
    """One record a pair; SynsemError where the three files differ in length."""
    files = (part.role("s1"), part.role("s2"), part.role("labels"))
    for a, b, label in zip_longest(*(file.lines() for file in files)):
        if a is None or b is None or label is None:
            raise SynsemError(f"{part.name}: s1, s2 and labels differ in their number of lines")
        yield Record(a[2], b[2], presplit=True, label=label[2].strip())


def read_contrast(part: Part) -> Iterator[Record]:
    """One record a pair of the option ``set``; the subset is its phenomenon, label "1" means the same."""
    for where, (name, phenomenon, meaning, a, b) in fields(part, 5):
        if name == part.options["set"]:
            same = choice(meaning, ("same", "different"), where) == "same"
            yield Record(a, b, presplit=True, subset=phenomenon, label=str(int(same)))


_PROBING_SPLITS = {"tr": "train", "va": "dev", "te": "test"}


def read_probing(part: Part) -> Iterator[Record]:
    """One record a sentence, with its class."""
    for where, row in fields(part, 2, 3):
        if len(row) == 2:
            yield Record(row[0], presplit=True, label=row[1])
        else:
            split = _PROBING_SPLITS[choice(row[0], tuple(_PROBING_SPLITS), where)]
            yield Record(row[2], presplit=True, label=row[1], split=split)


_COARSE = {"ABBR", "DESC", "ENTY", "HUM", "LOC", "NUM"}


def read_trec(part: Part) -> Iterator[Record]:
    """One record a question; the label is the coarse class."""
    for name, line_number, line in part.input.lines():
        kind, _, question = line.strip().partition(" ")
        coarse = kind.partition(":")[0]
        if coarse not in _COARSE or not question:
            raise SynsemError(f"{name}:{line_number}: not 'COARSE:fine question'; fix the line")
        yield Record(question, presplit=True, label=coarse)
