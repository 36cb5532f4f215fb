"""What each run cost: steps, time, speed, memory and size, from what training left behind."""

from collections.abc import Mapping, Sequence
from typing import Any

from pipeline.report.inputs import Run

# A fact's key in cost.json or training.json -> its heading and its unit.
_FACTS = {
    "examples": ("examples", "count"),
    "steps": ("steps", "count"),
    "best_step": ("best step", "count"),
    "best_dev_loss": ("best dev loss", "number"),
    "seconds": ("time", "seconds"),
    "examples_per_second": ("examples/s", "number"),
    "tokens_per_second": ("tokens/s", "count"),
    "padding": ("padding", "share"),
    "peak_memory_mb": ("peak memory", "megabytes"),
    "parameters": ("parameters", "count"),
    "size": ("weights", "bytes"),
    "device": ("device", "text"),
    "threads": ("threads", "count"),
    "processes": ("processes", "count"),
    "precision": ("precision", "text"),
}


def costs(runs: Sequence[Run]) -> tuple[list[str], list[tuple[Run, list[str]]]]:
    """Headings and, for each trained run, the texts below them; headings that no run fills are left out."""
    facts = [(run, _facts(run)) for run in runs if run.training or run.cost or run.size]
    keys = [key for key in _FACTS if any(key in found for _, found in facts)]
    headings = [_FACTS[key][0] for key in keys]
    return headings, [
        (run, [quantity(found.get(key), _FACTS[key][1]) for key in keys]) for run, found in facts
    ]


def _facts(run: Run) -> Mapping[str, Any]:
    """All that is known of a run's cost; cost.json names the device more closely than training.json."""
    known = {**run.cost, **run.training, "size": run.size}
    known["device"] = run.cost.get("device", run.training.get("device"))
    return {key: value for key, value in known.items() if key in _FACTS and value is not None}


def quantity(value: Any, unit: str = "number") -> str:
    """A value as a reader wants it: 3 min 20 s, 1.2 GB, 45,143,172; a dash for None."""
    if value is None:
        return "–"
    if isinstance(value, Mapping):
        return ", ".join(f"{quantity(number, unit)} {name}" for name, number in value.items())
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if unit == "seconds":
        return _duration(value)
    if unit in ("bytes", "megabytes"):
        megabytes = value / 1e6 if unit == "bytes" else value
        return f"{megabytes / 1000:.1f} GB" if megabytes >= 1000 else f"{megabytes:.0f} MB"
    if unit == "share":
        return f"{100 * value:.0f} %"
    if unit == "count" or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3f}".rstrip("0").rstrip(".")


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"
