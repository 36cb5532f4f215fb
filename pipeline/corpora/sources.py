"""Sources by name: those of sources.yaml, with where their bytes are, and a user's own files and folders."""

import difflib
import functools
import os
import re
import unicodedata
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from pipeline.core.errors import OWN_FILES, SynsemError, demand_tracked
from pipeline.core.store import read_yaml
from pipeline.corpora.files import SPLITS, plain
from pipeline.corpora.readers import READERS

Use = Literal["corpus", "benchmark"]
_CHECK = "check download.sources and download.benchmarks"


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class File(_Entry):
    """One file of a source. Files with the same split and subset but other roles are read together."""

    path: str  # below the location's ``at``; for a wheel, its file name
    sha256: str | None = None
    split: str = ""
    subset: str = ""
    role: str = ""
    member: str | None = None  # glob over the members of an archive; None takes every one


class Location(_Entry):
    """A place that has the whole source, in one form."""

    kind: Literal["https", "wheel", "file"]
    at: str  # address prefix, requirement (NAME==VERSION), or folder
    verified: bool  # every sha256 below was taken from real bytes
    reader: str
    options: dict[str, Any] = {}
    files: list[File] = Field(min_length=1)

    def address(self, file: File) -> str:
        """Return the file's name in messages and reports: its URL, wheel or path."""
        if self.kind == "wheel":
            return file.path
        return f"{self.at.rstrip('/')}/{file.path}" if file.path else self.at


class Source(_Entry):
    """A corpus or benchmark that params.yaml can name."""

    name: str
    title: str
    use: list[Use]
    lang: str  # ISO 639-1 if there is one; "mul" for several
    licence: str
    citation: str
    home: str | None = None
    note: str = ""
    tokenised: bool = False  # spaces before punctuation: documents are detokenised
    locations: list[Location] = Field(min_length=1)  # in order of preference


@functools.cache
def _known() -> dict[str, list[Source]]:
    """Return each source of sources.yaml by its name, and the sources of each group by the group's."""
    raw = read_yaml(Path(__file__).with_name("sources.yaml"))
    found = {name: [Source(name=name, **entry)] for name, entry in raw["sources"].items()}
    return found | {group: [found[name][0] for name in names] for group, names in raw["groups"].items()}


def all_sources() -> dict[str, Source]:
    """Return every source of sources.yaml by name."""
    return {source.name: source for found in _known().values() for source in found}


def find_sources(name: str, key: str = "sources") -> list[Source]:
    """Return the source of that name, or those of that group; ``key`` is the parameter that names it.

    Raises SynsemError with the nearest known name if there is none.
    """
    if name in _known():
        return _known()[name]
    close = difflib.get_close_matches(name, _known(), n=1)
    hint = f"did you mean {close[0]}?" if close else "pipeline/corpora/sources.yaml lists them"
    raise SynsemError(f"{key}: no source is named {name!r} and no such file or folder exists; {hint}")


_STS = re.compile(r"(.*/|)STS\.(input|gs)\.(.+)\.txt")


def own_source(name: str, use: Use, language: str) -> list[Source]:
    """Return a user's own file or folder, ``PATH`` or ``READER:PATH``; [] for a name of sources.yaml.

    Without a reader each file's suffix or first line tells how to read it. ``READER:NAME`` is a source of
    sources.yaml read in another way (``treebank:ud-english-ewt``). CoNLL-U keeps its trees in a corpus; in
    a benchmark or with the reader ``conllu`` it is text.

    The files of a folder are read in the order of their names, without hidden ones. With the reader
    ``aligned``, files that differ in their last suffix (train.en, train.de) belong together; with
    ``senteval_sts`` STS.input.X.txt and STS.gs.X.txt do, as the subset X, or SUBFOLDER/X. A benchmark's split
    follows from its file's name, otherwise it is test. Raises SynsemError if there is no file, and under DVC
    for a file outside of data/own.
    """
    reader, _, rest = name.rpartition(":")
    if reader not in READERS:
        reader, rest = "auto", name
    if rest in _known():
        if reader == "auto":
            return []
        update = {"reader": reader}
        return [
            each.model_copy(update={"locations": [at.model_copy(update=update) for at in each.locations]})
            for each in _known()[rest]
        ]
    path = Path(rest).expanduser()
    if not rest.strip() or not path.exists():
        if reader == "auto" and rest.strip() and not {"/", "."} & set(rest):
            return []
        _require_target(path)
        names = [each.name for each in path.parent.glob("[!.]*")]
        near = difflib.get_close_matches(path.name, names, n=1)
        hint = f"did you mean {path.parent / near[0]}?" if near else _CHECK
        if unicodedata.normalize("NFC", path.name) in [unicodedata.normalize("NFC", each) for each in names]:
            hint = "its name there has accents in another form of Unicode (NFC or NFD); copy it from `ls`"
        raise SynsemError(f"{rest!r}: no such file or folder; {hint}")
    demand_tracked(path, OWN_FILES)
    folder, names = path.parent, [path.name]
    if path.is_dir():
        for each in path.rglob("[!.]*"):
            _require_target(each)
        folder, names = path, [p.relative_to(path).as_posix() for p in path.rglob("*") if p.is_file()]
        hidden = re.compile(r"(.*/)?\.|.*\.dvc$")  # ``dvc add`` puts the latter next to a file
        names = sorted(name for name in names if not hidden.match(name))
    files = [_file(each, reader, use) for each in names]
    files = [file for file in files if file.role or reader != "senteval_sts"]
    if not files:
        raise SynsemError(f"{rest}: holds no file to read; {_CHECK}")
    trees = {"trees": use == "corpus"}
    options = {"aligned": {"languages": True}, "auto": trees, "treebank": trees}.get(reader, {})
    location = Location(
        kind="file", at=str(folder), verified=False, reader=reader, options=options, files=files
    )
    name = Path(os.path.abspath(path)).name.partition(".")[0]  # noqa: PTH100 - a link keeps its name
    title, licence = f"Your own {'folder' if path.is_dir() else 'file'}", "your own"
    own = Source(
        name=name, title=title, use=[use], lang=language, licence=licence, citation="", locations=[location]
    )
    return [own]


def _require_target(path: Path) -> None:
    """Raise SynsemError for a link to what is not there."""
    if path.is_symlink() and not path.exists():
        raise SynsemError(f"{path}: a link to {path.readlink()}, which does not exist; fix or delete it")


def find_treebank(name: str) -> Source:
    """Return the treebank of ``cssl.treebank``: UD's short name (``te_mtg``), a source's name, or a path.

    Raises SynsemError if nothing has that name, or if it holds no trees.
    """
    known = all_sources()
    short = (each for each in known.values() if each.locations[0].files[0].path.startswith(f"{name}-ud-"))
    full = next((each.name for each in short), name)
    if not Path(full).exists() and full not in known:
        raise SynsemError(
            f"cssl.treebank: {name!r} is neither a treebank nor a file; "
            "treebanks of sources.yaml begin with ud-"
        )
    (found, *_) = own_source(f"treebank:{full}", "benchmark", "und")  # file names give the splits
    first, *others = found.locations
    if "head" in first.options:
        return found
    # A clone of a treebank has a README and a licence next to its trees.
    files = [file for file in first.files if ".conllu" in file.path]
    if not files:
        raise SynsemError(f"cssl.treebank: {name!r} holds no trees; name a treebank or CoNLL-U files")
    return found.model_copy(update={"locations": [first.model_copy(update={"files": files}), *others]})


def _file(name: str, reader: str, use: Use) -> File:
    words = {SPLITS.get(part) for part in re.split(r"[^a-z]+", name.lower())} if use == "benchmark" else {""}
    split = next((split for split in ("", "train", "dev") if split in words), "test")
    subset = role = ""
    if reader == "aligned":
        subset, _, role = plain(name).rpartition(".")
    elif reader == "senteval_sts" and (sts := _STS.fullmatch(plain(name))):
        # Folders of several years have files of one name.
        subset, role = sts[1] + sts[3], {"input": "pairs", "gs": "gold"}[sts[2]]
    return File(path=name, split=split, subset=subset, role=role)
