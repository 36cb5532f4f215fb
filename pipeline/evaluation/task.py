"""What a task is: a function of the embeddings, the data and the parameters, which returns an outcome."""

from collections.abc import Callable
from dataclasses import dataclass

from pipeline.evaluation.bank import Bank
from pipeline.evaluation.data import Benchmarks, HeldOut
from pipeline.evaluation.records import Outcome
from pipeline.params import Evaluate


@dataclass(frozen=True)
class Context:
    """All that a task may look at."""

    bank: Bank
    corpus: HeldOut
    benchmarks: Benchmarks
    params: Evaluate
    treebank: HeldOut | None = None  # gold trees, where the model parses and there are any
    baselines: bool = False  # whether to score, too, what needs no model: a bag of words, agreement of trees

    @property
    def trees(self) -> HeldOut:
        """What a parser is held against: gold trees, else the trees of the corpus."""
        return self.treebank or self.corpus


Task = Callable[[Context], Outcome]
