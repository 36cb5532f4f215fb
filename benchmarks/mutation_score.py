"""The share of changes to the code that tests notice, by package: a sample of mutmut's, in bounded time.

    make mutate                                # draw a sample, run it, write reports/controls/mutation.json
    make mutate SAMPLE='pipeline.nn.sketch.*'  # mutants of these names, with all tests of [tool.mutmut]

A sample is drawn in two steps with a seed: of each package some files, of each file some mutants. The tests
of a file are those named after it; where there are none, those that import it; where there are none, all of
its package. Of these mutmut runs the ones that call the mutated function. What a test further away would have
noticed counts as not noticed.
"""

import argparse
import random
import re
import signal
import subprocess
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from fnmatch import fnmatch
from json import loads
from pathlib import Path

from pipeline.core.store import write_json

MUTANTS = Path("mutants")
STATUSES = ("killed", "timeout", "survived", "no tests", "other")
# pytest's exit codes and those that mutmut 3.8.1 adds to them.
STATUS = {0: "survived", 1: "killed", 3: "killed", 5: "no tests", 33: "no tests"}
STATUS |= dict.fromkeys((24, -24, 36, 152, 255), "timeout")
Score = dict[str, float]
# For what `mutmut run` has no options. A program of its own, for `pipeline` here is not the mutated one.
PROGRAM = """
import sys
from mutmut import __main__ as mutmut
from mutmut.configuration import config
from mutmut.workers.isolation import ForkRunner
tests, names = (argument.split() for argument in sys.argv[1:])
# Seconds that a mutant has beyond those of its tests, times 15: a busy machine is no endless loop.
config().timeout_constant = 4.0
# The run that learns which test calls what has shown that they pass.
ForkRunner.run_clean_tests = lambda self, tests: 0
if names:
    config().pytest_add_cli_args_test_selection = tests
    mutmut._run(names, 1)
else:
    mutmut.makedirs("mutants", exist_ok=True)
    mutmut.set_mutant_under_test("mutant_generation")
    mutmut.copy_src_dir()
    mutmut.copy_also_copy_files()
    mutmut.create_mutants(mutmut.os.cpu_count())
"""


def package(name: str) -> str:
    """The package, "nn", of ``pipeline.nn.sketch.x_join__mutmut_5`` and of ``pipeline/nn/sketch.py``."""
    return re.split(r"[./]", name)[1]


def exit_codes(mutants: Path = MUTANTS) -> dict[str, int | None]:
    """The exit code that mutmut recorded for each mutant, None where it was not run."""
    found: dict[str, int | None] = {}
    for meta in sorted(mutants.rglob("*.meta")):
        found |= loads(meta.read_text())["exit_code_by_key"]
    return found


def scores(codes: Mapping[str, int | None]) -> dict[str, Score]:
    """For each package and for "all": mutants by status, how many were tried, and the percent noticed.

    A test that fails or does not end has noticed the mutant. One that no test calls counts as not noticed;
    one that was not run is left out.
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for name, code in sorted(codes.items()):
        if code is not None:
            for group in (package(name), "all"):
                counts[group][STATUS.get(code, "other")] += 1
    return {
        group: {status: of[status] for status in STATUSES}
        | {"tried": of.total(), "score": round(100 * (of["killed"] + of["timeout"]) / of.total(), 1)}
        for group, of in sorted(counts.items(), key=lambda item: (item[0] == "all", item[0]))
    }


def table(found: Mapping[str, Score]) -> str:
    """The scores for a terminal, a line a package."""
    heads = ("tried", *STATUSES, "score")
    rows = [("package", heads), *((name, tuple(of[head] for head in heads)) for name, of in found.items())]
    return "\n".join(f"{name:<12}" + "".join(f"{cell:>10}" for cell in cells) for name, cells in rows)


def mutable(patterns: Iterable[str], root: Path = Path()) -> dict[str, list[Path]]:
    """Package -> its files that ``only_mutate`` of pyproject.toml names, less ``__init__.py``."""
    patterns = list(patterns)
    found: dict[str, list[Path]] = defaultdict(list)
    for path in sorted((root / "pipeline").rglob("*.py")):
        file = path.relative_to(root)
        if path.name != "__init__.py" and any(fnmatch(str(file), pattern) for pattern in patterns):
            found[package(str(file))].append(file)
    return dict(found)


def nearest_tests(file: Path, folders: Iterable[str], root: Path = Path()) -> list[str]:
    """Tests of a source file: those named after it, else those that import it, else its package's folder."""
    parent, name = ".".join(file.parent.parts), file.stem
    imports = re.compile(
        rf"\b{re.escape(parent)}\.{name}\b|\bfrom {re.escape(parent)} import [^\n]*\b{name}\b"
    )
    every = [test for folder in folders for test in sorted((root / folder).rglob("test_*.py"))]
    importing = [test for test in every if imports.search(test.read_text())]
    own = root / "tests" / package(str(file))
    nearest = [test for test in importing if own in test.parents] or importing
    mirrored = (root / "tests").joinpath(*file.parts[1:-1])
    named = [test for test in nearest if name in test.stem]
    # A test of its name may call it from far above, by a stage.
    named += [test for test in every if test == mirrored / f"test_{name}.py" and test not in named]
    found = named or nearest or [mirrored if mirrored.is_dir() else own]
    return [str(test.relative_to(root)) for test in found]


def sample(files: Iterable[Path], each: int, seed: int, mutants: Path = MUTANTS) -> list[str]:
    """Names of at most ``each`` mutants of every file; another file more or less changes none of them."""
    names: list[str] = []
    for file in files:
        made = list(loads((mutants / f"{file}.meta").read_text())["exit_code_by_key"])
        names += sorted(random.Random(f"{seed} {file}").sample(made, min(each, len(made))))
    return names


def run_mutmut(tests: Iterable[str], names: Iterable[str], minutes: float) -> None:
    """Make the mutants or, where names are given, run these; after ``minutes`` mutmut is told to stop.

    What it found until then stays in ``mutants/``. It first runs the tests on unchanged code, to learn which
    test calls what, and ends there if one fails.
    """
    # What it learned last was of another package's tests. Results are in other files.
    (MUTANTS / "mutmut-stats.json").unlink(missing_ok=True)
    with subprocess.Popen([sys.executable, "-c", PROGRAM, " ".join(tests), " ".join(names)]) as process:
        try:
            if process.wait(minutes * 60):
                print("mutmut stopped: a test fails on the unchanged code, see above", file=sys.stderr)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--files", type=int, default=4, help="files of a package")
    parser.add_argument("--each", type=int, default=6, help="mutants of a file")
    parser.add_argument("--seed", type=int, default=13, help="of both draws")
    parser.add_argument(
        "--minutes", type=float, default=2.8, help="for a package; the mutants are made before"
    )
    parser.add_argument("--packages", nargs="+", help="run these alone")
    parser.add_argument(
        "--again", action="store_true", help="run what was not noticed, after tests were added"
    )
    parser.add_argument(
        "--table", action="store_true", help="run nothing, print the scores of all that was run"
    )
    parser.add_argument("--out", type=Path, help="JSON: scores, files, and what was not noticed")
    options = parser.parse_args()
    if options.table:
        print(table(scores(exit_codes())))
        return

    settings = tomllib.loads(Path("pyproject.toml").read_text())["tool"]["mutmut"]
    folders = settings["pytest_add_cli_args_test_selection"]
    chance = random.Random(options.seed)
    drawn = {
        name: sorted(chance.sample(found, min(options.files, len(found))))
        for name, found in mutable(settings["only_mutate"]).items()
    }
    run_mutmut([], [], minutes=10)
    names = {name: sample(files, options.each, options.seed) for name, files in drawn.items()}
    for name in options.packages or drawn:
        before = exit_codes()
        left = [key for key in names[name] if not options.again or before[key] not in (1, 3)]
        if left:
            tests = {test for file in drawn[name] for test in nearest_tests(file, folders)}
            run_mutmut(sorted(tests), left, options.minutes)

    wanted = {key for of in names.values() for key in of}
    codes = {key: code for key, code in exit_codes().items() if key in wanted}
    found = scores(codes)
    print(table(found))
    print(f"{sum(code is None for code in codes.values())} of {len(codes)} were not reached in time")
    if options.out:
        unnoticed = {
            key: STATUS.get(code, "other")
            for key, code in codes.items()
            if code is not None and code not in (1, 3)
        }
        write_json(
            options.out,
            {
                "files": {name: [str(file) for file in files] for name, files in drawn.items()},
                "mutants of a file": options.each,
                "seed": options.seed,
                "scores": found,
                "not reached in time": sorted(key for key, code in codes.items() if code is None),
                "not killed": unnoticed,
            },
        )


if __name__ == "__main__":
    main()
