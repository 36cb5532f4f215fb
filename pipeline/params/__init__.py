"""Read params.yaml into frozen pydantic models, one for each section; errors name the wrong key.

A stage asks for the sections that dvc.yaml declares for it. Keys of earlier versions are in ``RENAMED`` and
``REMOVED``, so that an old file is told what to change.
"""

import difflib
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_args

import yaml
from pydantic import BaseModel, Field, ValidationError

from pipeline.core.errors import SynsemError
from pipeline.params.mining import Mine, NeighbourNegatives, PairPositives
from pipeline.params.names import complaints
from pipeline.params.section import RepeatedKey, Section, Seed, Unique, read_yaml
from pipeline.params.stages import Augment, Download, Encoder, Evaluate, Parse, Report, Sketch, Train
from pipeline.params.systems import BiLstm, Cssl, Ebsim, Parabart, Simcse, Sscp, Synsem, Upos

__all__ = [
    "DEFAULTS",
    "Augment",
    "BiLstm",
    "Cssl",
    "Download",
    "Ebsim",
    "Encoder",
    "Evaluate",
    "Mine",
    "NeighbourNegatives",
    "PairPositives",
    "Parabart",
    "Params",
    "Parse",
    "Report",
    "Simcse",
    "Sketch",
    "Sscp",
    "Synsem",
    "Train",
    "Upos",
    "load",
    "load_all",
    "or_defaults",
    "parse",
    "read",
    "read_yaml",
]


# The parameters that came with the code: those of the repository, or beside the library in a wheel.
DEFAULTS = Path(__file__).parents[2] / "params.yaml"
_HERE = Path("params.yaml")

# Keys of earlier versions and their new names.
RENAMED = {
    "cssl.head_rate": "cssl.head_lr_scale",
    "cssl.pieces": "cssl.subwords",
    "ebsim.head_rate": "ebsim.head_lr_scale",
    "mine.overlap.max_agreement": "mine.overlap.max_structural_similarity",
    "mine.parabart.joined": "mine.parabart.split_sources",
    "parabart.bridge": "parabart.vector_every_step",
    "parabart.confuse": "parabart.domain_confusion",
    "parabart.discriminator_rate": "parabart.discriminator_lr_scale",
    "parabart.leaf_bridge": "parabart.leaf_every_step",
    "parabart.pieces": "parabart.decoder_subwords",
    "parabart.rate": "parabart.decoder_lr_scale",
    "parabart.warm_up": "parabart.freeze_encoder",
    "sscp.guard": "sscp.distillation",
    "sscp.late_rate": "sscp.late_lr_scale",
    "sscp.position_rate": "sscp.position_lr_scale",
    "sscp.table_rate": "sscp.bias_lr_scale",
    "upos.own": "upos.own_tags",
    "upos.rate": "upos.lr_scale",
}
# Keys of earlier versions whose option is gone, because no measurement supported it.
REMOVED = {
    "augment.neural",
    "augment.reparse",
    "mine.hardness",
    "mine.neighbours.margin_kind",
    "mine.neighbours.sampling",
    "mine.pairs.min_score",
    "report.maps",
    "report.umap_neighbours",
    "sscp.false_negatives",
    "sscp.learn_tau",
    "sscp.pooling",
    "sscp.shared_layers",
    "train.curriculum",
}


class Params(Section):
    """All of params.yaml."""

    systems: Unique[str] = Field(min_length=1)
    seeds: Unique[Seed] = Field(min_length=1)
    download: Download
    encoder: Encoder
    train: Train
    mine: Mine
    parse: Parse
    augment: Augment
    evaluate: Evaluate
    report: Report
    synsem: Synsem
    sscp: Sscp
    simcse: Simcse
    parabart: Parabart
    cssl: Cssl
    ebsim: Ebsim
    upos: Upos


def load(path: Path, *sections: str) -> Any:
    """Read params.yaml, check all of it, and return only the named sections.

    A stage names the sections that dvc.yaml declares for it, so it cannot read what DVC does not track.
    Returns a namespace with one attribute for each section. Raises SynsemError, which names the wrong key.
    """
    params = load_all(path)
    if unknown := [name for name in sections if name not in Params.model_fields]:
        raise SynsemError(f"{path}: has no section {unknown[0]!r}; known: {', '.join(Params.model_fields)}")
    return SimpleNamespace(**{name: getattr(params, name) for name in sections})


def load_all(path: Path) -> Params:
    """Read and check all of params.yaml, for a stage that has the file itself among its deps."""
    return parse(read(path), str(path))


def read(path: Path) -> Any:
    """What a parameter file holds, not yet checked. Raises SynsemError where it is no readable YAML."""
    try:
        return read_yaml(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SynsemError(
            f"{path}: cannot be read ({error.strerror}); run in the project's folder or pass --params"
        ) from error
    except RepeatedKey as error:
        raise SynsemError(f"{path}: {error}") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # ValueError: not UTF-8, or no such date
        raise SynsemError(f"{path}: not valid YAML ({' '.join(str(error).split())})") from error


def or_defaults(path: Path) -> Path:
    """The file, or ``DEFAULTS`` in place of a params.yaml that the current folder lacks.

    For what needs no project, such as the tree of a typed text. Stages read the file that DVC tracks.
    """
    return DEFAULTS if path == _HERE and not path.exists() else path


def parse(raw: Any, origin: str = "params.yaml") -> Params:
    """Check a mapping read from params.yaml. SynsemError has one clause for each wrong key or name."""
    if raw is None:
        raise SynsemError(f"{origin}: is empty; take the one that came with the code and change that")
    if not isinstance(raw, dict):
        raise SynsemError(f"{origin}: must be a mapping of sections, such as 'train:'")
    try:
        params = Params.model_validate(raw)
    except ValidationError as failure:
        errors = {_dotted(error["loc"]): error for error in failure.errors()}
        # A key under its old name is missing under the new one; that is one error, not two.
        renamed = {RENAMED.get(key) for key in errors}
        wrong = [
            _complaint(key, error["type"], error["msg"])
            for key, error in errors.items()
            if key not in renamed
        ]
        raise SynsemError(f"{origin}: {'; '.join(wrong)}") from failure
    if unknown := list(complaints(params.systems, params.download, params.augment, params.evaluate)):
        raise SynsemError(f"{origin}: {'; '.join(unknown)}")
    return params


def _dotted(location: tuple[int | str, ...]) -> str:
    return ".".join(str(part) for part in location)


def _complaint(key: str, kind: str, message: str) -> str:
    if kind == "extra_forbidden":
        if key in RENAMED:
            return f"{key}: renamed to {RENAMED[key]}"
        if key in REMOVED:
            return f"{key}: is no option any more; remove it"
        close = _nearest(key)
        return f"{key}: unknown; " + (f"did you mean {close}?" if close else "remove it")
    if kind == "missing":
        return f"{key}: missing; add it"
    if kind == "model_type":
        return f"{key}: must be a mapping of keys; take the one that came with the code and change that"
    if kind == "too_short":
        return f"{key}: has no entry; give one or more"
    return f"{key}: {message[0].lower()}{message[1:]}"


def _nearest(key: str) -> str | None:
    """The known key that an unknown one may mean: a similar one beside it, or the same name elsewhere."""
    section, _, name = key.rpartition(".")
    split = [known.rpartition(".") for known in _keys(Params)]
    beside = {leaf: f"{place}{dot}{leaf}" for place, dot, leaf in split if place == section}
    elsewhere = {leaf: f"{place}{dot}{leaf}" for place, dot, leaf in split}
    close = difflib.get_close_matches(name, beside, n=1, cutoff=0.6)
    return beside[close[0]] if close else elsewhere.get(name)


def _keys(model: type[BaseModel], prefix: str = "") -> list[str]:
    keys = []
    for name, field in model.model_fields.items():
        keys.append(prefix + name)
        for kind in (field.annotation, *get_args(field.annotation)):  # of ``Sketch | None`` each
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                keys += _keys(kind, f"{prefix}{name}.")
    return keys
