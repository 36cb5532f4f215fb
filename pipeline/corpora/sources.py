"""Sources by name: those of sources.yaml, with where their bytes are, and a user's own files and folders."""

import difflib
import functools
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pipeline.core.errors import OWN_FILES, SynsemError, demand_tracked
from pipeline.core.store import read_yaml
from pipeline.corpora.readers import READERS
from pipeline.corpora.readers.base import PACKED, SPLITS

SOURCES = Path(__file__).with_name("sources.yaml")
Use = Literal["corpus", "benchmark"]


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class File(_Entry):
    """One file of a source. Files with the same split and subset but other roles are read together."""

    path: str  # below the location's ``at``; for a wheel, its file name
    bytes: int | None = None
    sha256: str | None = None
    split: str = ""
    subset: str = ""
    role: str = ""
    member: str | None = None  # glob over the members of an archive; None takes every one


class Location(_Entry):
    """A place that has the whole source, in one form."""

    kind: Literal["https", "wheel", "hf", "file"]
    at: str  # address prefix, requirement (NAME==VERSION), OWNER/NAME@REVISION, or folder
    verified: bool  # every sha256 below was taken from real bytes
    reader: str
    options: dict[str, Any] = {}
    files: list[File] = Field(min_length=1)


class Source(_Entry):
    """A corpus or benchmark that params.yaml can name."""

    name: str
    title: str
    use: list[Use]
    lang: str  # ISO 639-1 where there is one; "mul" for several
    licence: str
    citation: str
    home: str | None = None
    note: str = ""
    tokenised: bool = False  # spaces before punctuation: documents are detokenised
    locations: list[Location] = Field(min_length=1)  # in order of preference

    @property
    def verified(self) -> bool:
        """Whether the bytes of at least one location are known by their sha256."""
        return any(location.verified for location in self.locations)


class _Known(_Entry):
    groups: dict[str, list[str]]
    sources: dict[str, Source]


@functools.cache
def _known() -> _Known:
    raw = read_yaml(SOURCES)
    named = {name: entry | {"name": name} for name, entry in raw["sources"].items()}
    try:
        return _Known.model_validate({"groups": raw["groups"], "sources": named})
    except ValidationError as error:
        raise SynsemError(f"{SOURCES}: {error.errors()[0]['loc']}: {error.errors()[0]['msg']}") from error


def all_sources() -> list[Source]:
    """Every source of sources.yaml, in its order."""
    return list(_known().sources.values())


def source_groups() -> dict[str, list[str]]:
    """Names that stand for several sources, such as ``paws-x``."""
    return dict(_known().groups)


def find_sources(name: str, key: str = "sources") -> list[Source]:
    """The source of that name, or the sources of that group; ``key`` is where the name was written.

    Raises SynsemError with the nearest known name where there is none.
    """
    known = _known()
    if name in known.groups:
        return [known.sources[member] for member in known.groups[name]]
    if name in known.sources:
        return [known.sources[name]]
    names = [*known.sources, *known.groups]
    begun = [each for each in names if name and each.startswith(name)]
    close = begun or difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    if Path(name).exists():
        raise SynsemError(
            f"{key}: {name!r} is a file or folder of yours; only what comes with synsem is shown"
        )
    hint = f"did you mean {close[0]}?" if close else "`synsem sources` lists them"
    raise SynsemError(f"{key}: no source is named {name!r} and no such file or folder exists; {hint}")


_STS = re.compile(r"(.*/|)STS\.(input|gs)\.(.+)\.txt")
_CHECK = "check download.sources and download.benchmarks"


def own_source(name: str, use: Use, language: str) -> list[Source]:
    """A user's own file or folder as a source, ``PATH`` or ``READER:PATH``; [] for a name of sources.yaml.

    Without a reader each file's suffix or first line tells how to read it. ``READER:NAME`` is a source of
    sources.yaml read in another way (``treebank:ud-english-ewt``). CoNLL-U keeps its trees in a corpus; in
    a benchmark or with the reader ``conllu`` it is text.

    The files of a folder are read in the order of their names, without hidden ones; those of folders that are
    linked there, too. With the reader ``aligned``, files that differ in their last suffix (train.en,
    train.de) belong together; with ``senteval_sts`` STS.input.X.txt and STS.gs.X.txt do, as the subset X, or
    SUBFOLDER/X. A benchmark's split follows from its file's name, else it is test. Raises SynsemError where
    there is no file, where a folder cannot be read, and under DVC for a file outside of data/own.
    """
    reader, _, rest = name.rpartition(":")
    if reader not in READERS:
        reader, rest = "auto", name
    if not rest.strip():
        raise SynsemError(f"{name!r} names no file; {_CHECK}")
    if rest in source_groups() or any(source.name == rest for source in all_sources()):
        return [] if reader == "auto" else [_read_by(reader, source) for source in find_sources(rest)]
    path = Path(rest).expanduser()
    if not path.exists():
        if reader == "auto" and not {"/", "."} & set(rest):
            return []
        raise _missing(name, rest, path)
    demand_tracked(path, OWN_FILES)
    folder = path if path.is_dir() else path.parent
    paths = list(_visible(path)) if path.is_dir() else [path]
    names = sorted(each.relative_to(folder).as_posix() for each in paths)
    files = [_file(each, reader, use) for each in names]
    files = [file for file in files if file.role or reader != "senteval_sts"]
    if not files:
        raise SynsemError(f"{rest}: holds no file to read; {_CHECK}")
    options = {"aligned": {"languages": True}, "auto": {"trees": use == "corpus"}}.get(reader, {})
    location = Location(
        kind="file", at=str(folder), verified=False, reader=reader, options=options, files=files
    )
    return [
        Source(
            name=Path(os.path.abspath(path)).name.partition(".")[0],  # noqa: PTH100 - a link keeps its name
            title=f"Your own {'folder' if path.is_dir() else 'file'}",
            use=[use],
            lang=language,
            licence="your own",
            citation="",
            locations=[location],
        )
    ]


def _missing(name: str, rest: str, path: Path) -> SynsemError:
    """What to say of ``rest``, the part of a name that is no file: the nearest file, or an unknown reader."""
    given, _, place = name.rpartition(":")
    if given and Path(place).expanduser().exists():
        return SynsemError(f"{name}: no reader is called {given!r}; `synsem sources` lists them")
    there = [each.name for each in path.parent.glob("[!.]*")]
    near = difflib.get_close_matches(path.name, there, n=1)
    hint = f"did you mean {path.parent / near[0]}?" if near else _CHECK
    return SynsemError(f"{rest}: no such file or folder; {hint}")


def find_treebank(name: str) -> Source:
    """The treebank of ``cssl.treebank``: UD's short name (``te_mtg``), the name of a source, or a path.

    Raises SynsemError where nothing has that name, or where it holds no trees.
    """
    short = [
        source
        for source in all_sources()
        if any(file.path.startswith(f"{name}-ud-") for file in source.locations[0].files)
    ]
    full = short[0].name if short else name
    if not Path(full).exists() and all(source.name != full for source in all_sources()):
        raise SynsemError(
            f"cssl.treebank: {name!r} is no treebank and no file; `synsem sources` lists treebanks (ud-...)"
        )
    found = own_source(f"treebank:{full}", "benchmark", "und")  # file names give the splits
    location = found[0].locations[0]
    if "head" in location.options:
        return found[0]
    # A clone of a treebank has a README and a licence beside its trees.
    files = [file for file in location.files if ".conllu" in file.path]
    if not files:
        raise SynsemError(f"cssl.treebank: {name!r} holds no trees; name a treebank or CoNLL-U files")
    only = location.model_copy(update={"files": files})
    return found[0].model_copy(update={"locations": [only, *found[0].locations[1:]]})


def _read_by(reader: str, source: Source) -> Source:
    locations = [location.model_copy(update={"reader": reader}) for location in source.locations]
    return source.model_copy(update={"locations": locations})


def _file(name: str, reader: str, use: Use) -> File:
    split = _split(name) if use == "benchmark" else ""
    plain = name
    for suffix in PACKED:
        plain = plain.removesuffix(suffix)
    if reader == "senteval_sts" and (sts := _STS.fullmatch(plain)):
        role = {"input": "pairs", "gs": "gold"}[sts[2]]
        # Folders of several years have files of one name.
        return File(path=name, split=split, subset=sts[1] + sts[3], role=role)
    if reader == "aligned":
        stem, _, role = plain.rpartition(".")
        return File(path=name, split=split, subset=stem, role=role)
    return File(path=name, split=split)


def _split(name: str) -> str:
    found = {SPLITS.get(part) for part in re.split(r"[^a-z]+", name.lower())}
    return next((split for split in ("train", "dev") if split in found), "test")


def _visible(folder: Path, above: tuple[Path, ...] = ()) -> Iterator[Path]:
    """The files below a folder, and below those that links name, but for links back to one ``above``."""
    above = (*above, folder.resolve())
    try:
        inside = list(folder.iterdir())
    except OSError as error:
        raise SynsemError(
            f"{folder}: cannot be read ({error.strerror}); change its permissions or take it out"
        ) from error
    for path in inside:
        if path.name.startswith("."):
            continue
        if path.is_dir():
            if path.resolve() not in above:
                yield from _visible(path, above)
        elif path.is_file() and path.suffix != ".dvc":  # left by `dvc add`
            yield path
