"""How much labelled data a pretraining saves: matchers from several starts, on growing shares, over seeds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from pipeline.errors import SynsemError
from pipeline.evaluation.shares import BACKBONE
from pipeline.matching.data import Task
from pipeline.matching.finetune import Recipe, finetune, judge
from pipeline.matching.matcher import Matcher, untrained
from pipeline.nn import backbone as backbones
from pipeline.nn.backbone import Backbone
from pipeline.store import read_json, write_json
from pipeline.systems import registry

Start = Callable[[], Backbone]


def start(name: str, model: str) -> Start:
    """A way to get an encoder: ``backbone``, whose place is ``model``, or a trained system's folder.

    Raises SynsemError, when called, for a system without a transformer that reads plain text.
    """
    if name == BACKBONE:
        return lambda: backbones.load(model)

    def trained() -> Backbone:
        system = registry.load(Path(name))
        if system.exported is None:
            raise SynsemError(f"{name}: {system.name} has no transformer that a matcher could start from")
        return Backbone(system.exported.model, system.tokeniser.tokenizer)

    return trained


def train_matcher(
    begin: Start, task: Task, share: int, seed: int, recipe: Recipe
) -> tuple[Matcher, dict[str, Any]]:
    """A matcher trained on a share of a task's pairs, and one record of how it does on the test pairs."""
    matcher = untrained(begin(), recipe.max_tokens, seed)
    matcher.model.to("cuda" if torch.cuda.is_available() else "cpu")
    train = task.train.share(share)
    dev = finetune(matcher, train, task.dev, task.graded, recipe, seed)
    return matcher, {"pairs": len(train), "dev": dev, "test": judge(matcher, task.test, task.graded)}


def few_shot(
    starts: Mapping[str, Start],
    task: Task,
    shares: Sequence[int],
    seeds: Sequence[int],
    recipe: Recipe,
    results: Path,
) -> dict[str, Any]:
    """Every start on every share from every seed, kept in ``results`` (JSON) as it goes; none is run twice.

    A run is known by start, share and seed; SynsemError where the file stems from another task, recipe or
    test set.
    """
    facts = {"task": task.name, "recipe": asdict(recipe), "test_pairs": len(task.test)}
    found: dict[str, Any] = read_json(results) if results.exists() else facts | {"runs": {}}
    if {name: found.get(name) for name in facts} != facts:
        raise SynsemError(f"{results}: holds another task, recipe or number of test pairs; name another file")
    for seed in seeds:
        for share in shares:
            for name, begin in starts.items():
                key = f"{name} {share} {seed}"
                if key not in found["runs"]:
                    _, record = train_matcher(begin, task, share, seed, recipe)
                    found["runs"][key] = {"start": name, "share": share, "seed": seed, **record}
                    write_json(results, found)
    return found
