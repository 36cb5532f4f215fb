"""Fine-tuning for matching on labelled pairs, EBSIM's evaluation (2024, sections 3.4, 4.1.2 and 4.3).

``fine_tune`` trains a classifier of pairs on a share of a benchmark's pairs and scores it on the test pairs:

    task = read_task(Path("data/benchmarks"), "qqp")
    matcher, result = fine_tune(backbone, task, share=20, seed=13, recipe=Recipe())
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import torch
from numpy.typing import NDArray
from sklearn.metrics import f1_score
from torch.nn import functional as F

from pipeline.core import metrics
from pipeline.core.errors import SynsemError
from pipeline.core.parallel import track
from pipeline.core.params import metric_key
from pipeline.core.schemas import EXAMPLE
from pipeline.core.seeding import linked, stable_hash
from pipeline.core.store import atomic_folder, read, require_rows, write_json
from pipeline.nn import backbone as backbones
from pipeline.nn.backbone import Backbone, quiet
from pipeline.nn.compute import autocast, best_device, token_budget
from pipeline.nn.length_batches import Rows, compute_by_length
from pipeline.systems.base import check_length, registry
from pipeline.systems.ebsim.model import PAIR_TOKENS, PairTokenizer

_NEW = ("classifier", "pooler", "score", "pre_classifier", "head")  # modules that a backbone may lack
_LABEL = "match"  # of the one output
_WARMUP, _CLIP, _DECAY = 0.1, 1.0, 0.01  # share of the steps; largest gradient norm; of weights
_PARTS = 10  # of the training rows; a missing dev split takes one part, a missing test split two
_SEED = 13  # of parts and shares, which are the same rows whatever the seed of a training run
_MATCHER = ("*.json", "*.safetensors", "*.txt", "*.model")  # the files of a matcher
VIEW = "fine-tuned"  # of the metrics
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Pairs:
    """n pairs of texts, each with a target for how well it matches."""

    a: list[str]
    b: list[str]
    target: NDArray[np.float32]  # [n], 0 to 1

    def __len__(self) -> int:
        return len(self.a)

    def take(self, rows: Iterable[int]) -> "Pairs":
        """Return the pairs of ``rows``, in that order."""
        chosen = list(rows)
        return Pairs([self.a[row] for row in chosen], [self.b[row] for row in chosen], self.target[chosen])

    def share(self, percent: int) -> "Pairs":
        """Return about that percentage, drawn by content; each share includes the smaller ones."""
        return self.take(
            row
            for row, (a, b) in enumerate(zip(self.a, self.b, strict=True))
            if stable_hash(_SEED, "share", a, b) % 1000 < 10 * percent
        )


@dataclass(frozen=True)
class Task:
    """A benchmark of pairs. ``graded`` targets are scores divided by the largest score; others are 0 or 1."""

    name: str
    graded: bool
    train: Pairs
    dev: Pairs
    test: Pairs


def read_task(folder: Path, name: str) -> Task:
    """Read the pairs of one task from a folder of ``schemas.EXAMPLE``.

    Without a train split it trains on the dev split. A missing dev split is a tenth of the training rows, a
    missing test split a fifth; no text of these is in training. Pairs are left out if their label is neither
    0 nor 1, or if they lack a label that others have. Raises SynsemError if none can be trained on, or if the
    pairs of a split are too alike to judge by.
    """
    require_rows(folder, EXAMPLE)
    table = read(folder)
    table = table.filter(pc.equal(table["task"].cast(pa.string()), name))
    rows = [row for row in table.to_pylist() if row["b"] is not None]
    graded = all(row["label"] is None for row in rows)
    rows = [row for row in rows if (row["score"] is not None if graded else row["label"] in ("0", "1"))]
    if not rows:
        raise SynsemError(
            f"{folder}: no labelled pairs of {name!r}; name a benchmark of pairs in download.benchmarks "
            "(labels are 1 for the same meaning and 0 for another)"
        )
    given = {row["split"] for row in rows}
    drawn = {"dev": (0,), "test": (1, 2)}  # parts of the training rows
    splits: dict[str, list[Row]] = {"train": [], "dev": [], "test": []}
    for row, group in zip(rows, linked([(row["a"], row["b"]) for row in rows]), strict=True):
        split, part = row["split"], stable_hash(_SEED, "part", group) % _PARTS
        if split == "train" or (split == "dev" and "train" not in given):
            absent = [name for name in drawn if name not in given or (name, split) == ("dev", "dev")]
            split = next((name for name in absent if part in drawn[name]), "train")
        splits[split].append(row)
    largest = max(row["score"] for row in rows) if graded else 1.0
    found: dict[str, Pairs] = {}
    for split, some in splits.items():
        target = np.array([row["score" if graded else "label"] for row in some], np.float32)
        target /= np.float32(largest)
        found[split] = pairs = Pairs([row["a"] for row in some], [row["b"] for row in some], target)
        if len(np.unique(pairs.target)) < 2:
            raise SynsemError(
                f"{folder}: the {len(pairs)} pairs of {name!r} for {split} all match, or none does; "
                "give both kinds, or a column `split` of train, dev and test"
            )
    return Task(name, graded, **found)


@dataclass(frozen=True)
class Recipe:
    """Hyperparameters of fine-tuning; the defaults are the paper's for QQP, MRPC and STS-B."""

    epochs: int = 3
    batch_size: int = 32
    learning_rate: float = 5e-5
    max_tokens: int = PAIR_TOKENS  # of a pair
    judgements: int = 6  # how often the dev pairs are scored, at equal distances; the best weights are kept
    precision: str = "bf16"  # if the device has it natively, otherwise fp32; testing is in fp32


@dataclass
class Result:
    """What a matcher scored, in points (``matching_points``)."""

    pairs: int  # trained on
    dev: float = -np.inf  # the best score on the dev pairs
    test: dict[str, float] = field(default_factory=dict)
    curve: list[dict[str, float]] = field(default_factory=list)  # by ``step``, on the dev pairs (figure 3)


class Matcher:
    """Hugging Face's sequence classifier of a family with one output, the match, and its tokenizer.

    A saved one loads with transformers, and as a sentence-transformers ``CrossEncoder``.
    """

    def __init__(self, backbone: Backbone, max_tokens: int, seed: int) -> None:
        """Take a backbone's weights and a random head, the same for the same seed and family.

        Raises SynsemError if the weights are not a classifier's, or if it is too short for ``max_tokens``.
        """
        from transformers import AutoModelForSequenceClassification

        check_length(backbone, max_tokens, "max_tokens")
        one = {"num_labels": 1, "id2label": {0: _LABEL}, "label2id": {_LABEL: 0}}
        config = type(backbone.model.config).from_dict(backbone.model.config.to_dict() | one)
        torch.manual_seed(seed)
        with quiet():
            model = AutoModelForSequenceClassification.from_config(config, trust_remote_code=False)
        missing, unexpected = model.base_model.load_state_dict(backbone.model.state_dict(), strict=False)
        wrong = [name for name in missing if not name.startswith(_NEW)] + list(unexpected)
        if wrong:
            raise SynsemError(
                f"encoder.model: {config.model_type} weights do not fit its classifier ({wrong[0]})"
            )
        self.model: Any = model.float().eval()
        self.tokenizer = PairTokenizer(backbone.tokenizer, max_tokens, max_tokens)

    @property
    def device(self) -> torch.device:
        """Where the parameters are."""
        return next(iter(self.model.parameters())).device

    def logits(self, a: Sequence[str], b: Sequence[str]) -> torch.Tensor:
        """Return one logit per pair, float32 [n], with its gradient; n >= 1, in one batch."""
        inputs = self.tokenizer.pairs(a, b, self.device).inputs
        return self.model(**inputs).logits.squeeze(-1).float()

    @torch.inference_mode()
    def scores(self, a: Sequence[str], b: Sequence[str]) -> NDArray[np.float32]:
        """Return how well each pair matches, float32 [n], 0 to 1, and stay in evaluation mode."""
        self.model.eval()

        def probabilities(rows: Rows) -> NDArray[np.float32]:
            logits = self.logits([a[row] for row in rows], [b[row] for row in rows])
            return torch.sigmoid(logits).cpu().numpy()

        found = compute_by_length(probabilities, self.tokenizer.lengths(a, b), token_budget(self.device))
        return np.array(found, np.float32)

    def save(self, folder: Path) -> None:
        """Write what ``CrossEncoder(folder)`` loads; its scores are those of ``scores``."""
        tokenizer = self.tokenizer.hf_tokenizer
        tokenizer.model_max_length = self.tokenizer.pair_tokens
        with quiet():
            self.model.save_pretrained(str(folder))
        tokenizer.save_pretrained(str(folder))


def fine_tune(start: Backbone, task: Task, share: int, seed: int, recipe: Recipe) -> tuple[Matcher, Result]:
    """Train a matcher from an encoder on ``share`` percent of a task's pairs, and score it on the test pairs.

    The loss is binary cross-entropy against targets from 0 to 1 (eq. 15 and 16), so graded pairs are a
    regression. The weights kept are those with the best dev score: Spearman's correlation for graded pairs,
    otherwise accuracy. Raises SynsemError if the share has fewer than two pairs.
    """
    train = task.train.share(share)
    if len(train) < 2:
        raise SynsemError(f"{task.name}: {share} % is fewer than two training pairs; use a larger share")
    matcher, result = Matcher(start, recipe.max_tokens, seed), Result(len(train))
    best: dict[str, torch.Tensor] = {}
    model = matcher.model.to(best_device()).train()
    steps = recipe.epochs * -(-len(train) // recipe.batch_size)
    judged = {round(steps * (number + 1) / recipe.judgements) for number in range(recipe.judgements)}
    optimizer = torch.optim.AdamW(model.parameters(), lr=recipe.learning_rate, weight_decay=_DECAY)
    rising = round(_WARMUP * steps)
    rng = np.random.default_rng(seed)
    order = np.concatenate([rng.permutation(len(train)) for _ in range(recipe.epochs)])
    batches = np.array_split(order, steps)
    for step, rows in enumerate(track(batches, "fine-tuning", unit="batches"), start=1):
        for group in optimizer.param_groups:  # a linear rise, then a linear fall to zero
            group["lr"] = recipe.learning_rate * min(
                step / max(1, rising), (steps - step + 1) / (steps - rising)
            )
        torch.manual_seed(stable_hash(seed, "finetune", str(step)))
        chosen = train.take(rows.tolist())
        with autocast(matcher.device, recipe.precision):
            target = torch.from_numpy(chosen.target).to(matcher.device)
            loss = F.binary_cross_entropy_with_logits(matcher.logits(chosen.a, chosen.b), target)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), _CLIP)
        optimizer.step()
        if step in judged:
            points = matching_points(task.dev, matcher.scores(task.dev.a, task.dev.b), task.graded)
            result.curve.append({"step": step, **points})
            if (score := points["spearman" if task.graded else "accuracy"]) > result.dev:
                best = {name: value.detach().clone() for name, value in model.state_dict().items()}
                result.dev = score
            model.train()
    model.load_state_dict(best)
    result.test = matching_points(task.test, matcher.scores(task.test.a, task.test.b), task.graded)
    return matcher, result


def fine_tune_to(
    out: Path,
    scores: Path,
    start: Path | str,
    benchmarks: Path,
    task: str,
    share: int,
    seed: int,
    recipe: Recipe,
) -> Result:
    """Fine-tune from a trained system's folder or a backbone's name; write the matcher and its test scores.

    ``out`` also gets ``training.json``, a ``Result``; ``scores`` is a metrics file (``store.read_metrics``).
    Raises SynsemError if the system has no pretrained encoder.
    """
    pairs = read_task(benchmarks, task)
    if isinstance(start, Path):
        system = registry.load(start)
        if (encoder := getattr(system, "semantic", None)) is None:
            raise SynsemError(f"{start}: has no pretrained encoder to fine-tune; start from another system")
        backbone = Backbone(encoder.model, system.tokenizer.hf_tokenizer)
    else:
        backbone = backbones.load(start)
    with atomic_folder(out, *_MATCHER) as partial:  # before training: it refuses a folder of other things
        matcher, result = fine_tune(backbone, pairs, share, seed, recipe)
        matcher.save(partial)
        write_json(partial / "training.json", asdict(result))
    points: Mapping[str, Any] = result.test if share == 100 else {f"share_{share}": result.test}
    write_json(scores, {VIEW: {"matching": {metric_key(task): points}}})
    return result


def matching_points(pairs: Pairs, scores: NDArray[np.floating[Any]], graded: bool) -> dict[str, float]:
    """Return ``pearson`` and ``spearman`` of graded pairs, else ``accuracy`` (at 0.5), ``f1`` and ``ap``.

    Raises SynsemError if a score is not finite.
    """
    if not np.isfinite(scores).all():
        raise SynsemError("fine-tuning: the scores are no longer finite; lower the learning rate")
    if graded:
        found = {name: getattr(metrics, name)(pairs.target, scores) for name in ("pearson", "spearman")}
    else:
        gold, predicted = (pairs.target > 0.5).astype(int), (scores >= 0.5).astype(int)
        found = {
            "accuracy": metrics.accuracy(gold, predicted),
            "f1": 100 * float(f1_score(gold, predicted, zero_division=0.0)),
            "ap": metrics.average_precision(gold, scores),
        }
    return {name: round(float(value), 2) for name, value in found.items()}
