"""kill -9 at random moments in every stage: the bytes must be those of an undisturbed run.

Run ``python benchmarks/kill.py --kills 100``. A small project is run undisturbed. Then each stage is started,
killed with all its processes at a random moment, and started again. After every third kill it may finish, and
the whole project, temporary files included, must equal the undisturbed one byte for byte. Every other round
starts on top of what an earlier run wrote. Moments are drawn evenly over the stage's undisturbed time without
the time of the imports, where nothing can break.

Prints a line a kill and a summary by stage; exits with 1 where a byte differs. ``--text FILE`` takes
documents (JSON lines with title and text) instead of made-up ones.
"""

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.hardness.forked import finish, kill, start
from tests.hardness.small_project import (
    CLOCKS,
    STAGES,
    SYSTEMS,
    Stage,
    stages,
    write_project,
    write_tiny_bert,
)

KILLS_A_ROUND = 3
SURVIVING = (".scratch/", "cache/")  # beginnings of what is meant to survive
NOT_COMPARED = ("log", *CLOCKS)  # the log is that of the tests


def contents(project: Path) -> dict[str, bytes]:
    """Every file that is compared, by its path; a link by its target."""
    found = {}
    for path in sorted(project.rglob("*")):
        name = path.relative_to(project).as_posix()
        if name.startswith(SURVIVING) or any(Path(name).match(pattern) for pattern in NOT_COMPARED):
            continue
        if path.is_file():
            found[name] = str(path.readlink()).encode() if path.is_symlink() else path.read_bytes()
    return found


def differences(project: Path, expected: dict[str, bytes]) -> list[str]:
    """One line a file that is missing, left over or different."""
    found = contents(project)
    lines = [f"missing {name}" for name in expected.keys() - found.keys()]
    lines += [f"left over {name}" for name in found.keys() - expected.keys()]
    lines += [f"differs {name}" for name in expected.keys() & found.keys() if expected[name] != found[name]]
    return sorted(lines)


def run_undisturbed(project: Path, graph: Sequence[Stage], workers: int) -> dict[str, float]:
    """Run all stages; returns the seconds of each."""
    finish(project, "--help")  # imports everything, once
    seconds = {}
    for stage in graph:
        began = time.monotonic()
        code, said = finish(project, *stage.command, workers=workers)
        seconds[stage.name] = time.monotonic() - began
        if code:
            raise SystemExit(f"{stage.name} failed undisturbed: {said}")
        print(f"{stage.name}: {seconds[stage.name]:.1f} s undisturbed", flush=True)
    return seconds


def kill_repeatedly(
    stage: Stage, whole: Path, kills: int, seconds: float, chance: random.Random, workers: int
) -> Counter[str]:
    """Kill one stage ``kills`` times and compare after every round; returns counts."""
    counts: Counter[str] = Counter()
    expected = contents(whole)
    project = whole.with_name("killed")
    shutil.rmtree(project, ignore_errors=True)
    shutil.copytree(whole, project, symlinks=True)
    while counts["kills"] < kills:
        afresh = counts["rounds"] % 2 == 0
        if afresh:
            stage.clear(project)
        wanted = min(KILLS_A_ROUND, kills - counts["kills"])
        for _ in range(3 * wanted):  # at most; some end before they are killed
            moment = chance.uniform(0, seconds)
            process = start(project, *stage.command, workers=workers)
            process.join(moment)
            if not kill(process):
                counts["ended before"] += 1
                counts["failed"] += process.exitcode != 0
                continue
            wanted -= 1
            counts["kills"] += 1
            left = differences(project, expected)
            print(f"{stage.name}: killed after {moment:.2f} s; {len(left)} files to go", flush=True)
            if not wanted:
                break
        code, said = finish(project, *stage.command, workers=workers)
        counts["rounds"] += 1
        wrong = [f"exit code {code}: {said[-500:]}"] if code else []
        wrong += differences(project, expected)
        for line in wrong:
            print(f"{stage.name}: {line}", flush=True)
        counts["wrong"] += bool(wrong)
        if wrong:  # start the next round from a whole project
            shutil.rmtree(project)
            shutil.copytree(whole, project, symlinks=True)
    return counts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--kills", type=int, default=100, help="over all stages")
    parser.add_argument("--stages", help="comma-separated, such as 'parse,pretrain sscp'; default: all")
    parser.add_argument("--all-systems", action="store_true", help="those of the other systems, too")
    parser.add_argument("--backbone", type=Path, help="folder of an encoder; default: a tiny random one")
    parser.add_argument("--text", type=Path, help="documents as JSON lines; default: made-up ones")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    given = parser.parse_args()
    graph = stages(SYSTEMS) if given.all_systems else STAGES
    names = [stage.name for stage in graph]
    wanted = given.stages.split(",") if given.stages else names
    if unknown := set(wanted) - set(names):
        parser.error(f"--stages: no stage {', '.join(sorted(unknown))}; choose from {', '.join(names)}")
    chosen = [stage for stage in graph if stage.name in wanted]
    chance = random.Random(given.seed)
    print(f"seed {given.seed}", flush=True)
    totals: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="synsem-kill-") as folder:
        whole = Path(folder) / "whole"
        backbone = given.backbone or write_tiny_bert(Path(folder) / "backbone")
        documents = None
        if given.text:
            rows = [json.loads(line) for line in given.text.read_text(encoding="utf-8").splitlines()]
            documents = [(row["title"], row["text"]) for row in rows]
        write_project(whole, backbone, documents, given.all_systems)
        seconds = run_undisturbed(whole, graph, given.workers)
        summary = []
        for number, stage in enumerate(chosen):
            share = given.kills // len(chosen) + (number < given.kills % len(chosen))
            counts = kill_repeatedly(stage, whole, share, seconds[stage.name], chance, given.workers)
            totals += counts
            summary.append(
                f"{stage.name}: {counts['kills']} kills, {counts['ended before']} ended before them, "
                f"{counts['rounds']} comparisons, {counts['wrong']} wrong"
            )
    print("\n".join(summary))
    print(f"in all: {totals['kills']} kills, {totals['rounds']} comparisons, {totals['wrong']} wrong")
    return int(totals["wrong"] > 0 or totals["failed"] > 0)


if __name__ == "__main__":
    sys.exit(main())
