"""Task ``paraphrasing``: how well a system writes paraphrases in a given syntax, on held-out pairs.

Two views of it. What is written (beam search) against the paraphrase that was to be written: BLEU, and, where
a parser is at hand, whether its tree is the one asked for. And how well the true paraphrase is foretold, from
its source and tree and, to see what either is worth, from those of another pair.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol, TypeGuard

import numpy as np
import torch

from pipeline.constituency import read, top_constituents
from pipeline.errors import SynsemError
from pipeline.evaluation.records import Outcome, key
from pipeline.evaluation.task import Context
from pipeline.levenshtein import normalised_distances
from pipeline.seeding import rank
from pipeline.sentences import HasTree

Template = Sequence[str]
Parse = Callable[[Sequence[str]], Sequence[HasTree]]  # a tree for each text

VIEW = "semantic"  # a system writes from one vector, whatever its views
_PAIRS = 100  # that a task writes paraphrases of
_AT_ONCE = 64


class _Written(Protocol):
    @property
    def text(self) -> str: ...


class _Foretold(Protocol):
    @property
    def loss(self) -> torch.Tensor: ...
    @property
    def right(self) -> torch.Tensor: ...
    @property
    def pieces(self) -> torch.Tensor: ...


class Writer(Protocol):
    """A system that writes paraphrases (``pipeline/systems/parabart.py``)."""

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

    def foretell(
        self, sources: Sequence[HasTree], targets: Sequence[HasTree], templates: Sequence[Template] | None
    ) -> _Foretold:
        """How well each target is foretold."""
        ...


class Pair(NamedTuple):
    """A sentence, and a paraphrase of it."""

    source: HasTree
    target: HasTree


def writes(embedder: object) -> TypeGuard[Writer]:
    """Whether it has ``write``."""
    return callable(getattr(embedder, "write", None))


def paraphrasing(context: Context) -> Outcome:
    """``quality`` of held-out sentences with their rule-made ``same`` variants, and of the true pairs of each
    benchmark of pairs whose texts have trees; a hundred of each, drawn by content.
    """
    writer = context.bank.embedder
    if not writes(writer):
        raise SynsemError("the model writes no paraphrases; choose one that does, such as parabart")
    outcome, seed = Outcome(), context.params.seed
    for home, pairs in _homes(context):
        drawn = sorted(pairs, key=lambda pair: rank(seed, pair.source.text, pair.target.text))[:_PAIRS]
        if len(drawn) < 2:
            continue
        for name, value in quality(writer, drawn).items():
            outcome.put(VIEW, f"paraphrasing.{home}.{name}", value, digits=3)
    if not outcome.metrics:
        raise SynsemError(f"{context.corpus.augmented}: no `same` variants to write; run augment")
    return outcome


def _homes(context: Context) -> Iterator[tuple[str, list[Pair]]]:
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
            key(task),
            [
                Pair(trees[each.a], trees[each.b])
                for each in examples
                if each.label == "1" and each.split == "test" and each.b in trees and each.a in trees
            ],
        )


def quality(writer: Writer, pairs: Sequence[Pair], parse: Parse | None = None) -> dict[str, float]:
    """How well paraphrases are written in the syntax of the true ones; n >= 2 pairs.

    - ``bleu``: of what is written, against the true paraphrases, in lower case (sacrebleu). ``bleu_copy``:
      of the sources themselves, what copying would earn; ``bleu_source``: of what is written against the
      sources, how far it does copy.
    - ``loss``: nats a piece of the true paraphrase; ``loss_other_source`` and ``loss_other_template``: given
      the source or the template of the next pair. ``piece_accuracy``: share foretold.
    - with ``parse``: ``template_match``, share of what is written with the asked constituents below the top,
      ``template_exact`` with the whole tree asked for, ``template_distance``, mean edit distance from it over
      the longer one, 0 to 1; ``..._other``: the same against the next pair's, by chance so to speak.

    Without sacrebleu there is no BLEU, which is said on stderr.
    """
    sources, targets = [pair.source for pair in pairs], [pair.target for pair in pairs]
    templates = [writer.template(target) for target in targets]
    asked = templates if writer.guided else None
    found = _losses(writer, sources, targets, asked)
    texts = [best[0].text for best in writer.write(sources, asked)]
    wanted, given = [target.text for target in targets], [source.text for source in sources]
    for name, hypotheses, references in (
        ("bleu", texts, wanted),
        ("bleu_copy", given, wanted),
        ("bleu_source", texts, given),
    ):
        score = bleu(hypotheses, references)
        if score is not None:
            found[name] = score
    if parse is not None:
        trees = [writer.template(tree) for tree in parse(texts)]
        for suffix, wished in (("", templates), ("_other", templates[1:] + templates[:1])):
            found |= _obedience(trees, wished, suffix)
    return found


def _losses(
    writer: Writer,
    sources: Sequence[HasTree],
    targets: Sequence[HasTree],
    templates: Sequence[Template] | None,
) -> dict[str, float]:
    found = {}
    loss, right = _mean(writer, sources, targets, templates)
    found["loss"], found["piece_accuracy"] = loss, right
    found["loss_other_source"], _ = _mean(writer, [*sources[1:], sources[0]], targets, templates)
    if templates is not None:
        found["loss_other_template"], _ = _mean(writer, sources, targets, [*templates[1:], templates[0]])
    return found


@torch.inference_mode()
def _mean(
    writer: Writer,
    sources: Sequence[HasTree],
    targets: Sequence[HasTree],
    templates: Sequence[Template] | None,
) -> tuple[float, float]:
    """Loss a piece and share of pieces foretold."""
    sums = torch.zeros(3, dtype=torch.float64)
    for start in range(0, len(sources), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        chosen = None if templates is None else templates[part]
        found = writer.foretell(sources[part], targets[part], chosen)
        sums += torch.stack([found.loss.sum(), found.right.sum(), found.pieces.sum()]).double().cpu()
    loss, right, pieces = sums.tolist()
    return loss / pieces, right / pieces


def _obedience(written: Sequence[Template], asked: Sequence[Template], suffix: str) -> dict[str, float]:
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
    """Corpus BLEU in lower case, 0 to 100, as sacrebleu has it; None where that is not installed."""
    try:
        from sacrebleu.metrics.bleu import BLEU
    except ImportError:
        print("paraphrasing: no BLEU without sacrebleu; run `pip install sacrebleu`", file=sys.stderr)
        return None
    return float(BLEU(lowercase=True).corpus_score(list(hypotheses), [list(references)]).score)
