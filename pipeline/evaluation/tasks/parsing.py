"""Task ``parsing``: UAS and LAS of a system that parses, in the order given and permuted.

The trees of the test split are gold trees if ``cssl.treebank`` names a treebank, or if the corpus is a
treebank in CoNLL-U. Otherwise they are the parser's own, and the scores say how well the system has learnt
from that parser.

- ``parsing.test``: ``uas`` and ``las`` as the CoNLL 2018 shared task counts them, ``las_full`` with subtypes,
  the same without punctuation, and ``upos``. ``las_mean`` is the mean over sentences, whose scores are kept.
- ``word_order.original`` and ``.permuted``: every test sentence with a permutation that keeps its tree, in
  both orders (Ray et al. 2024); ``loss`` is what permuting costs in LAS. ``word_order.PART`` has the scores
  of each part of a treebank's test set (STBC: one text as prose and as poetry).
"""

from collections.abc import Sequence

from pipeline.core.errors import SynsemError
from pipeline.evaluation import tasks
from pipeline.evaluation.data import HeldOut
from pipeline.syntax.attachment_scores import Comparison, compare
from pipeline.syntax.sentence import Sentence

VIEW = "semantic"  # a system has one tree for a sentence, whatever its views


class Task(tasks.Task):
    """Attachment scores of every model that has ``parse``."""

    ability = "parse"

    def run(self) -> None:
        """Parse the test sentences, and those with a permutation in both orders."""
        trees = self.context.treebank or self.context.corpus
        if not trees.rows:
            raise SynsemError(f"{trees.parsed}: no sentence of the test split to parse")
        self._score([Sentence.from_row(row) for row in trees.rows])
        self._word_order(trees)

    def _parsed(self, gold: Sequence[Sentence]) -> tuple[Sequence[Sentence], Comparison]:
        """Return the parser's trees of sentences, which it sees without their trees, and their scores."""
        parse = getattr(self.context.embeddings.model, "parse", None)
        if parse is None:
            raise SynsemError("the model does not parse; choose one that does, such as cssl")
        found = parse([Sentence(each.text, each.words, ()) for each in gold])
        return found, compare(gold, found)

    def _score(self, gold: Sequence[Sentence]) -> None:
        found, compared = self._parsed(gold)
        for suffix, score in (("", compared.score()), ("_no_punctuation", compared.without_punctuation())):
            for name in ("uas", "las", "las_full"):
                self.put(VIEW, f"parsing.test.{name}{suffix}", getattr(score, name))
        if any(found[0].upos):
            self.put(VIEW, "parsing.test.upos", compared.score().upos)
        self.put(VIEW, "parsing.test.sentences", len(gold), digits=0)
        each = compared.per_sentence()
        self.put(VIEW, "parsing.test.las_mean", float(each.mean()))
        self.keep(VIEW, "parsing.test", "las_mean", a=[sentence.text for sentence in gold], score=each / 100)

    def _word_order(self, trees: HeldOut) -> None:
        orders: dict[str, list[Sentence]] = {"original": [], "permuted": []}
        variants = trees.variants([row["sent_id"] for row in trees.rows])
        for row in trees.rows:
            tree = Sentence.from_row(row)
            if self.context.treebank and (part := row["doc_id"].partition(":")[2]):
                orders.setdefault(part, []).append(tree)
            for variant in variants.get(row["sent_id"], ()):
                if variant.transformation == "permutation":
                    orders["original"].append(tree)
                    orders["permuted"].append(variant.sentence)
        if not orders["original"]:
            return
        las = {}
        for name, gold in orders.items():
            score = self._parsed(gold)[1].score()
            las[name] = score.las
            self.put(VIEW, f"word_order.{name}.uas", score.uas)
            self.put(VIEW, f"word_order.{name}.las", score.las)
            self.put(VIEW, f"word_order.{name}.sentences", len(gold), digits=0)
        self.put(VIEW, "word_order.permuted.loss", las["original"] - las["permuted"])
