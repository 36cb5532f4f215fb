"""Fine-tuning of a matcher on labelled pairs, as usual (EBSIM 2024, section 3.4, eq. 15 and 16; 4.1.2)."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.metrics import f1_score
from torch.nn import functional as F

from pipeline.core import metrics
from pipeline.core.errors import SynsemError
from pipeline.core.progress import track
from pipeline.core.seeding import stable_hash
from pipeline.nn.precision import autocast
from pipeline.systems.ebsim.labelled_pairs import Pairs
from pipeline.systems.ebsim.matcher import Matcher

_WINDOW = 8  # batches in a stretch of pairs that is sorted by length
_WARMUP = 0.1  # share of the steps
_CLIP = 1.0  # largest gradient norm
_DECAY = 0.01


@dataclass(frozen=True)
class Recipe:
    """Hyperparameters of fine-tuning; the defaults are the paper's for QQP, MRPC and STS-B."""

    epochs: int = 3
    batch_size: int = 32
    learning_rate: float = 5e-5
    max_tokens: int = 128
    precision: str = "bf16"  # where the device has it natively, else fp32; testing is in fp32


@dataclass
class Curve:
    """Metrics of the development pairs before the first step and at ``points`` later ones (figure 3)."""

    points: int  # as evenly spread over the steps as can be, the last step included
    found: list[dict[str, float]] = field(default_factory=list)  # "step" and ``matching_metrics``, in points

    def wants(self, step: int, steps: int) -> bool:
        """Whether there is a point after ``step`` of ``steps`` steps."""
        return step in {round(steps * point / self.points) for point in range(self.points + 1)}


def finetune(
    matcher: Matcher,
    train: Pairs,
    dev: Pairs,
    graded: bool,
    recipe: Recipe,
    seed: int,
    curve: Curve | None = None,
) -> float:
    """Train in place and keep the weights of the epoch with the best score on ``dev``; returns that score.

    The loss is binary cross-entropy against targets from 0 to 1, so graded pairs are a regression. The score
    is Spearman's correlation for graded pairs, else accuracy, in points. The seed sets order and dropout. A
    matcher that starts from a cosine keeps its start where no epoch is better. A ``curve`` is filled, and
    changes nothing else. ``train`` has two pairs or more.
    """
    module = matcher.module
    judgements = dict[int, dict[str, float]]()

    def judged() -> dict[str, float]:
        """Of the weights after ``step`` steps; an epoch's end may be a point of the curve, too."""
        if step not in judgements:
            with autocast(matcher.device, recipe.precision):
                judgements[step] = matching_metrics(matcher, dev, graded)
        return judgements[step]

    metric, step = "spearman" if graded else "accuracy", 0
    best, best_score = dict[str, torch.Tensor](), -np.inf
    if matcher.cosine is not None:
        best, best_score = _copied(module), judged()[metric]
    groups = matcher.parameter_groups()
    trained = [parameter for group in groups for parameter in group["params"]]
    optimizer = torch.optim.AdamW(groups, lr=recipe.learning_rate, weight_decay=_DECAY, fused=True)
    lengths = np.asarray(matcher.tokenizer.lengths(train.a, train.b))
    steps = recipe.epochs * -(-len(train) // recipe.batch_size)
    if curve is not None:
        curve.found.append({"step": 0, **judged()})
    for epoch in range(recipe.epochs):
        torch.manual_seed(stable_hash(seed, "finetune", str(epoch)))
        matcher.train()
        plan = list(batches(lengths, recipe.batch_size, np.random.default_rng((seed, epoch))))
        for rows in track(plan, f"finetune, epoch {epoch + 1} of {recipe.epochs}", unit="batches"):
            for group in optimizer.param_groups:
                group["lr"] = recipe.learning_rate * group["lr_scale"] * _schedule(step, steps)
            chosen = train.take(rows.tolist())
            target = torch.from_numpy(chosen.target).to(matcher.device)
            with autocast(matcher.device, recipe.precision):
                logits = matcher.logits(chosen.a, chosen.b)
                loss = F.binary_cross_entropy_with_logits(logits, target)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(trained, _CLIP)
            optimizer.step()
            step += 1
            if curve is not None and curve.wants(step, steps):
                curve.found.append({"step": step, **judged()})
                matcher.train()
        score = judged()[metric]
        if score > best_score:
            best, best_score = _copied(module), score
    module.load_state_dict(best)
    matcher.train(False)
    return float(best_score)


def _copied(module: torch.nn.Module) -> dict[str, torch.Tensor]:
    return {name: value.detach().clone() for name, value in module.state_dict().items()}


def batches(lengths: NDArray[np.int64], size: int, rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """All rows once, in random batches of similar length; one batch may be smaller."""
    order = rng.permutation(len(lengths))
    for start in range(0, len(order), size * _WINDOW):
        window = order[start : start + size * _WINDOW]
        order[start : start + size * _WINDOW] = window[np.argsort(lengths[window], kind="stable")]
    cut = [order[start : start + size] for start in range(0, len(order), size)]
    for number in rng.permutation(len(cut)):
        yield cut[number]


def _schedule(step: int, steps: int) -> float:
    warm = max(1, round(_WARMUP * steps))
    return (step + 1) / warm if step < warm else (steps - step) / max(1, steps - warm)


def matching_metrics(matcher: Matcher, pairs: Pairs, graded: bool) -> dict[str, float]:
    """Points on pairs: ``pearson``, ``spearman`` where graded, else ``accuracy`` (at 0.5), ``f1``, ``ap``."""
    return matching_points(pairs, matcher.scores(pairs.a, pairs.b), graded)


def matching_points(
    pairs: Pairs, scores: NDArray[np.floating[Any]], graded: bool, threshold: float = 0.5
) -> dict[str, float]:
    """The points of ``matching_metrics`` of given scores [n]; a match scores ``threshold`` or more.

    Raises SynsemError where a score is not finite.
    """
    if not np.isfinite(scores).all():
        raise SynsemError("finetune: the scores are no longer finite; lower --learning-rate")
    if graded:
        found = {name: getattr(metrics, name)(pairs.target, scores) for name in ("pearson", "spearman")}
    else:
        gold, predicted = (pairs.target > 0.5).astype(int), (scores >= threshold).astype(int)
        found = {
            "accuracy": metrics.accuracy(gold, predicted),
            "f1": 100 * float(f1_score(gold, predicted, zero_division=0.0)),
            "ap": metrics.average_precision(gold, scores),
        }
    return {name: round(value, 2) for name, value in found.items()}
