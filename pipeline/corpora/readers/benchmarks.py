"""Benchmarks as their authors give them out; columns stand between tabs.

paws            id, two sentences, label 0 or 1; some copies lack the header line
qqp             Quora Question Pairs: BiMPM's partition (label, two questions, id) and the official file
labelled_pairs  two texts and a class or score, no header: PAWS-X (XTREME form), LCQMC, BQ, Chinese STS-B
stsb            STS Benchmark: genre, file, year, id, score, two sentences; in some rows their two origins
senteval_sts    SemEval STS in SentEval's layout: a file of pairs and a file of gold scores, line by line
probing         SentEval's probing tasks (split, label, sentence) and X-Probe (sentence, label)
contrast        SynSem's contrast sets, one after the other in one file with a header line
trec            question classification: ``COARSE:fine question`` a line (Li & Roth 2002)
"""

from collections.abc import Iterator
from itertools import zip_longest

from pipeline.core.errors import SynsemError
from pipeline.corpora.files import Part, Record, choice, fields, number


def read_paws(part: Part) -> Iterator[Record]:
    """Yield a record for each pair; label "1" is a paraphrase."""
    for where, (key, a, b, label) in fields(part, 4):
        if key != "id":
            yield Record(a, b, presplit=True, label=choice(label, ("0", "1"), where))


def read_qqp(part: Part) -> Iterator[Record]:
    """Yield a record for each pair; label "1" is a duplicate."""
    for where, row in fields(part, 4, 6):
        if row[-1] == "is_duplicate":
            continue
        label, a, b = row[:3] if len(row) == 4 else (row[5], row[3], row[4])
        yield Record(a, b, presplit=True, label=choice(label, ("0", "1"), where))


def read_labelled_pairs(part: Part) -> Iterator[Record]:
    """Yield a record for each pair; with the option ``score`` the third column is a number, else a class."""
    for where, (a, b, value) in fields(part, 3):
        if part.options.get("score"):
            yield Record(a, b, presplit=True, score=number(value, where))
        else:
            yield Record(a, b, presplit=True, label=value.strip())


def read_stsb(part: Part) -> Iterator[Record]:
    """Yield a record for each pair, score 0 to 5; the subset is the genre, such as main-captions."""
    for where, row in fields(part, 7, 8, 9):
        yield Record(row[5], row[6], presplit=True, score=number(row[4], where), subset=row[0])


def read_senteval_sts(part: Part) -> Iterator[Record]:
    """Yield a record for each scored pair (0 to 5); a pair whose gold line is empty was never scored.

    Raises SynsemError if the two files differ in their number of lines, or a line is no pair.
    """
    for pair, gold in zip_longest(part.role("pairs").lines(), part.role("gold").lines()):
        if pair is None or gold is None:
            raise SynsemError(f"{part.name}: pairs and gold scores differ in their number of lines")
        if not gold[2].strip():
            continue
        texts = pair[2].split("\t")
        if len(texts) < 2:  # SemEval 2016 adds the two origins
            raise SynsemError(f"{pair[0]}:{pair[1]}: not two texts with a tab between them; fix the line")
        yield Record(texts[0], texts[1], presplit=True, score=number(gold[2], f"{gold[0]}:{gold[1]}"))


def read_contrast(part: Part) -> Iterator[Record]:
    """Yield a record for each pair of the option ``set``; label "1" means the same."""
    for where, (name, phenomenon, meaning, a, b) in fields(part, 5):
        if name == part.options["set"]:
            same = choice(meaning, ("same", "different"), where) == "same"
            yield Record(a, b, presplit=True, subset=phenomenon, label=str(int(same)))


_PROBING_SPLITS = {"tr": "train", "va": "dev", "te": "test"}


def read_probing(part: Part) -> Iterator[Record]:
    """Yield a record for each sentence, with its class."""
    for where, row in fields(part, 2, 3):
        if len(row) == 2:
            yield Record(row[0], presplit=True, label=row[1])
        else:
            split = _PROBING_SPLITS[choice(row[0], tuple(_PROBING_SPLITS), where)]
            yield Record(row[2], presplit=True, label=row[1], split=split)


_COARSE = {"ABBR", "DESC", "ENTY", "HUM", "LOC", "NUM"}


def read_trec(part: Part) -> Iterator[Record]:
    """Yield a record for each question; the label is the coarse class."""
    for name, line_number, line in part.input.lines():
        kind, _, question = line.strip().partition(" ")
        coarse = kind.partition(":")[0]
        if coarse not in _COARSE or not question:
            raise SynsemError(f"{name}:{line_number}: not 'COARSE:fine question'; fix the line")
        yield Record(question, presplit=True, label=coarse)
