"""Loss by step: training as a thin line, validation as a bold one, a panel a system."""

from collections.abc import Sequence

from markupsafe import Markup

from pipeline.report.figures.svg import Scale, axes, element, path, picture, tick_text, ticks
from pipeline.report.inputs import BACKBONE, Curve, Run

TRAIN, VALIDATION = "train", "validation"
_WIDTH, _HEIGHT = 340.0, 250.0


def losses(runs: Sequence[Run], systems: Sequence[str]) -> list[tuple[str, Markup | None]]:
    """Each trained system with its panel, None where no curve was logged."""
    trained = [system for system in systems if system != BACKBONE]
    return [
        (system, loss_picture(system, [run for run in runs if run.system == system])) for system in trained
    ]


def loss_curves(run: Run) -> dict[str, Curve]:
    """The run's loss curves as ``train`` and ``validation``, whatever the logger called the split."""
    found = {}
    for name, curve in run.curves.items():
        parts = name.lower().split("/")
        if parts[-1] == "loss":
            found[VALIDATION if parts[0] in ("dev", "val", "valid", "validation") else TRAIN] = curve
    return found


def loss_picture(system: str, runs: Sequence[Run]) -> Markup | None:
    """Both curves of every seed of a system; None where no run has one."""
    curves = [(run, split, curve) for run in runs for split, curve in loss_curves(run).items()]
    points = [point for _, _, curve in curves for point in curve]
    if not points:
        return None
    steps, losses = [step for step, _ in points], [loss for _, loss in points]
    y_ticks = ticks(min(losses), max(losses))
    x_ticks = [(tick, tick_text(tick)) for tick in ticks(min(0.0, *steps), max(steps)) if tick <= max(steps)]
    x = Scale(min(0.0, *steps), max(steps), 46, _WIDTH - 12)
    y = Scale(y_ticks[0], y_ticks[-1], _HEIGHT - 40, 12)
    lines = [
        element(
            "path",
            element("title", f"{run.name}, {split}"),
            class_=f"line {split}",
            d=path([(x(step), y(loss)) for step, loss in curve]),
        )
        for run, split, curve in sorted(curves, key=lambda entry: entry[1])
    ]
    dots = [
        element(
            "circle",
            element("title", f"{run.name}, validation: {loss:.4g} at step {tick_text(step)}"),
            class_="dot",
            cx=x(step),
            cy=y(loss),
            r=3,
        )
        for run, split, curve in curves
        if split == VALIDATION
        for step, loss in curve
    ]
    label = f"Training and validation loss of {system} by step"
    return picture(_WIDTH, _HEIGHT, label, axes(x, y, x_ticks, y_ticks, "step"), *lines, *dots)
