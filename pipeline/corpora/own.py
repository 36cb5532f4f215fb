"""A user's own file or folder as a source: ``PATH`` or ``READER:PATH``, one line in params.yaml."""

import re
from pathlib import Path

from pipeline.corpora import registry
from pipeline.corpora.readers import NAMES
from pipeline.corpora.registry import File, Location, Source, Use
from pipeline.errors import SynsemError

_STS = re.compile(r"STS\.(input|gs)\.(.+)\.txt")
_PACKED = (".gz", ".bz2", ".xz", ".zst")


def own_source(name: str, use: Use, language: str) -> list[Source]:
    """The source that ``name`` describes: [] where it is a registered name, or no path at all.

    ``READER:NAME`` is a registered source read in another way (``treebank:ud-english-ewt``); ``READER:PATH``
    says how to read your own; without, each file's suffix or first line tells. The files of a
    folder are taken in the order of their names, hidden ones left out; for the reader ``aligned`` files that
    differ in their last suffix (train.en, train.de) belong together, for ``senteval_sts`` STS.input.X.txt and
    STS.gs.X.txt do. A benchmark's split is told by its file's name, else it is test. Raises SynsemError where
    the path has no file.
    """
    reader, _, rest = name.rpartition(":")
    if reader not in NAMES:
        reader, rest = "auto", name
    if rest in registry.groups() or any(source.name == rest for source in registry.sources()):
        return [] if reader == "auto" else [_read_by(reader, source) for source in registry.find(rest)]
    path = Path(rest).expanduser()
    if not path.exists():
        if reader == "auto" and not {"/", "."} & set(rest):
            return []
        raise SynsemError(f"{rest}: no such file or folder; check download.sources and download.benchmarks")
    folder = path if path.is_dir() else path.parent
    names = (
        sorted(file.relative_to(folder).as_posix() for file in _visible(path))
        if path.is_dir()
        else [path.name]
    )
    files = [_file(each, reader, use) for each in names]
    files = [file for file in files if file.role or reader != "senteval_sts"]
    if not files:
        raise SynsemError(f"{rest}: holds no file to read; check download.sources and download.benchmarks")
    options = {"languages": True} if reader == "aligned" else {}
    location = Location(
        kind="file", at=str(folder), verified=False, reader=reader, options=options, files=files
    )
    return [
        Source(
            name=path.resolve().name.partition(".")[0],
            title=f"Your own {'folder' if path.is_dir() else 'file'}",
            use=[use],
            lang=language,
            licence="your own",
            citation="",
            locations=[location],
        )
    ]


def _read_by(reader: str, source: Source) -> Source:
    locations = [location.model_copy(update={"reader": reader}) for location in source.locations]
    return source.model_copy(update={"locations": locations})


def _file(name: str, reader: str, use: Use) -> File:
    split = _split(name) if use == "benchmark" else ""
    base = name.rpartition("/")[2]
    if reader == "senteval_sts" and (sts := _STS.fullmatch(base)):
        return File(path=name, split=split, subset=sts[2], role={"input": "pairs", "gs": "gold"}[sts[1]])
    if reader == "aligned":
        plain = name
        for suffix in _PACKED:
            plain = plain.removesuffix(suffix)
        stem, _, role = plain.rpartition(".")
        return File(path=name, split=split, subset=stem, role=role)
    return File(path=name, split=split)


def _split(name: str) -> str:
    parts = set(re.split(r"[^a-z]+", name.lower()))
    if parts & {"train", "training"}:
        return "train"
    return "dev" if parts & {"dev", "val", "valid", "validation", "trial"} else "test"


def _visible(folder: Path) -> list[Path]:
    return [
        path
        for path in folder.rglob("*")
        if path.is_file() and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    ]
