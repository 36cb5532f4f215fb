"""dvc.yaml cannot lie: what a stage can import and which parameters it reads is what it declares."""

import ast
import functools
import itertools
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parent.parent
PARAMS = yaml.safe_load((ROOT / "params.yaml").read_text())
# Every system that can be chosen, not those of params.yaml alone: one list of deps serves them all.
SYSTEMS = sorted(path.parent.name for path in (ROOT / "pipeline" / "systems").glob("*/model.py"))
STAGES = yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"]


def expand(name: str, stage: dict[str, Any]) -> list[tuple[str, dict[str, Any], dict[str, str]]]:
    """A stage's matrix as plain stages with the item that each stands for."""
    references = {"evaluate.references": ["backbone", "pretrained"]}
    known = PARAMS | references | {"systems": SYSTEMS, "finetune.tasks": ["stsb"], "finetune.shares": [20]}
    axes = {
        axis: known[values.strip("${}")] if isinstance(values, str) else values
        for axis, values in stage.get("matrix", {}).items()
    }
    expanded = []
    for values in itertools.product(*axes.values()):
        item = dict(zip(axes, map(str, values), strict=True))
        text = yaml.safe_dump({key: value for key, value in stage.items() if key != "matrix"})
        for axis, value in item.items():
            text = text.replace(f"${{item.{axis}}}", value)
        expanded.append(("@".join([name, *item.values()]), yaml.safe_load(text), item))
    return expanded


EXPANDED = [each for name, stage in STAGES.items() for each in expand(name, stage)]
IDS = [name for name, _, _ in EXPANDED]


def module_file(dotted: str) -> Path | None:
    path = ROOT.joinpath(*dotted.split("."))
    if path.is_dir():
        return path / "__init__.py" if (path / "__init__.py").exists() else None
    return path.with_suffix(".py") if path.with_suffix(".py").exists() else None


@functools.cache
def tree(path: Path) -> ast.Module:
    """A file is parsed once: every stage of every system reaches much the same files."""
    return ast.parse(path.read_text())


@functools.cache
def named(path: Path) -> tuple[frozenset[str], frozenset[tuple[str, str]]]:
    """The modules that one file names, and what stands before and after a name that is put in."""
    names: set[str] = set()
    around: set[tuple[str, str]] = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant):
            prefix, last = str(node.values[0].value), node.values[-1]
            suffix = str(last.value) if isinstance(last, ast.Constant) else ""
            if prefix.startswith("pipeline.") and prefix.endswith("."):
                around.add((prefix, suffix))
    return frozenset(names), frozenset(around)


@functools.cache
def files_of(name: str) -> frozenset[Path]:
    """The project's files that an import of a module or of a name in it runs."""
    if name.split(".")[0] not in ("pipeline", "stages", "synsem"):
        return frozenset()
    parts = name.split(".")
    found = (module_file(".".join(parts[:end])) for end in range(1, len(parts) + 1))
    return frozenset(path for path in found if path is not None)


def imported(path: Path, item: dict[str, str]) -> set[Path]:
    """The project's files that one file imports anywhere in it, by statement or by name."""
    names, around = named(path)
    put_in = {prefix + value + suffix for prefix, suffix in around for value in item.values()}
    return set().union(*map(files_of, names | put_in))


def closure(start: Path, item: dict[str, str]) -> set[Path]:
    reached, frontier = {start}, [start]
    while frontier:
        for path in imported(frontier.pop(), item) - reached:
            reached.add(path)
            frontier.append(path)
    return reached


def has_code(path: Path) -> bool:
    """Whether a file is more than the docstring of a package."""
    return path.name != "__init__.py" or len(tree(path).body) > 1


def data_of(path: Path) -> set[Path]:
    """The files next to a module that it names, such as the table that it reads."""
    named = {node.value for node in ast.walk(tree(path)) if isinstance(node, ast.Constant)}
    return {
        path.with_name(name)
        for name in named & {each.name for each in path.parent.iterdir() if each.is_file()}
    } - {path}


def stage_file(stage: dict[str, Any]) -> Path:
    return ROOT / (stage["cmd"].split()[2].replace(".", "/") + ".py")


@pytest.mark.parametrize(("name", "stage", "item"), EXPANDED, ids=IDS)
def test_every_reachable_file_is_among_the_deps(
    name: str, stage: dict[str, Any], item: dict[str, str]
) -> None:
    deps = [ROOT / dep for dep in stage["deps"]]
    # A dynamically chosen command (the console script) is not what dvc runs.
    reachable = {path for path in closure(stage_file(stage), item) if has_code(path)}
    reachable |= set().union(*map(data_of, reachable))
    missing = {
        path.relative_to(ROOT).as_posix()
        for path in reachable
        if not any(path == dep or dep in path.parents for dep in deps)
    }
    assert missing == set()


@pytest.mark.parametrize(("name", "stage", "item"), EXPANDED, ids=IDS)
def test_every_code_dep_is_reachable(name: str, stage: dict[str, Any], item: dict[str, str]) -> None:
    # One list of deps serves every item of a matrix, so a file counts that any of them reaches.
    others = [each for other, _, each in EXPANDED if other.split("@")[0] == name.split("@")[0]]
    reachable = set().union(*(closure(stage_file(stage), each) for each in [item, *others]))
    for dep in stage["deps"]:
        if dep.startswith(("pipeline", "stages")) and not dep.endswith((".tsv", ".yaml", ".md")):
            path = ROOT / dep
            assert path in reachable or any(path in other.parents for other in reachable), (
                f"{dep} is not used"
            )


OF_ONE_SYSTEM = [each for each in EXPANDED if "system" in each[2]]


@pytest.mark.parametrize(("name", "stage", "item"), OF_ONE_SYSTEM, ids=[name for name, _, _ in OF_ONE_SYSTEM])
def test_a_stage_of_one_system_is_free_of_the_others(
    name: str, stage: dict[str, Any], item: dict[str, str]
) -> None:
    """A change inside one system makes no other system run again."""
    folder = ROOT / "pipeline" / "systems"
    others = {folder / other for other in SYSTEMS if other != item["system"]}
    paths = {ROOT / dep for dep in stage["deps"]} | closure(stage_file(stage), item)
    assert not {path for path in paths if others & {path, *path.parents}}


def test_mine_pretrain_and_evaluate_are_of_one_system() -> None:
    found = {(name.split("@")[0], item["system"]) for name, _, item in OF_ONE_SYSTEM}
    assert found == set(itertools.product(("mine", "pretrain", "evaluate"), SYSTEMS))
    assert len(SYSTEMS) > 5


@pytest.mark.parametrize(("name", "stage", "item"), EXPANDED, ids=IDS)
def test_the_params_read_are_those_declared(name: str, stage: dict[str, Any], item: dict[str, str]) -> None:
    read: set[str] = set()
    for node in ast.walk(tree(stage_file(stage))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "load":
            for argument in node.args[1:]:
                read.add(argument.value if isinstance(argument, ast.Constant) else item["system"])
    declared = set(stage.get("params", []))
    if "params.yaml" in stage["deps"]:  # the report shows every parameter
        assert declared == set()
    else:
        assert read == declared


def test_the_report_depends_on_every_stage_whose_counts_it_shows() -> None:
    from pipeline.report.data import STAGES as COUNTED

    shown = {f"data/{name}" for name in COUNTED}
    assert shown <= set(STAGES["report"]["deps"])


def test_every_stage_is_described_and_cached() -> None:
    for name, stage in STAGES.items():
        assert stage.get("desc"), f"{name} has no desc"
        assert not stage.get("always_changed")
        for out in itertools.chain(stage.get("outs", []), stage.get("metrics", [])):
            assert not (isinstance(out, dict) and next(iter(out.values())).get("persist"))


# A part imports from the layers below it alone; ``core``, ``params`` and ``syntax`` are layer 0.
LAYERS = {
    "synsem": 9,
    "stages": 8,
    "pretrained": 7,
    "report": 6,  # reads what evaluation left, with evaluation's own statistics
    "export": 6,
    "training": 5,
    "evaluation": 5,
    "systems": 4,
    "nn": 3,
    "mining": 2,
    "augment": 1,
    "corpora": 1,
    "parsing": 1,
}


def layer(path: Path) -> int:
    parts = path.relative_to(ROOT).parts
    return LAYERS.get(parts[0] if parts[0] in ("stages", "synsem") else parts[1], 0)


def part(path: Path) -> tuple[str, ...]:
    """The part of the library that a file belongs to; each system is one."""
    parts = path.relative_to(ROOT).parts
    parts = parts[1:] if parts[0] == "pipeline" else parts[:1]
    of_one_system = parts[0] == "systems" and len(parts) > 2 and parts[1] != "base"
    return parts[: 2 if of_one_system else 1]


def test_imports_run_one_way() -> None:
    wrong = []
    for path in [*ROOT.glob("pipeline/**/*.py"), *ROOT.glob("stages/**/*.py"), *ROOT.glob("synsem/*.py")]:
        for other in imported(path, {}):
            same_part = part(other) in (part(path), part(path)[:1])
            if layer(other) >= layer(path) > 0 and not same_part and other.name != "__init__.py":
                wrong.append(f"{path.relative_to(ROOT)} -> {other.relative_to(ROOT)}")
            if layer(path) == 0 and layer(other) > 0 and other.name != "__init__.py":
                wrong.append(f"{path.relative_to(ROOT)} -> {other.relative_to(ROOT)}")
    assert wrong == []


HEAVY = {
    "training": {"spacy", "dvc"},
    "export": {"spacy", "dvc"},
    "pretrained": {"spacy", "dvc"},
    "systems": {"spacy", "dvc"},
    "evaluation": {"spacy", "dvc"},
    "report": {"spacy", "dvc", "torch"},
    "nn": {"spacy", "dvc"},
    "corpora": {"torch"},
    "augment": {"torch"},
    "mining": {"transformers", "spacy", "dvc"},
}


@pytest.mark.parametrize("part", sorted(HEAVY))
def test_parts_stay_free_of_what_their_machine_lacks(part: str) -> None:
    files = list((ROOT / "pipeline" / part).rglob("*.py"))
    assert files
    for path in files:
        # A trained system as a parser of raw text, which spaCy's rules split into words.
        if path.name == "backend.py":
            continue
        for node in ast.walk(tree(path)):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module]
            assert not {name.split(".")[0] for name in names} & HEAVY[part], path.name
