"""Task ``paraphrasing``: how well a system writes paraphrases in a given syntax, on held-out pairs.

What beam search writes is compared with the reference paraphrase: by BLEU and, where a parser is given, by
whether it has the tree that was asked for. Also measured is how well the reference is predicted from its
source and tree, and, as controls, from the source or the tree of another pair.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol, TypeGuard

import numpy as np
import torch

from pipeline.core.errors import SynsemError
from pipeline.core.seeding import stable_hash
from pipeline.evaluation.records import Context, Outcome, metric_key
from pipeline.syntax.constituency import read, top_constituents
from pipeline.syntax.sentence import HasTree
from pipeline.syntax.tag_sequences import normalised_distances

Template = Sequence[str]
Parse = Callable[[Sequence[str]], Sequence[HasTree]]  # a tree for each text

VIEW = "semantic"  # a system writes from one vector, whatever its views
_PAIRS = 100  # of each set of pairs, at most
_BATCH = 64


class _Written(Protocol):
    @property
    def text(self) -> str: ...


class _Losses(Protocol):
    @property
    def loss(self) -> torch.Tensor: ...
    @property
    def correct(self) -> torch.Tensor: ...
    @property
    def subwords(self) -> torch.Tensor: ...


class Writer(Protocol):
    """A system that writes paraphrases (``pipeline/systems/parabart/model.py``)."""

    @property
    def guided(self) -> bool:
        """Whether it reads templates."""
        ...

    def template(self, sentence: HasTree) -> Template:
        """The linearised tree of a sentence."""
        ...

    def write(
        self, sources: Sequence[HasTree], templates: Sequence[Template] | None
    ) -> Sequence[Sequence[_Written]]:
        """Paraphrases of each source, the best first."""
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


def writes(embedder: object) -> TypeGuard[Writer]:
    """Whether a model has ``write``."""
    return callable(getattr(embedder, "write", None))


def paraphrasing(context: Context) -> Outcome:
    """``quality`` on a hundred pairs of each set, drawn by content.

    The sets are held-out sentences with their rule-made ``same`` variants, and the test positives of each
    pair benchmark whose texts have trees.
    """
    writer = context.embeddings.embedder
    if not writes(writer):
        raise SynsemError("the model writes no paraphrases; choose one that does, such as parabart")
    outcome, seed = Outcome(), context.params.seed
    for name, pairs in _pair_sets(context):
        drawn = sorted(pairs, key=lambda pair: stable_hash(seed, pair.source.text, pair.target.text))[:_PAIRS]
        if len(drawn) < 2:
            continue
        for metric, value in quality(writer, drawn).items():
            outcome.put(VIEW, f"paraphrasing.{name}.{metric}", value, digits=3)
    if not outcome.metrics:
        raise SynsemError(f"{context.corpus.augmented}: no `same` variants to write; run augment")
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


def quality(writer: Writer, pairs: Sequence[Pair], parse: Parse | None = None) -> dict[str, float]:
    """How well paraphrases are written in the syntax of the references; n >= 2 pairs.

    - ``bleu``: of what is written against the references, in lower case (sacrebleu). ``bleu_copy``: of the
      sources against the references, what copying would earn. ``bleu_source``: of what is written against the
      sources, how much is copied. ``bleu_other_source``: of what is written from the next pair's source in
      the same syntax, against the references: what the syntax alone earns.
    - ``loss``: nats a subword of the reference; ``loss_other_source`` and ``loss_other_template``: given the
      source or the template of the next pair. ``piece_accuracy``: share of subwords predicted rightly.
    - with ``parse``: ``template_match``, share of what is written that has the wanted constituents below the
      top; ``template_exact``, that has the whole tree; ``template_distance``, mean edit distance from that
      tree over the length of the longer one, 0 to 1; ``..._other``: the same against the next pair's
      template, which is what chance gives.

    Without sacrebleu there is no BLEU, and a line on stderr says so.
    """
    sources, targets = [pair.source for pair in pairs], [pair.target for pair in pairs]
    templates = [writer.template(target) for target in targets]
    asked = templates if writer.guided else None
    found = _losses(writer, sources, targets, asked)
    texts = [best[0].text for best in writer.write(sources, asked)]
    elsewhere = [best[0].text for best in writer.write([*sources[1:], sources[0]], asked)]
    wanted, given = [target.text for target in targets], [source.text for source in sources]
    for name, hypotheses, references in (
        ("bleu", texts, wanted),
        ("bleu_copy", given, wanted),
        ("bleu_source", texts, given),
        ("bleu_other_source", elsewhere, wanted),
    ):
        score = bleu(hypotheses, references)
        if score is not None:
            found[name] = score
    if parse is not None:
        trees = [writer.template(tree) for tree in parse(texts)]
        for suffix, wished in (("", templates), ("_other", templates[1:] + templates[:1])):
            found |= _template_scores(trees, wished, suffix)
    return found


def _losses(
    writer: Writer,
    sources: Sequence[HasTree],
    targets: Sequence[HasTree],
    templates: Sequence[Template] | None,
) -> dict[str, float]:
    found = {}
    loss, right = _mean_loss(writer, sources, targets, templates)
    found["loss"], found["piece_accuracy"] = loss, right
    found["loss_other_source"], _ = _mean_loss(writer, [*sources[1:], sources[0]], targets, templates)
    if templates is not None:
        found["loss_other_template"], _ = _mean_loss(writer, sources, targets, [*templates[1:], templates[0]])
    return found


@torch.inference_mode()
def _mean_loss(
    writer: Writer,
    sources: Sequence[HasTree],
    targets: Sequence[HasTree],
    templates: Sequence[Template] | None,
) -> tuple[float, float]:
    """Mean loss a subword, and the share of subwords that are predicted rightly."""
    sums = torch.zeros(3, dtype=torch.float64)
    for start in range(0, len(sources), _BATCH):
        part = slice(start, start + _BATCH)
        chosen = None if templates is None else templates[part]
        found = writer.score_targets(sources[part], targets[part], chosen)
        sums += torch.stack([found.loss.sum(), found.correct.sum(), found.subwords.sum()]).double().cpu()
    loss, correct, subwords = sums.tolist()
    return loss / subwords, correct / subwords


def _template_scores(written: Sequence[Template], asked: Sequence[Template], suffix: str) -> dict[str, float]:
    tops = [_top(a) == _top(b) for a, b in zip(written, asked, strict=True)]
    exact = [tuple(a) == tuple(b) for a, b in zip(written, asked, strict=True)]
    far = [normalised_distances([a, b])[0, 1] for a, b in zip(written, asked, strict=True)]
    return {
        f"template_match{suffix}": float(np.mean(tops)),
        f"template_exact{suffix}": float(np.mean(exact)),
        f"template_distance{suffix}": float(np.mean(far)),
    }


def _top(tree: Template) -> tuple[str, ...]:
    return top_constituents(read(" ".join(tree)))


def bleu(hypotheses: Iterable[str], references: Iterable[str]) -> float | None:
    """Corpus BLEU in lower case, 0 to 100, by sacrebleu; None where that is not installed."""
    try:
        from sacrebleu.metrics.bleu import BLEU
    except ImportError:
        print("paraphrasing: no BLEU without sacrebleu; run `pip install sacrebleu`", file=sys.stderr)
        return None
    return float(BLEU(lowercase=True).corpus_score(list(hypotheses), [list(references)]).score)
