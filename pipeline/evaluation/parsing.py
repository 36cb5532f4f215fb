"""Task ``parsing``: UAS and LAS of a system that parses, against the trees of the test split.

These are gold trees where ``cssl.treebank`` names some, or the corpus is a treebank parsed with
``parse.backend: conllu``; else they are the parser's own, and the figures say how well the system has learnt
from it.
"""

from collections.abc import Sequence
from typing import Protocol, TypeGuard

from pipeline import conll
from pipeline.errors import SynsemError
from pipeline.evaluation.records import Outcome
from pipeline.evaluation.task import Context
from pipeline.sentences import HasTree, Side

TASK = "parsing.test"
VIEW = "semantic"  # a system has one tree for a sentence, whatever its views


class Parser(Protocol):
    """A system that gives trees."""

    def parse(self, sentences: Sequence[HasTree]) -> Sequence[HasTree]:
        """A tree over the words of each sentence, in order; trees that are given are not looked at."""
        ...


def parses(embedder: object) -> TypeGuard[Parser]:
    """Whether it has ``parse``."""
    return callable(getattr(embedder, "parse", None))


def parsing(context: Context) -> Outcome:
    """``uas`` and ``las`` as the CoNLL 2018 shared task counts them, ``las_full`` with subtypes, the same
    without punctuation, ``upos``, and LAS by relation and by length of the sentence.

    ``las_mean`` is the mean over sentences; its per-sentence scores are kept.
    """
    parser = context.bank.embedder
    if not parses(parser):
        raise SynsemError("the model does not parse; choose one that does, such as cssl")
    gold = context.trees.trees
    if not gold:
        raise SynsemError(f"{context.trees.parsed}: no sentence of the test split to parse")
    found = parser.parse([Side(sentence.text, sentence.words, ()) for sentence in gold])
    try:
        compared = conll.compare(gold, found)
    except ValueError as error:
        raise SynsemError(f"the model gave a tree of other words ({error})") from error
    outcome = Outcome()

    def put(home: str, name: str, value: float) -> None:
        outcome.put(VIEW, f"{home}.{name}", value)

    for suffix, score in (("", compared.score()), ("_no_punctuation", compared.without_punctuation())):
        for name in ("uas", "las", "las_full"):
            put(TASK, name + suffix, getattr(score, name))
    if any(found[0].upos):
        put(TASK, "upos", compared.score().upos)
    outcome.put(VIEW, f"{TASK}.sentences", len(gold), digits=0)
    for relation, score in compared.by_relation().items():
        put(f"parsing.relation_{relation}", "las", score.las)
    for lengths, score in compared.by_length().items():
        put(f"parsing.words_{lengths}", "las", score.las)
    each = compared.per_sentence()
    put(TASK, "las_mean", float(each.mean()))
    outcome.keep(VIEW, TASK, "las_mean", a=[sentence.text for sentence in gold], score=each / 100)
    return outcome
