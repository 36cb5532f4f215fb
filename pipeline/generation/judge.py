"""How good paraphrases are, by all measures of ``evaluation.paraphrasing``: those that need a parser, too."""

from pathlib import Path

from pipeline.errors import SynsemError
from pipeline.evaluation.paraphrasing import Pair, quality
from pipeline.generation.paraphrase import open_writer, trees_of
from pipeline.params import Parse
from pipeline.training.examples import Examples


def judge(model: Path, pairs: Path, count: int, parse: Parse) -> dict[str, float]:
    """``quality`` on the first ``count`` development examples of a folder of ``store.TRIPLET``."""
    system, examples = open_writer(model), Examples(pairs, "dev")
    if len(examples) < 2:
        raise SynsemError(f"{pairs}: fewer than two development examples to judge; mine again")
    batch = examples.batch(range(min(count, len(examples))))
    chosen = [Pair(*sides) for sides in zip(batch.anchors, batch.positives, strict=True)]
    return quality(system, chosen, lambda texts: trees_of(list(texts), parse))
