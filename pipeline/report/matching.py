"""Fine-tuned matchers: ``reports/matching/TASK.json`` of ``synsem finetune``, as runs for the report.

A run stands under the system that its encoder was started from, in the view ``fine-tuned``. Its metrics are
``matching.TASK.METRIC`` for all of the training pairs, and ``few_shot.TASK.accuracy_SHARE`` for shares of
them (the Spearman correlation where gold is a grade).
"""

from pathlib import Path
from typing import Any

from pipeline.errors import SynsemError
from pipeline.report.inputs import Run
from pipeline.store import read_json

VIEW = "fine-tuned"


def read_matching(folder: Path) -> list[Run]:
    """One run for each start, share and seed of every file; SynsemError for a file of another form."""
    found = []
    for path in sorted(folder.glob("*.json")):
        raw = read_json(path)
        try:
            found += [_run(raw["task"], record) for record in raw["runs"].values()]
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise SynsemError(
                f"{path}: not the runs of a matcher ({type(error).__name__}: {error}); "
                "run `synsem finetune` again"
            ) from error
    return sorted(found, key=lambda run: (run.system != "backbone", run.system))


def _run(task: str, record: dict[str, Any]) -> Run:
    share, test = int(record["share"]), {name: float(value) for name, value in record["test"].items()}
    main = test["accuracy"] if "accuracy" in test else test["spearman"]
    metrics = {f"few_shot.{task}.accuracy_{share}": main}
    if share == 100:
        metrics |= {f"matching.{task}.{name}": value for name, value in test.items()}
    return Run(started_from(record["start"]), int(record["seed"]), {VIEW: metrics})


def started_from(start: str) -> str:
    """The system of a start: ``ebsim`` for ``models/ebsim/13``, else the start itself."""
    folder = Path(start)
    return folder.parent.name if folder.name.isdigit() and folder.parent.name else start
