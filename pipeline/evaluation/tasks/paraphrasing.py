"""Task ``paraphrasing``: how well a system's decoder predicts paraphrases, on held-out pairs.

That is from the source and the paraphrase's tree, and, as controls, from the source or the tree of another
pair: the differences are what each contributes.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol, TypeGuard

import torch

from pipeline.core.errors import SynsemError
from pipeline.core.seeding import stable_hash
from pipeline.evaluation.records import Context, Outcome
from pipeline.params import metric_key
from pipeline.syntax.sentence import HasTree

Template = Sequence[str]

VIEW = "semantic"  # a paraphrase is predicted from one vector, whatever the views
_PAIRS = 100  # of each set of pairs, at most
_BATCH = 64


class _Losses(Protocol):
    @property
    def loss(self) -> torch.Tensor: ...
    @property
    def correct(self) -> torch.Tensor: ...
    @property
    def subwords(self) -> torch.Tensor: ...


class Predictor(Protocol):
    """A system that predicts paraphrases (``pipeline/systems/parabart/model.py``)."""

    @property
    def guided(self) -> bool:
        """Whether it reads templates."""
        ...

    def template(self, sentence: HasTree) -> Template:
        """The linearised tree of a sentence."""
        ...

    def score_targets(
        self, sources: Sequence[HasTree], targets: Sequence[HasTree], templates: Sequence[Template] | None
    ) -> _Losses:
        """How well each target is predicted."""
        ...


class Pair(NamedTuple):
    """A sentence, and a paraphrase of it."""

    source: HasTree
    target: HasTree


def predicts(embedder: object) -> TypeGuard[Predictor]:
    """Whether a model has ``score_targets``."""
    return callable(getattr(embedder, "score_targets", None))


def paraphrasing(context: Context) -> Outcome:
    """``prediction`` on a hundred pairs of each set, drawn by content.

    The sets are held-out sentences with their rule-made ``same`` variants, and the test positives of each
    pair benchmark whose texts have trees.
    """
    predictor = context.embeddings.embedder
    if not predicts(predictor):
        raise SynsemError("the model predicts no paraphrases; choose one that does, such as parabart")
    outcome, seed = Outcome(), context.params.seed
    for name, pairs in _pair_sets(context):
        drawn = sorted(pairs, key=lambda pair: stable_hash(seed, pair.source.text, pair.target.text))[:_PAIRS]
        if len(drawn) < 2:
            continue
        for metric, value in prediction(predictor, drawn).items():
            outcome.put(VIEW, f"paraphrasing.{name}.{metric}", value, digits=3)
    if not outcome.metrics:
        raise SynsemError(f"{context.corpus.augmented}: no `same` variants to predict; run augment")
    return outcome


def _pair_sets(context: Context) -> Iterator[tuple[str, list[Pair]]]:
    """The name and the pairs of each set."""
    variants = context.corpus.variants
    yield (
        "variants",
        [
            Pair(held.sentence, each.side)
            for held in context.corpus.sentences
            for each in variants.get(held.sent_id, [])
            if each.meaning == "same"
        ],
    )
    trees = context.benchmarks.trees
    for task, examples in sorted(context.benchmarks.by_task.items()):
        yield (
            metric_key(task),
            [
                Pair(trees[each.a], trees[each.b])
                for each in examples
                if each.label == "1" and each.split == "test" and each.b in trees and each.a in trees
            ],
        )


def prediction(predictor: Predictor, pairs: Sequence[Pair]) -> dict[str, float]:
    """How well the second sentence of each pair is predicted from the first and its own tree; n >= 2 pairs.

    ``loss``: nats a subword; ``loss_other_source`` and ``loss_other_template``: given the source or the tree
    of the next pair, the latter only of a system that reads trees. ``piece_accuracy``: share of subwords
    predicted rightly, 0 to 1.
    """
    sources, targets = [pair.source for pair in pairs], [pair.target for pair in pairs]
    templates = [predictor.template(target) for target in targets] if predictor.guided else None
    loss, right = _mean_loss(predictor, sources, targets, templates)
    found = {"loss": loss, "piece_accuracy": right}
    found["loss_other_source"], _ = _mean_loss(predictor, [*sources[1:], sources[0]], targets, templates)
    if templates is not None:
        others = [*templates[1:], templates[0]]
        found["loss_other_template"], _ = _mean_loss(predictor, sources, targets, others)
    return found


@torch.inference_mode()
def _mean_loss(
    predictor: Predictor,
    sources: Sequence[HasTree],
    targets: Sequence[HasTree],
    templates: Sequence[Template] | None,
) -> tuple[float, float]:
    """Mean loss a subword, and the share of subwords that are predicted rightly."""
    sums = torch.zeros(3, dtype=torch.float64)
    for start in range(0, len(sources), _BATCH):
        part = slice(start, start + _BATCH)
        chosen = None if templates is None else templates[part]
        found = predictor.score_targets(sources[part], targets[part], chosen)
        sums += torch.stack([found.loss.sum(), found.correct.sum(), found.subwords.sum()]).double().cpu()
    loss, correct, subwords = sums.tolist()
    return loss / subwords, correct / subwords
