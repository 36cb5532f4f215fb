"""A matcher: a transformer that reads a pair and scores how well it matches (EBSIM 2024, section 3.4).

It is Hugging Face's sequence classifier of the encoder's family with one output, so its folder loads with
transformers and as a sentence-transformers ``CrossEncoder``. One that starts from a cosine holds a second
encoder; ``CrossEncoder`` loads its folder, transformers alone does not. ``score`` and ``picture`` serve one
pair, by a matcher or by a pretrained ``ebsim``.
"""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from rich.table import Table
from torch import nn

from pipeline.core.atomic import atomic_folder
from pipeline.core.errors import SynsemError
from pipeline.core.store import read_json, read_object, write_json
from pipeline.nn import backbone as backbones
from pipeline.nn.backbone import Backbone, quiet, reason
from pipeline.nn.inference import Rows, compute_by_length, token_budget
from pipeline.nn.prepacked_linear import prepacked
from pipeline.syntax.sentence import Side
from pipeline.systems import registry
from pipeline.systems.base import check_length, saved_paths
from pipeline.systems.ebsim import model as ebsim
from pipeline.systems.ebsim.cosine import BiEncoder, WeightedCosine, Weights
from pipeline.systems.ebsim.pair_tokenizer import PairTokenizer

_NEW = ("classifier", "pooler", "score", "pre_classifier", "head")  # modules that a backbone may lack
_FAST = 20.0  # times the rate: a last layer that starts from zero, and the weights of a cosine
_SHADES, _ASCII_SHADES = " ░▒▓█", " .-+#"
_LABEL = "match"  # of the one output
_ONE_OUTPUT = {"num_labels": 1, "id2label": {0: _LABEL}, "label2id": {_LABEL: 0}}
# What a folder with a cosine holds; ``standalone.py``, which is copied into it, reads these names.
_CLASSIFIER, _COSINE, _SETTINGS, _CODE = "classifier", "cosine", "matcher.json", "standalone.py"
_FILES = ("*.json", "*.jinja", "*.model", "*.safetensors", "*.txt", "README.md")  # of libraries
_MODULE = {"idx": 0, "name": "0", "path": "", "type": "standalone.CosineMatcher"}
_CROSS_ENCODER = {"model_type": "CrossEncoder", "activation_fn": "torch.nn.modules.activation.Sigmoid"}


class Matcher:
    """A sequence classifier with one logit, its tokenizer and, where it starts from one, a ``cosine``.

    ``model`` is None where the cosine is all there is.
    """

    def __init__(
        self, model: Any, tokenizer: Any, max_tokens: int, cosine: WeightedCosine | None = None
    ) -> None:
        self.model, self.cosine = model, cosine
        # All that is trained.
        self.module = nn.ModuleList(part for part in (model, cosine) if part is not None)
        self.tokenizer = PairTokenizer(tokenizer, max_tokens, max_tokens)

    @property
    def device(self) -> torch.device:
        """Where the parameters are."""
        return next(self.module.parameters()).device

    def train(self, mode: bool = True) -> None:
        """As in torch."""
        self.module.train(mode)

    def parameter_groups(self) -> list[dict[str, Any]]:
        """What is trained, for an optimizer: ``params`` and their ``lr_scale`` in each group.

        With a cosine its weights and the last layer of the head learn faster. That layer is zero at first,
        and at the rate of pretrained weights it would stay so small that the cosine alone decides.
        """
        trained = [parameter for parameter in self.module.parameters() if parameter.requires_grad]
        if self.cosine is None:
            return [{"params": trained, "lr_scale": 1.0}]
        fast = [self.cosine.weights, self.cosine.intercept]
        if self.model is not None:
            fast += _last_layer(self.model).parameters()
        rest = [parameter for parameter in trained if all(parameter is not one for one in fast)]
        return [{"params": rest, "lr_scale": 1.0}, {"params": fast, "lr_scale": _FAST}]

    def logits(self, a: Sequence[str], b: Sequence[str]) -> torch.Tensor:
        """One logit a pair, float32 [n], with its gradient; n >= 1, in one batch."""
        parts = [] if self.cosine is None else [self.cosine(a, b)]
        if self.model is not None:
            inputs = self.tokenizer.pairs(a, b, self.device).inputs()
            parts.append(self.model(**inputs).logits.squeeze(-1).float())
        return torch.stack(parts).sum(dim=0)

    @torch.inference_mode()
    def scores(self, a: Sequence[str], b: Sequence[str]) -> NDArray[np.float32]:
        """How well each pair matches, float32 [n], 0 to 1. The matcher is left in evaluation mode."""
        self.train(False)

        def probabilities(rows: Rows) -> NDArray[np.float32]:
            return (
                torch.sigmoid(self.logits([a[row] for row in rows], [b[row] for row in rows])).cpu().numpy()
            )

        lengths = self.tokenizer.lengths(a, b) if len(a) else []
        with prepacked(sum(lengths), self.module):
            found = compute_by_length(probabilities, lengths, token_budget(self.device))
        return np.array(found, np.float32)

    def save(self, folder: Path) -> None:
        """Write what ``CrossEncoder(folder)`` loads; its scores are those of ``scores``.

        With a cosine it must be told ``trust_remote_code=True``: the folder has a copy of ``standalone.py``.
        The folder appears whole or not at all, in place of a matcher that was there; SynsemError where
        ``demand_replaceable`` or the disk raises it.
        """
        demand_replaceable(folder)
        with atomic_folder(folder, *_FILES, _CLASSIFIER, _COSINE, _CODE) as new:
            self._write(new)

    def _write(self, folder: Path) -> None:
        tokenizer = self.tokenizer.hf_tokenizer
        tokenizer.model_max_length = self.tokenizer.pair_tokens
        if self.model is not None:
            place = folder if self.cosine is None else folder / _CLASSIFIER
            with quiet():
                self.model.save_pretrained(str(place))
            tokenizer.save_pretrained(str(place))
        if self.cosine is not None:
            self.cosine.save(folder / _COSINE)
            write_json(folder / _SETTINGS, self.cosine.settings() | {"classifier": self.model is not None})
            write_json(folder / "modules.json", [_MODULE])
            write_json(folder / "config_sentence_transformers.json", _CROSS_ENCODER)
            shutil.copyfile(Path(__file__).with_name(_CODE), folder / _CODE)


def demand_replaceable(folder: Path) -> None:
    """Raise SynsemError where a folder holds anything but a matcher, which saving one there would delete."""
    config = folder / "config.json"
    if (folder / _SETTINGS).is_file():
        return
    if config.is_file() and read_object(config).get("id2label") == {"0": _LABEL}:
        return
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise SynsemError(f"{folder}: is not empty and holds no matcher; name a new folder")


def new_matcher(
    backbone: Backbone, max_tokens: int, seed: int, cosine: WeightedCosine | None = None
) -> Matcher:
    """A matcher with a backbone's weights and a random head, the same for the same seed and family.

    With a ``cosine`` the head's last layer is zero, so that the logits are those of the weighted cosine.
    Raises SynsemError where transformers has no sequence classifier for the backbone's family, or it is too
    short for ``max_tokens``.
    """
    from transformers import AutoModelForSequenceClassification

    check_length(backbone, max_tokens, "--max-tokens")
    config = type(backbone.model.config).from_dict(backbone.model.config.to_dict() | _ONE_OUTPUT)
    torch.manual_seed(seed)
    try:
        with quiet():
            model = AutoModelForSequenceClassification.from_config(config, trust_remote_code=False)
    except ValueError as error:
        raise SynsemError(
            f"encoder.model: no classifier for the {config.model_type} family; name a BERT or RoBERTa model"
        ) from error
    missing, unexpected = model.base_model.load_state_dict(backbone.model.state_dict(), strict=False)
    wrong = [name for name in missing if not name.startswith(_NEW)] + list(unexpected)
    if wrong:
        raise SynsemError(
            f"encoder.model: {config.model_type} weights do not fit its classifier ({wrong[0]})"
        )
    if cosine is not None:
        with torch.no_grad():
            for parameter in _last_layer(model).parameters():
                parameter.zero_()
    return Matcher(model.float().eval(), backbone.tokenizer, max_tokens, cosine)


def _last_layer(model: Any) -> torch.nn.Linear:
    inner = set(model.base_model.modules())
    last = [
        module
        for module in model.modules()
        if isinstance(module, torch.nn.Linear) and module.out_features == 1 and module not in inner
    ]
    if len(last) != 1:
        raise SynsemError(
            f"encoder.model: the classifier of the {model.config.model_type} family has no single last layer "
            "to be set to zero, so it cannot start from a cosine; name a BERT or RoBERTa model"
        )
    return last[0]


def load(folder: Path) -> Matcher:
    """A saved matcher, in evaluation mode; SynsemError where the folder holds none."""
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    if not folder.is_dir():
        raise SynsemError(f"{folder}: holds no matcher; make one with `synsem finetune`")
    place, model, cosine = folder, None, None
    try:
        settings = read_json(folder / _SETTINGS) if (folder / _SETTINGS).exists() else None
        if settings is not None:
            place = folder / (_CLASSIFIER if settings["classifier"] else _COSINE)
        with quiet():
            tokenizer = AutoTokenizer.from_pretrained(
                str(place), trust_remote_code=False, local_files_only=True
            )
            if settings is None or settings["classifier"]:
                model = AutoModelForSequenceClassification.from_pretrained(
                    str(place), trust_remote_code=False, local_files_only=True
                )
        if settings is not None:
            cosine = _load_cosine(folder / _COSINE, settings, tokenizer.model_max_length)
    except Exception as error:  # damaged files raise errors of any type in the library
        raise SynsemError(
            f"{folder}: holds no matcher ({reason(error)}); make one with `synsem finetune`"
        ) from error
    if model is None:
        return Matcher(None, tokenizer, tokenizer.model_max_length, cosine)
    if model.config.num_labels != 1:
        raise SynsemError(f"{folder}: a matcher has one output, this model has {model.config.num_labels}")
    return Matcher(model.float().eval(), tokenizer, tokenizer.model_max_length, cosine)


def _load_cosine(folder: Path, settings: dict[str, Any], max_tokens: int) -> WeightedCosine:
    bi_encoder = BiEncoder(backbones.load(str(folder)), max_tokens)
    weights = Weights(np.array(settings["weights"], np.float32), float(settings["intercept"]))
    return WeightedCosine(bi_encoder, weights).eval()


def pretrained(folder: Path) -> ebsim.System | None:
    """The ``ebsim`` saved in a folder; None where it is no system's. SynsemError for another system."""
    config = saved_paths(folder)[1]
    if not config.exists() or "system" not in read_object(config):
        return None
    system = registry.load(folder)
    if not isinstance(system, ebsim.System):
        raise SynsemError(f"{folder}: {system.name} reads no pairs; name an ebsim model or a matcher")
    return system


def score(a: str, b: str, model: ebsim.System | Path) -> float:
    """How well two texts match: 0 to 1 by a matcher's folder, the sum of the aspects by ``ebsim``.

    Raises SynsemError for a text without a word.
    """
    for text in (a, b):
        if not text.strip():
            raise SynsemError(f"{text!r}: has no word to match; give two texts")
    if isinstance(model, ebsim.System):
        return float(model.late_scores([Side(a, (), ())], [Side(b, (), ())])[0])
    return float(load(model).scores([a], [b])[0])


def picture(a: str, b: str, system: ebsim.System | None, folder: Path, ascii_only: bool = False) -> Table:
    """Tokens of ``a`` (rows) by tokens of ``b`` (columns); a darker cell has more of the row's weight."""
    if system is None:
        raise SynsemError(f"--align: {folder} is a matcher; the alignment is that of an ebsim model")
    found = system.align_tokens(Side(a, (), ()), Side(b, (), ()))
    table, shades_of = Table(box=None), _ASCII_SHADES if ascii_only else _SHADES
    for heading in ("", *found.second):
        table.add_column(heading, justify="center")
    for token, weights in zip(found.first, found.weights, strict=True):
        shades = (shades_of[min(len(shades_of) - 1, int(len(shades_of) * weight))] * 2 for weight in weights)
        table.add_row(token, *shades)
    return table
