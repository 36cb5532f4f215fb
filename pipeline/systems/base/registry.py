"""Systems by name: create, save and load them. Each package here with a ``model.py`` is a system."""

import importlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pipeline.core.errors import OWN_MODELS, SynsemError, demand_tracked, unknown
from pipeline.core.params import DEFAULTS, Params, load_all
from pipeline.core.params import Encoder as EncoderParams
from pipeline.core.params import System as SystemParams
from pipeline.core.params import Train as TrainParams
from pipeline.core.store import read_json, write_json
from pipeline.nn import backbone as backbones
from pipeline.nn.backbone import Backbone
from pipeline.nn.compute import best_device
from pipeline.nn.encoder import Encoder, embed
from pipeline.nn.late_interaction import PairReadings, read_pairs, tree_reader
from pipeline.nn.structure import WEIGHT, concatenated, sketch
from pipeline.nn.tokenizer import SentenceTokenizer
from pipeline.syntax.sentence import Sentence
from pipeline.systems.base import HEADS, Settings, System, Views, check_length, saved_paths, weights_of

Kind = TypeVar("Kind", bound=System)


def check_name(system: str) -> None:
    """Raise SynsemError, suggesting the closest name, if there is no such system."""
    known = [path.parent.name for path in Path(__file__).parents[1].glob("*/model.py")]
    if system not in known:
        raise unknown("systems", system, known)


def create(system: str, encoder: EncoderParams, train: TrainParams, params: SystemParams) -> System:
    """Build a system from the backbone's weights; SynsemError for an unknown name or an unfit backbone."""
    return _build(system, backbones.load(encoder.model), Settings(encoder, train, params))


def save(system: System, folder: Path) -> None:
    """Write ``model.safetensors``, ``config.json`` and ``tokenizer/``."""
    from safetensors.torch import save_file

    weights, config, tokenizer = saved_paths(folder)
    folder.mkdir(parents=True, exist_ok=True)
    save_file({name: value.contiguous() for name, value in system.state_dict().items()}, weights)
    # A fast tokenizer's file holds the cut and the padding of its last call, whatever that was for.
    system.tokenizer.tokenize(["."], places=False)
    system.tokenizer.hf_tokenizer.save_pretrained(str(tokenizer))
    settings = system.settings
    backbone = system.backbone_config()
    if backbone is not None:  # a local path would make the bytes differ between machines
        backbone |= {"_name_or_path": settings.encoder.model}
    write_json(
        config,
        {
            "system": system.name,
            "encoder": settings.encoder.model_dump(),
            "train": settings.train.model_dump(),
            "params": settings.system.model_dump(),
            "backbone": backbone,
        },
    )


def load(folder: Path) -> System:
    """Load a saved system in evaluation mode; a folder with ``HEADS`` needs the backbone as well.

    Raises SynsemError if the folder holds no model of this library, if a file is missing, damaged or of
    another version, or if the package of a backbone that it needs is not installed or was changed.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    _, path, tokenizer = saved_paths(folder)
    weights = weights_of(folder)
    config = read_json(path) if path.is_file() else None
    if not isinstance(config, dict) or "system" not in config:
        others = (folder.parent, *sorted(folder.glob("*/")))
        near = next((str(other) for other in others if saved_paths(other)[0].is_file()), None)
        instead = near or "a trained model's folder, or `pretrained`, or train one by `dvc repro`"
        raise SynsemError(f"{folder}: no model found here; name {instead}")
    try:
        settings, alone = read_settings(config), weights.name != HEADS
        kept = config["backbone"]
        backbone = backbones.restore(kept, tokenizer) if alone else backbones.load(settings.encoder.model)
        system = _build(config["system"], backbone, settings)
        (system if alone else system.get_submodule("heads")).load_state_dict(load_file(weights))
    except (FileNotFoundError, SafetensorError) as error:
        raise SynsemError(f"{weights}: missing, damaged or cut short ({error}); train it again") from error
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        reason = " ".join(str(error).split("\n")[:2])
        raise SynsemError(f"{folder}: was saved by another version ({reason}); train it again") from error
    return system.eval()


def read_settings(config: Mapping[str, Any]) -> Settings:
    """Return the settings in a saved system's ``config.json``; KeyError or ValueError if they do not fit.

    An unknown key is ignored, and one that the model lacks has its default: a model stays readable when
    parameters of its training come and go.
    """
    sections = {"encoder": config["encoder"], "train": config["train"], config["system"]: config["params"]}
    return Settings(*(_section(name, saved) for name, saved in sections.items()))


def _section(name: str, saved: Mapping[str, Any]) -> Any:
    kind: Any = Params.model_fields[name].annotation
    required = {key for key, field in kind.model_fields.items() if field.is_required()}
    if missing := required - saved.keys():
        saved = load_all(DEFAULTS).model_dump(include={name: missing})[name] | saved
    return kind.model_validate(saved, extra="ignore", strict=False)


def trained(kind: type[Kind], folder: Path, key: str) -> Kind:
    """Load the system of one kind that the parameter ``key`` names, to go on from.

    Raises SynsemError as ``load`` does, if the system is of another kind, or if DVC runs this process and
    would not see a change of the folder.
    """
    demand_tracked(folder, OWN_MODELS)
    found = load(folder)
    if not isinstance(found, kind):
        raise SynsemError(f"{key}: {folder} is a model of {found.name}; name one of {kind.name}")
    return found


def _build(name: str, backbone: Backbone, settings: Settings) -> System:
    check_name(name)
    check_length(backbone, settings.encoder.max_tokens)
    kind: type[System] = importlib.import_module(f"pipeline.systems.{name}.model").System
    return kind(backbone, settings)


class Baseline:
    """The untrained backbone, alone and with what a parser knows without training.

    Views: ``semantic``, and ``sketch``: the same vector with the sketch of the tree next to it
    (``pipeline/nn/structure.py``). Pairs are also scored by late interaction over the trees.
    """

    def __init__(self, params: EncoderParams) -> None:
        backbone = backbones.load(params.model)
        check_length(backbone, params.max_tokens)
        self.encoder = Encoder(backbone.model, params.pooling).to(best_device())
        self.tokenizer = SentenceTokenizer(backbone.tokenizer, params.max_tokens)

    def embed(self, sentences: Sequence[Sentence]) -> Views:
        """See ``base.Embedder``."""
        return _with_sketch(embed({"semantic": self.encoder}, self.tokenizer, sentences), sentences)

    def read_pairs(self, a: Sequence[Sentence], b: Sequence[Sentence]) -> PairReadings:
        """See ``base.Embedder``."""
        found = read_pairs(tree_reader(self.encoder, self.tokenizer), a, b)
        return found._replace(vectors=_with_sketch(found.vectors, found.sentences))


def _with_sketch(views: Views, sentences: Sequence[Sentence]) -> Views:
    if not views:  # of no pair
        return views
    return views | {"sketch": concatenated(views["semantic"], WEIGHT * sketch(sentences))}
