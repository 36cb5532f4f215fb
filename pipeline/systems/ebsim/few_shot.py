"""Few-shot matching (EBSIM 2024, section 4.3): how much labelled data a pretraining saves.

Matchers are fine-tuned from several encoders on growing shares of a task's pairs, with several seeds.
"""

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pipeline.core.errors import SynsemError
from pipeline.core.store import folder_digest, read_object, sha256, write_json
from pipeline.nn import backbone as backbones
from pipeline.nn.backbone import Backbone
from pipeline.nn.encoder import has_decoder
from pipeline.nn.inference import best_device
from pipeline.systems import registry
from pipeline.systems.base import check_length, saved_paths
from pipeline.systems.ebsim.cosine import BiEncoder, WeightedCosine, calibrate, untouched
from pipeline.systems.ebsim.finetune import Curve, Recipe, finetune, matching_metrics
from pipeline.systems.ebsim.labelled_pairs import Pairs, Task
from pipeline.systems.ebsim.matcher import Matcher, new_matcher

BACKBONE = "backbone"  # the start that is no folder
COSINE_ALONE = "cosine"  # the start that is the weighted cosine, with no classifier beside it
COSINE = "cosine+"  # before a start: the matcher begins at the untouched backbone's weighted cosine


@dataclass(frozen=True)
class Start:
    """What a matcher starts from: ``backbone``, the encoder ``model``, or a trained system's folder.

    With ``cosine+`` before it, ``cosine+backbone``, the matcher's logits are at first the weighted cosine of
    ``model``'s own vectors, whatever the encoder (``systems.ebsim.cosine``). ``cosine`` is that alone, a
    bi-encoder: what a cross-encoder beside it has to beat.
    """

    name: str
    model: str

    @property
    def encoder(self) -> str:
        """The name without ``cosine+``."""
        return self.name.removeprefix(COSINE)

    @property
    def begins_at_cosine(self) -> bool:
        """Whether the matcher begins at a weighted cosine."""
        return self.name == COSINE_ALONE or self.name.startswith(COSINE)

    def cosine(self, train: Pairs, max_tokens: int) -> WeightedCosine | None:
        """The weighted cosine of training pairs; None where the matcher does not begin at one.

        Raises SynsemError for the cosine of an encoder-decoder, or of one too short for ``max_tokens``.
        """
        if not self.begins_at_cosine:
            return None
        own = backbones.load(self.model)
        check_length(own, max_tokens, "--max-tokens")
        if has_decoder(own.model):  # its encoder, saved by itself, would be loaded as a new encoder-decoder
            raise SynsemError(
                f"--start: {self.model} has a decoder, and a matcher cannot keep the cosine of such a model; "
                f"start from {BACKBONE}, or set encoder.model to an encoder"
            )
        known = untouched(self.model, max_tokens)
        known.encoder.to(best_device())
        weights = calibrate(known.pairs(train.a, train.b), train.target)
        return WeightedCosine(BiEncoder(own, max_tokens), weights)

    def load(self) -> Backbone:
        """The encoder; SynsemError for a system without a transformer that reads plain text."""
        if self.encoder == BACKBONE:
            return backbones.load(self.model)
        system = registry.load(Path(self.encoder))
        if system.exported is None:
            raise SynsemError(
                f"{self.encoder}: {system.name} has no transformer that a matcher could start from"
            )
        return Backbone(system.exported.model, system.tokenizer.hf_tokenizer)

    @property
    def is_backbone(self) -> bool:
        """Whether it is a system whose encoder is the untouched backbone, as training of synsem leaves it."""
        return self._is_folder and backbones.is_untouched(self.load().model, self.model)

    @property
    def is_there(self) -> bool:
        """Whether it is no folder of a system, or one with weights."""
        return not self._is_folder or saved_paths(Path(self.encoder))[0].exists()

    @property
    def _is_folder(self) -> bool:
        return self.name != COSINE_ALONE and self.encoder != BACKBONE

    @cached_property
    def content(self) -> list[str]:
        """The backbone's name, or the sha256 of weights, configuration and tokenizer in a system's folder.

        Before it comes what the cosine is of, if there is one. With the name of a backbone's folder comes
        what it holds. Raises SynsemError where a system's folder has no weights.
        """
        cosine = [f"weighted cosine, trained, of {self._backbone}"] if self.begins_at_cosine else []
        if self.name == COSINE_ALONE:
            return cosine
        if self.encoder == BACKBONE:
            return [*cosine, self._backbone]
        weights, config, tokenizer = saved_paths(Path(self.encoder))
        if not weights.exists():
            raise SynsemError(f"{weights}: missing; run the pretrain stage or name another --start")
        files = [weights, config, *sorted(path for path in tokenizer.rglob("*") if path.is_file())]
        return cosine + [f"{path.name} {sha256(path)}" for path in files if path.exists()]

    @cached_property
    def _backbone(self) -> str:
        folder = Path(self.model)
        return f"{self.model} {folder_digest(folder)}" if folder.is_dir() else self.model


def train_matcher(
    start: Start, task: Task, share: int, seed: int, recipe: Recipe, points: int = 0
) -> tuple[Matcher, dict[str, Any]]:
    """A matcher trained on a share of a task's pairs, and a record of its scores.

    With ``points`` the record has a ``curve``: what the development pairs give at that many steps. Raises
    SynsemError where the share has fewer than two pairs.
    """
    device = best_device()
    train = task.train.share(share)
    if len(train) < 2:
        raise SynsemError("finetune: fewer than two training pairs; take a larger share")
    cosine = start.cosine(train, recipe.max_tokens)
    if cosine is not None and start.name == COSINE_ALONE:
        matcher = Matcher(None, cosine.tokenizer.hf_tokenizer, recipe.max_tokens, cosine)
    else:
        matcher = new_matcher(start.load(), recipe.max_tokens, seed, cosine)
    matcher.module.to(device)
    curve = Curve(points) if points else None
    dev = finetune(matcher, train, task.dev, task.graded, recipe, seed, curve)
    record: dict[str, Any] = {
        "pairs": len(train),
        "dev": dev,
        "test": matching_metrics(matcher, task.test, task.graded),
    }
    return matcher, record if curve is None else record | {"curve": curve.found}


def compare_starts(
    starts: Mapping[str, Start],
    task: Task,
    shares: Sequence[int],
    seeds: Sequence[int],
    recipe: Recipe,
    results: Path,
    again: bool = False,
    points: int = 0,
) -> dict[str, Any]:
    """Fine-tune from every start on every share with every seed; each run is added to ``results`` (JSON).

    A run there is repeated, and replaced, where the start's files, the recipe or the task's pairs are other
    than its ``content`` says, or where it has no curve and ``points`` asks for one; one without ``content``
    only if ``again``. Raises SynsemError where the file is of another task, recipe or test set.
    """
    facts = {"task": task.name, "recipe": asdict(recipe), "test_pairs": len(task.test)}
    found: dict[str, Any] = read_object(results, "runs") if results.exists() else facts | {"runs": {}}
    if {name: found.get(name) for name in facts} != facts:
        raise SynsemError(f"{results}: holds another task, recipe or number of test pairs; name another file")
    for seed in seeds:
        for share in shares:
            pairs_and_recipe = _digest(recipe, task, share)
            for name, start in starts.items():
                key = f"{name} {share} {seed}"
                known = found["runs"].get(key)
                if known is not None and "content" not in known and not again:
                    continue
                made_of = _with_files(start, pairs_and_recipe)
                no_curve = known is not None and points > 0 and "curve" not in known
                if known is None or known.get("content") != made_of or no_curve:
                    _, record = train_matcher(start, task, share, seed, recipe, points)
                    facts_of_run = {"start": name, "share": share, "seed": seed, "content": made_of}
                    found["runs"][key] = facts_of_run | record
                    write_json(results, found)
    return found


def outdated(found: Mapping[str, Any], task: Task, recipe: Recipe, model: str) -> list[str]:
    """The keys of the runs of ``compare_starts`` that are of other files or pairs than there are now.

    Beside new ones they would be of another setting. Of a run that does not say what it was made of, and of
    a start whose files are gone, nothing is known. ``model`` is the backbone.
    """
    known = {key: run for key, run in found["runs"].items() if "content" in run}
    starts = {key: BACKBONE if run.get("frozen") else run["start"] for key, run in known.items()}
    there = {name: start for name in set(starts.values()) if (start := Start(name, model)).is_there}
    digests = {share: _digest(recipe, task, share) for share in {run["share"] for run in known.values()}}
    return [
        key
        for key, run in known.items()
        if starts[key] in there and run["content"] != _with_files(there[starts[key]], digests[run["share"]])
    ]


def marked(found: Mapping[str, Any], old: Collection[str]) -> dict[str, Any]:
    """The results of ``compare_starts``, where the ``outdated`` runs say so: the report leaves them out."""
    runs = {key: {k: v for k, v in run.items() if k != "outdated"} for key, run in found["runs"].items()}
    return {**found, "runs": runs | {key: runs[key] | {"outdated": True} for key in old}}


def content(start: Start, recipe: Recipe, task: Task, share: int) -> str:
    """Hex sha256 of all that a run is made of, but its seed: the start's files, the recipe and the pairs."""
    return _with_files(start, _digest(recipe, task, share))


def _with_files(start: Start, pairs_and_recipe: str) -> str:
    return hashlib.sha256("\n".join([pairs_and_recipe, *start.content]).encode()).hexdigest()


def _digest(recipe: Recipe, task: Task, share: int) -> str:
    """Of all that a run is made of, besides its start and seed."""
    digest = hashlib.sha256(json.dumps([asdict(recipe), task.graded], sort_keys=True).encode())
    for pairs in (task.train.share(share), task.dev, task.test):
        digest.update(json.dumps([pairs.a, pairs.b, pairs.target.tolist()]).encode())
    return digest.hexdigest()
