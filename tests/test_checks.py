"""What checks a commit: the workflow runs `.ci/run`, and the hooks run what `make lint` runs, as pinned."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
BIN = ".venv/bin/"


@pytest.fixture(scope="module")
def workflow() -> dict[str, Any]:
    # YAML 1.1 reads the key `on` as true.
    content = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))
    return {"on" if key is True else key: value for key, value in content.items()}


@pytest.fixture(scope="module")
def hooks() -> list[dict[str, Any]]:
    content = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    assert [each["repo"] for each in content["repos"]] == ["local"]
    return [hook for each in content["repos"] for hook in each["hooks"]]


def steps(workflow: dict[str, Any]) -> list[dict[str, Any]]:
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


def test_the_workflow_runs_the_script_on_every_push_and_request(workflow: dict[str, Any]) -> None:
    assert {"push", "pull_request"} <= set(workflow["on"])
    assert ".ci/run" in [step.get("run") for step in workflow["jobs"]["test"]["steps"]]
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111
    assert workflow["permissions"] == {"contents": "read"}


def test_it_tests_every_python_that_the_project_and_make_accept(workflow: dict[str, Any]) -> None:
    versions = workflow["jobs"]["test"]["strategy"]["matrix"]["python"]
    assert all(isinstance(version, str) for version in versions)  # 3.10 as a number is 3.1
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert all(version in SpecifierSet(project["requires-python"]) for version in versions)
    (low, high), *_ = re.findall(r"\(3, (\d+)\) <= v\[:2\] <= \(3, (\d+)\)", (ROOT / "Makefile").read_text())
    assert versions == [f"3.{minor}" for minor in range(int(low), int(high) + 1)]


def test_actions_are_pinned_and_the_cache_follows_the_locks(workflow: dict[str, Any]) -> None:
    used = [step for step in steps(workflow) if "uses" in step]
    assert used
    assert all(re.fullmatch(r"[\w/-]+@(v\d+|[0-9a-f]{40})", step["uses"]) for step in used)
    cached = [step["with"] for step in used if step["uses"].startswith("actions/setup-python@")]
    assert len(cached) == len(workflow["jobs"])
    for settings in cached:
        assert settings["cache"] == "pip"
        assert set(settings["cache-dependency-path"].split()) == {"constraints.txt", "requirements/*.txt"}


def test_the_hooks_run_what_make_lint_runs(hooks: list[dict[str, Any]]) -> None:
    if shutil.which("make") is None:
        pytest.skip("needs make")
    planned = subprocess.run(["make", "-n", "lint"], cwd=ROOT, check=True, capture_output=True, text=True)
    linted = re.findall(rf"^{BIN}(ruff \w+|mypy)", planned.stdout, flags=re.MULTILINE)
    assert linted == ["ruff format", "ruff check", "mypy"]
    entries = [hook["entry"] for hook in hooks]
    assert [name for name in linted if not any(each.startswith(BIN + name) for each in entries)] == []


def test_the_hooks_use_the_pinned_versions(hooks: list[dict[str, Any]]) -> None:
    """Those of the environment that `make` installs by hash, and no copies of their own."""
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pinned = {canonicalize_name(line.split("==")[0]): line for line in lines if not line.startswith("#")}
    lock = (ROOT / "requirements" / "dev.txt").read_text()
    for hook in hooks:
        assert hook["language"] == "system"
        assert "additional_dependencies" not in hook
        program = hook["entry"].split()[0]
        assert program.startswith(BIN)
        if (name := program.removeprefix(BIN)) != "python":
            assert f"{pinned[name]} " in lock


def test_a_hook_renews_the_schema_where_it_may_change(hooks: list[dict[str, Any]]) -> None:
    (hook,) = (hook for hook in hooks if hook["entry"].endswith("-m stages.tools.schema"))
    matters = ("params.yaml", "pipeline/params/stages.py", "pipeline/augment/catalogue.py")
    assert all(re.search(hook["files"], name) for name in matters)
    assert not re.search(hook["files"], "pipeline/nn/encoder.py")
