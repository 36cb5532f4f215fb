"""Few-shot matching (EBSIM 2024, section 4.3): how much labelled data a pretraining saves.

Matchers are fine-tuned from several encoders on growing shares of a task's pairs, with several seeds.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from pipeline.core.errors import SynsemError
from pipeline.core.store import read_json, write_json
from pipeline.nn import backbone as backbones
from pipeline.nn.backbone import Backbone
from pipeline.systems import registry
from pipeline.systems.ebsim.finetune import Recipe, finetune, matching_metrics
from pipeline.systems.ebsim.labelled_pairs import Task
from pipeline.systems.ebsim.matcher import Matcher, new_matcher

EncoderLoader = Callable[[], Backbone]
BACKBONE = "backbone"  # the start that is no folder


def encoder_loader(start: str, model: str) -> EncoderLoader:
    """Loads the encoder to start from: ``backbone``, the encoder ``model``, or a trained system's folder.

    The loader raises SynsemError for a system without a transformer that reads plain text.
    """
    if start == BACKBONE:
        return lambda: backbones.load(model)

    def trained() -> Backbone:
        system = registry.load(Path(start))
        if system.exported is None:
            raise SynsemError(f"{start}: {system.name} has no transformer that a matcher could start from")
        return Backbone(system.exported.model, system.tokenizer.hf_tokenizer)

    return trained


def train_matcher(
    load_encoder: EncoderLoader, task: Task, share: int, seed: int, recipe: Recipe
) -> tuple[Matcher, dict[str, Any]]:
    """A matcher trained on a share of a task's pairs, and a record of its scores."""
    matcher = new_matcher(load_encoder(), recipe.max_tokens, seed)
    matcher.model.to("cuda" if torch.cuda.is_available() else "cpu")
    train = task.train.share(share)
    dev = finetune(matcher, train, task.dev, task.graded, recipe, seed)
    return matcher, {
        "pairs": len(train),
        "dev": dev,
        "test": matching_metrics(matcher, task.test, task.graded),
    }


def compare_starts(
    starts: Mapping[str, EncoderLoader],
    task: Task,
    shares: Sequence[int],
    seeds: Sequence[int],
    recipe: Recipe,
    results: Path,
) -> dict[str, Any]:
    """Fine-tune from every start on every share with every seed; each run is added to ``results`` (JSON).

    Runs that are in ``results`` are not repeated. Raises SynsemError where that file is of another task,
    recipe or test set.
    """
    facts = {"task": task.name, "recipe": asdict(recipe), "test_pairs": len(task.test)}
    found: dict[str, Any] = read_json(results) if results.exists() else facts | {"runs": {}}
    if {name: found.get(name) for name in facts} != facts:
        raise SynsemError(f"{results}: holds another task, recipe or number of test pairs; name another file")
    for seed in seeds:
        for share in shares:
            for name, load_encoder in starts.items():
                key = f"{name} {share} {seed}"
                if key not in found["runs"]:
                    _, record = train_matcher(load_encoder, task, share, seed, recipe)
                    found["runs"][key] = {"start": name, "share": share, "seed": seed, **record}
                    write_json(results, found)
    return found
