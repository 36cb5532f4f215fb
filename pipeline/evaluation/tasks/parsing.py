"""Tasks ``parsing`` and ``word_order``: UAS and LAS of a system that parses, in the order given and permuted.

The trees of the test split are gold trees where ``cssl.treebank`` names a treebank, or where the corpus is
a treebank in CoNLL-U. Else they are the parser's own, and the scores say how
well the system has learnt from that parser.

``word_order`` takes every test sentence that has a permutation which keeps its tree, and parses it twice: in
its own order and permuted (Ray et al. 2024). Where a treebank's test set has parts (STBC: one text as prose
and as poetry), each part is scored by itself.
"""

from collections.abc import Sequence
from typing import Protocol, TypeGuard

import numpy as np

from pipeline.core.errors import SynsemError
from pipeline.evaluation.records import Context, Outcome
from pipeline.syntax import attachment_scores
from pipeline.syntax.sentence import HasTree, Side

TASK = "parsing.test"
VIEW = "semantic"  # a system has one tree for a sentence, whatever its views
PERMUTATION = "permutation"
DISTANCES = (25, 50, 75, 100)  # percent of all pairs of words that changed their order, up to each


class Parser(Protocol):
    """A system that gives trees."""

    def parse(self, sentences: Sequence[HasTree]) -> Sequence[HasTree]:
        """A tree over the words of each sentence, in order; trees that are given are not read."""
        ...


def parses(embedder: object) -> TypeGuard[Parser]:
    """Whether a model has ``parse``."""
    return callable(getattr(embedder, "parse", None))


def parsing(context: Context) -> Outcome:
    """``uas`` and ``las`` as the CoNLL 2018 shared task counts them, and ``las_full`` with subtypes.

    Also the same without punctuation, ``upos``, and LAS by relation and by length of the sentence.
    ``las_mean`` is the mean over sentences; its per-sentence scores are kept.
    """
    parser = _parser(context)
    gold = context.trees.trees
    if not gold:
        raise SynsemError(f"{context.trees.parsed}: no sentence of the test split to parse")
    found = _parsed(parser, gold)
    try:
        compared = attachment_scores.compare(gold, found)
    except ValueError as error:
        raise SynsemError(f"the model gave a tree of other words ({error})") from error
    outcome = Outcome()

    def put(section: str, name: str, value: float) -> None:
        outcome.put(VIEW, f"{section}.{name}", value)

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


def word_order(context: Context) -> Outcome:
    """``word_order.original`` and ``word_order.permuted``: UAS and LAS of the same sentences in both orders.

    ``loss`` is what permuting costs in LAS. ``word_order.moved_A-B.las`` is the LAS of permutations by their
    distance from the sentence's own order: Kendall's, in percent, above A (0 included) and up to B.
    ``word_order.PART`` has the scores of each part of the test set.
    """
    parser = _parser(context)
    outcome = Outcome()

    def put(name: str, gold: list[Side]) -> attachment_scores.Comparison:
        compared = attachment_scores.compare(gold, _parsed(parser, gold))
        for measure in ("uas", "las"):
            outcome.put(VIEW, f"word_order.{name}.{measure}", getattr(compared.score(), measure))
        outcome.put(VIEW, f"word_order.{name}.sentences", len(gold), digits=0)
        return compared

    original, permuted, moved = [], [], []
    parts: dict[str, list[Side]] = {}
    variants = context.trees.variants
    for row in context.trees.rows:
        tree = Side.from_row(row)
        if part := row["doc_id"].partition(":")[2] if context.treebank else "":
            parts.setdefault(part, []).append(tree)
        for variant in variants.get(row["sent_id"], ()):
            if variant.transformation == PERMUTATION:
                original.append(tree)
                permuted.append(variant.side)
                moved.append(kendall_distance(variant.alignment))
    if not original:
        raise SynsemError("word_order: no permutation of a test sentence; add it to augment.transformations")
    before, compared = put("original", original), put("permuted", permuted)
    outcome.put(VIEW, "word_order.permuted.loss", before.score().las - compared.score().las)
    of_word = np.array(moved)[compared.sentence]  # the distance of each word's sentence
    for low, high in zip((-1, *DISTANCES), DISTANCES, strict=False):
        if (words := (of_word > low) & (of_word <= high)).any():
            outcome.put(VIEW, f"word_order.moved_{max(0, low)}-{high}.las", compared.score(words).las)
    for part, trees in sorted(parts.items()):
        put(part, trees)
    return outcome


def _parser(context: Context) -> Parser:
    """The model under test; SynsemError where it does not parse."""
    model = context.embeddings.embedder
    if not parses(model):
        raise SynsemError("the model does not parse; choose one that does, such as cssl")
    return model


def _parsed(parser: Parser, gold: Sequence[HasTree]) -> Sequence[HasTree]:
    """The parser's trees of the sentences, which it sees without their gold trees."""
    return parser.parse([Side(sentence.text, sentence.words, ()) for sentence in gold])


def kendall_distance(order: Sequence[int]) -> float:
    """Kendall's distance of an order from the ascending one, in percent of all pairs."""
    places = np.asarray(order)
    swapped = np.triu(places[:, None] > places[None, :], k=1).sum()
    return 100 * float(swapped) / max(1, len(places) * (len(places) - 1) // 2)
