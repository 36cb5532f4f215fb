"""What the chapters share: time to spend, results on disk after every one, and what remains."""

import json
import os
import platform
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ORDER = ("prepare", "smoke", "speed", "train", "seeds")
Measure = Callable[[], Mapping[str, Any]]


class Chapter:
    """Runs named measurements until the time is up; ``FOLDER/NAME.json`` is written after each.

    A chapter that is called again, by the same code on the same machine, does what is missing or failed.
    """

    def __init__(self, name: str, folder: Path, minutes: float) -> None:
        self.name, self.folder, self.path = name, folder, folder / f"{name}.json"
        self.ends, self.longest = time.monotonic() + 60 * minutes, 0.0
        self.machine = machine()
        self.results: dict[str, Any] = {}
        self.left: list[str] = []
        self._turn = threading.Lock()
        if self.path.exists():
            earlier = json.loads(self.path.read_text())
            if earlier["machine"] == self.machine:
                self.results = {
                    key: each for key, each in earlier["results"].items() if each.get("passed", True)
                }

    def run(self, name: str, measure: Measure, times: float = 1.0) -> None:
        """Measure, unless that is done already or would take longer than there is time.

        It is thought to take ``times`` as long as the longest measurement before. An error is a result as
        well: the next measurement runs.
        """
        if name in self.results:
            print(f"{self.name} {name}: done before", flush=True)
            self.longest = max(self.longest, self.results[name]["seconds"] / times)
            return
        began = time.monotonic()
        if began + times * self.longest > self.ends:
            self.left.append(name)
            return
        try:
            found = dict(measure())
        except Exception as error:
            found = {"passed": False, "error": f"{type(error).__name__}: {error}"}
            traceback.print_exc()
        seconds = time.monotonic() - began
        with self._turn:
            self.longest = max(self.longest, seconds / times)
            self.results[name] = found | {"seconds": round(seconds, 2)}
            self.write()
        shown = {key: each for key, each in self.results[name].items() if key != "metrics"}  # long tables
        print(f"{self.name} {name}: {json.dumps(shown)}", flush=True)

    def run_all(
        self, measurements: Mapping[str, Measure], times: Mapping[str, float], at_once: int = 1
    ) -> None:
        """``run`` in order, ``at_once`` of them side by side; of each the factor ``times`` has, else 1."""

        def run(name: str) -> None:
            self.run(name, measurements[name], times.get(name, 1.0))

        if at_once == 1:  # in the main thread, which Ctrl-C reaches
            for name in measurements:
                run(name)
            return
        with ThreadPoolExecutor(at_once) as pool:
            list(pool.map(run, measurements))

    def write(self) -> None:
        """Write the results so far."""
        from pipeline.core.store import write_json

        write_json(self.path, {"machine": self.machine, "left": self.left, "results": self.results})

    def finish(self) -> None:
        """Print what remains, of this chapter and of all; exit with 1 where something failed."""
        self.write()
        failed = [name for name, each in self.results.items() if not each.get("passed", True)]
        if failed:
            print(f"{self.name}: FAILED {', '.join(failed)}")
        if self.left:
            print(f"{self.name}: no time for {', '.join(self.left)}; run it again")
        remain = [each for each in ORDER if not (self.folder / f"{each}.json").exists()]
        print(f"written: {self.path}; chapters that remain: {', '.join(remain) or 'none'}")
        if failed:
            raise SystemExit(1)


def compiler(rehearsed: bool) -> str:
    """The back end of ``torch.compile``; in a rehearsal on a CPU one that finds the graphs alone.

    To generate code would take a minute, and a GPU gets other code.
    """
    import torch

    return "eager" if rehearsed and not torch.cuda.is_available() else "inductor"


def machine() -> dict[str, Any]:
    """What was measured on, and by which code."""
    import torch
    import transformers

    from pipeline.core import scratch

    on_gpu = torch.cuda.is_available()
    return {
        "device": torch.cuda.get_device_name() if on_gpu else "cpu",
        "cuda": torch.version.cuda if on_gpu else None,
        "processor": platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "transformers": transformers.__version__,
        "code": scratch.code_digest()[:12],
    }
