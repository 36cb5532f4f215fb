"""`make mutate`: the scores and the draw against cases made by hand; mutmut itself is not run here."""

import json
from pathlib import Path
from textwrap import dedent

import pytest

from benchmarks.mutation_score import exit_codes, main, mutable, nearest_tests, sample, scores, table

FOLDERS = ["tests/nn", "tests/training"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Three files of code, three files of tests, and what mutmut would have recorded of two packages."""
    files = {
        "pipeline/nn/__init__.py": "",
        "pipeline/nn/sketch.py": "",
        "pipeline/nn/amp.py": "",
        "pipeline/training/loop.py": "",
        "pipeline/training/run.py": "",
        "pipeline/report/page.py": "",
        "tests/nn/test_sketch.py": "from pipeline.nn.sketch import join",
        "tests/nn/test_controls.py": "from pipeline.nn import sketch",
        "tests/nn/test_sketchbook.py": "from pipeline.nn.sketches import join",
        "tests/training/test_steps.py": "import pipeline.nn.amp\nfrom pipeline.training.loop import train",
        "tests/training/test_kill.py": "from pipeline.training.loop import train",
    }
    nn = {"pipeline.nn.sketch.x_join__mutmut_1": 1, "pipeline.nn.sketch.x_join__mutmut_2": 0}
    nn |= {"pipeline.nn.sketch.x_join__mutmut_3": None, "pipeline.nn.sketch.xǁSketchǁadd__mutmut_1": 33}
    training = {
        f"pipeline.training.loop.x_train__mutmut_{n}": code for n, code in enumerate((3, -24, 36, 5, -11))
    }
    for name, codes in (("nn/sketch", nn), ("training/loop", training)):
        files[f"mutants/pipeline/{name}.py.meta"] = json.dumps({"exit_code_by_key": codes})
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_scores_count_what_was_tried_and_call_untested_code_unnoticed(root: Path) -> None:
    none = {"killed": 0, "timeout": 0, "survived": 0, "no tests": 0, "other": 0}
    found = scores(exit_codes(root / "mutants"))
    assert found == {
        "nn": none | {"killed": 1, "survived": 1, "no tests": 1, "tried": 3, "score": 33.3},
        "training": none | {"killed": 1, "timeout": 2, "no tests": 1, "other": 1, "tried": 5, "score": 60.0},
        "all": none
        | {"killed": 2, "timeout": 2, "survived": 1, "no tests": 2, "other": 1, "tried": 8, "score": 50.0},
    }
    assert [line.split() for line in table(found).splitlines()][-1] == [
        "all",
        "8",
        "2",
        "2",
        "1",
        "2",
        "1",
        "50.0",
    ]
    assert scores({"pipeline.nn.sketch.x_join__mutmut_3": None}) == {}


def test_statuses_are_those_of_mutmut() -> None:
    theirs = pytest.importorskip(
        "mutmut.stats", reason="mutmut is installed by `make mutate`"
    ).status_by_exit_code
    from benchmarks.mutation_score import STATUS

    assert {code: theirs[code] for code in STATUS} == STATUS
    missing = {code for code, status in theirs.items() if status in STATUS.values()} - set(STATUS)
    assert not missing


def test_the_command_runs_a_sample_and_again_what_was_not_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A project of three functions: one tested, one tested too little, one not at all."""
    pytest.importorskip("mutmut", reason="mutmut is installed by `make mutate`")
    files = {
        "pyproject.toml": """
            [tool.mutmut]
            source_paths = ["pipeline"]
            only_mutate = ["pipeline/core/*"]
            pytest_add_cli_args_test_selection = ["tests/core"]
            """,
        "pipeline/__init__.py": "",
        "pipeline/core/__init__.py": "",
        "pipeline/core/sums.py": """
            def plus(a, b):
                return a + b

            def minus(a, b):
                return a - b

            def times(a, b):
                return a * b
            """,
        "tests/core/test_sums.py": """
            from pipeline.core.sums import minus, plus

            def test_plus():
                assert plus(1, 2) == 3

            def test_minus():
                assert minus(0, 0) == 0
            """,
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(dedent(text))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["mutation_score.py", "--out", "out.json"])
    main()
    first = json.loads((tmp_path / "out.json").read_text())
    assert first["files"] == {"core": ["pipeline/core/sums.py"]}
    assert first["not killed"] == {
        "pipeline.core.sums.x_minus__mutmut_1": "survived",
        "pipeline.core.sums.x_times__mutmut_1": "no tests",
    }
    assert first["scores"]["core"]["score"] == 33.3
    assert "0 of 3 were not reached in time" in capsys.readouterr().out

    more = (tmp_path / "tests/core/test_sums.py").read_text().replace("minus(0, 0) == 0", "minus(3, 1) == 2")
    (tmp_path / "tests/core/test_sums.py").write_text(more)
    monkeypatch.setattr("sys.argv", ["mutation_score.py", "--again", "--out", "out.json"])
    main()
    second = json.loads((tmp_path / "out.json").read_text())
    assert second["not killed"] == {"pipeline.core.sums.x_times__mutmut_1": "no tests"}
    assert second["scores"]["core"] == second["scores"]["all"]
    assert second["scores"]["all"]["score"] == 66.7


def test_the_nearest_tests_of_a_file_are_named_after_it_or_import_it_or_are_of_its_package(
    root: Path,
) -> None:
    def beside(file: str) -> list[str]:
        return nearest_tests(Path(file), FOLDERS, root)

    assert beside("pipeline/nn/sketch.py") == ["tests/nn/test_sketch.py"]
    assert beside("pipeline/nn/amp.py") == ["tests/training/test_steps.py"]
    (root / "tests/nn/test_amp.py").write_text("from pipeline.nn.sketch import join")
    assert beside("pipeline/nn/amp.py") == ["tests/nn/test_amp.py"]
    assert beside("pipeline/training/loop.py") == [
        "tests/training/test_kill.py",
        "tests/training/test_steps.py",
    ]
    assert beside("pipeline/training/run.py") == ["tests/training"]


def test_only_files_that_mutmut_may_change_are_drawn(root: Path) -> None:
    found = mutable(["pipeline/nn/*", "pipeline/training/loop.py"], root)
    assert found == {
        "nn": [Path("pipeline/nn/amp.py"), Path("pipeline/nn/sketch.py")],
        "training": [Path("pipeline/training/loop.py")],
    }


def test_a_files_sample_is_of_its_seed_alone(root: Path) -> None:
    sketch, loop = Path("pipeline/nn/sketch.py"), Path("pipeline/training/loop.py")
    drawn = sample([sketch], 2, 13, root / "mutants")
    assert len(set(drawn)) == 2
    assert sample([loop, sketch], 2, 13, root / "mutants")[2:] == drawn
    assert {tuple(sample([sketch], 2, seed, root / "mutants")) for seed in range(20)} > {tuple(drawn)}
    assert len(sample([loop], 6, 13, root / "mutants")) == 5
