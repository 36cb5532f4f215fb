"""Fine-tuning on graded pairs: a regression, by cross-entropy against the score as a share of the largest."""

from pathlib import Path

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from pipeline.nn import backbone as backbones
from pipeline.systems.ebsim import finetune as module
from pipeline.systems.ebsim.finetune import Recipe, finetune
from pipeline.systems.ebsim.labelled_pairs import Pairs
from pipeline.systems.ebsim.matcher import new_matcher

GRADES = Pairs(
    ["a cat", "a dog", "the rain", "a poet", "the river"],
    ["the cat", "a house", "rain", "the queen", "a river"],
    np.array([0.9, 0.1, 0.7, 0.3, 0.45], dtype=np.float32),
)


def test_a_graded_pair_counts_by_its_grade(tiny_backbone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Oracle: -(t log s + (1 - t) log(1 - s)) of the scores s that the matcher has before the first step."""
    matcher = new_matcher(backbones.load(str(tiny_backbone)), 32, seed=1)
    for part in matcher.module.modules():
        if isinstance(part, torch.nn.Dropout):
            part.p = 0.0
    scores = matcher.scores(GRADES.a, GRADES.b).astype(np.float64)
    expected = -np.mean(GRADES.target * np.log(scores) + (1 - GRADES.target) * np.log(1 - scores))
    found: list[float] = []
    compute = F.binary_cross_entropy_with_logits

    def watched(logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        loss = compute(logits, target)
        found.append(loss.item())
        return loss

    monkeypatch.setattr(module.F, "binary_cross_entropy_with_logits", watched)
    finetune(matcher, GRADES, GRADES, True, Recipe(1, 8, 1e-3, 32, "fp32"), seed=1)
    assert found == pytest.approx([expected], rel=1e-4)


def test_the_rate_rises_for_a_tenth_of_the_steps_and_then_falls_to_zero(
    tiny_backbone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of twenty steps, four epochs of five batches."""
    matcher = new_matcher(backbones.load(str(tiny_backbone)), 32, seed=1)
    rates, step = list[float](), torch.optim.AdamW.step

    def watched(optimizer: torch.optim.AdamW) -> None:
        rates.append(optimizer.param_groups[0]["lr"])
        step(optimizer)

    monkeypatch.setattr(torch.optim.AdamW, "step", watched)
    finetune(matcher, GRADES, GRADES, True, Recipe(4, 1, 1e-4, 32, "fp32"), seed=1)
    assert rates == pytest.approx([0.5e-4, 1e-4, *(1e-4 * left / 18 for left in range(18, 0, -1))])


def test_the_epoch_of_graded_pairs_is_chosen_by_spearman(
    tiny_backbone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    matcher = new_matcher(backbones.load(str(tiny_backbone)), 32, seed=1)
    found = iter([{"pearson": 70.0, "spearman": 50.0}, {"pearson": 60.0, "spearman": 80.0}])
    monkeypatch.setattr(module, "matching_metrics", lambda *_: next(found))
    assert finetune(matcher, GRADES, GRADES, True, Recipe(2, 8, 1e-4, 32, "fp32"), seed=1) == 80
