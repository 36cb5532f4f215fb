"""Few-shot matching (EBSIM 2024, section 4.3): how much labelled data a pretraining saves.

Matchers are fine-tuned from several encoders on growing shares of a task's pairs, with several seeds.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import torch

from pipeline.core.errors import SynsemError
from pipeline.core.store import read_json, sha256, write_json
from pipeline.nn import backbone as backbones
from pipeline.nn.backbone import Backbone
from pipeline.systems import registry
from pipeline.systems.base import saved_paths
from pipeline.systems.ebsim.finetune import Recipe, finetune, matching_metrics
from pipeline.systems.ebsim.labelled_pairs import Pairs, Task
from pipeline.systems.ebsim.matcher import Matcher, new_matcher

BACKBONE = "backbone"  # the start that is no folder


@dataclass(frozen=True)
class Start:
    """What a matcher starts from: ``backbone``, the encoder ``model``, or a trained system's folder."""

    name: str
    model: str

    def load(self) -> Backbone:
        """The encoder; SynsemError for a system without a transformer that reads plain text."""
        if self.name == BACKBONE:
            return backbones.load(self.model)
        system = registry.load(Path(self.name))
        if system.exported is None:
            raise SynsemError(
                f"{self.name}: {system.name} has no transformer that a matcher could start from"
            )
        return Backbone(system.exported.model, system.tokenizer.portable)

    @cached_property
    def content(self) -> list[str]:
        """The backbone's name, or the sha256 of weights, configuration and tokenizer in a system's folder.

        Raises SynsemError where the folder has no weights.
        """
        if self.name == BACKBONE:
            return [self.model]
        weights, config, tokenizer = saved_paths(Path(self.name))
        if not weights.exists():
            raise SynsemError(f"{weights}: missing; run the pretrain stage or name another --start")
        files = [weights, config, *sorted(path for path in tokenizer.rglob("*") if path.is_file())]
        return [f"{path.name} {sha256(path)}" for path in files if path.exists()]


def train_matcher(
    load_encoder: Callable[[], Backbone], task: Task, share: int, seed: int, recipe: Recipe
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
    starts: Mapping[str, Start],
    task: Task,
    shares: Sequence[int],
    seeds: Sequence[int],
    recipe: Recipe,
    results: Path,
    again: bool = False,
) -> dict[str, Any]:
    """Fine-tune from every start on every share with every seed; each run is added to ``results`` (JSON).

    A run there is repeated, and replaced, where the start's files, the recipe or the task's pairs are other
    than its ``content`` says; one without ``content`` only if ``again``. Raises SynsemError where the file is
    of another task, recipe or test set.
    """
    facts = {"task": task.name, "recipe": asdict(recipe), "test_pairs": len(task.test)}
    found: dict[str, Any] = read_json(results) if results.exists() else facts | {"runs": {}}
    if {name: found.get(name) for name in facts} != facts:
        raise SynsemError(f"{results}: holds another task, recipe or number of test pairs; name another file")
    for seed in seeds:
        for share in shares:
            made_of = _digest(recipe, task, share)
            for name, start in starts.items():
                key = f"{name} {share} {seed}"
                known = found["runs"].get(key)
                if known is not None and "content" not in known and not again:
                    continue
                content = hashlib.sha256("\n".join([made_of, *start.content]).encode()).hexdigest()
                if known is None or known.get("content") != content:
                    _, record = train_matcher(start.load, task, share, seed, recipe)
                    facts_of_run = {"start": name, "share": share, "seed": seed, "content": content}
                    found["runs"][key] = facts_of_run | record
                    write_json(results, found)
    return found


def _digest(recipe: Recipe, task: Task, share: int) -> str:
    """Of all that a run is made of, besides its start and seed."""
    digest = hashlib.sha256(json.dumps([asdict(recipe), task.graded], sort_keys=True).encode())
    for pairs in (task.train.share(share), task.dev, task.test):
        digest.update(_bytes(pairs))
    return digest.hexdigest()


def _bytes(pairs: Pairs) -> bytes:
    return json.dumps([pairs.a, pairs.b, pairs.target.tolist()]).encode()
