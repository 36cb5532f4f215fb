"""What the programs of this folder measured of speed beside a peer, as one table and one chart.

    python benchmarks/ratios.py                       # the table
    python benchmarks/ratios.py --write docs/performance.md --chart docs/performance.svg

Each program leaves what it took in ``reports/speed`` (``timing.record``). A ratio is the peer's seconds over
ours, for the same work in the same run; ``ratios.yaml`` says which sides a row compares.
"""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
import yaml
from marks import write_between
from markupsafe import Markup
from timing import FOLDER

from pipeline.core.errors import SynsemError
from pipeline.core.store import read_json
from pipeline.report.figures.svg import Scale, element, picture

ROWS = Path(__file__).with_suffix(".yaml")
HEAD = ("what", "peer", "ratio", "by CPU time", "how equal", "measured by")
STYLE = """
svg { background: #ffffff; }
text { font-family: system-ui, sans-serif; font-size: 12px; fill: #1f2328; }
.value { font-weight: 600; } .peer { fill: #59636e; font-size: 11px; }
.faster { fill: #1a7f37; } .slower { fill: #bc4c00; } .one { stroke: #818b98; stroke-dasharray: 3 3; }
@media (prefers-color-scheme: dark) {
  svg { background: #0d1117; }
  text { fill: #e6edf3; } .peer { fill: #9198a1; } .faster { fill: #3fb950; } .slower { fill: #f0883e; }
}
"""
WIDTH, NAMES, ROW, BAR, MARGIN = 780.0, 440.0, 34.0, 14.0, 12.0  # pixels


class Row(NamedTuple):
    """A part of SynSem beside its peer."""

    what: str
    peer: str
    ratio: float  # how many times as fast as the peer, by the clock
    cpu_ratio: float | None  # by processor time, where that was read
    equal: str
    program: str
    file: str


def rows(measured: Path = FOLDER) -> list[Row]:
    """The rows of ``ratios.yaml`` of which a folder of measurements has both sides.

    Raises SynsemError where a file is not there.
    """
    found = []
    for listed in yaml.safe_load(ROWS.read_text(encoding="utf-8")):
        file = measured / f"{listed['file']}.json"
        if not file.exists():
            raise SynsemError(
                f"{file}: not measured yet; run benchmarks/{_program(listed)}.py, which writes it"
            )
        facts = read_json(file)
        if {listed["ours"], listed["peer"]} <= facts["sides"].keys():
            found.append(_row(listed, facts))
    return found


def _row(listed: Mapping[str, str], measured: Mapping[str, Any]) -> Row:
    ours, theirs = (measured["sides"][listed[key]] for key in ("ours", "peer"))
    cpu = theirs["cpu_seconds"] / ours["cpu_seconds"] if "cpu_seconds" in ours else None
    facts = measured["work"] | ours
    if "difference" in facts:
        facts["difference"] = f"{facts['difference']:.0e}"
    equal = listed["equal"].format_map(facts)
    ratio = theirs["seconds"] / ours["seconds"]
    return Row(listed["what"], listed["peer_is"], ratio, cpu, equal, _program(listed), listed["file"])


def _program(listed: Mapping[str, str]) -> str:
    return listed.get("by", listed["file"])


def table(found: Sequence[Row]) -> str:
    """The rows in Markdown."""
    lines = [f"| {' | '.join(HEAD)} |", "|---|---|---:|---:|---|---|"]
    for row in found:
        cpu = "" if row.cpu_ratio is None else f"{row.cpu_ratio:.2f}"
        by = f"[`{row.program}.py`](../reports/speed/{row.file}.json)"
        lines.append(f"| {row.what} | {row.peer} | {row.ratio:.2f} | {cpu} | {row.equal} | {by} |")
    return "\n".join(lines)


def chart(found: Sequence[Row]) -> Markup:
    """The ratios as bars from 1; half and twice as fast are equally far from it."""
    ratios = [row.ratio for row in found]
    ends = (min(0.5, *ratios), max(2.0, *ratios))
    x = Scale(math.log2(ends[0]), math.log2(ends[1]), NAMES, WIDTH - MARGIN - 40)
    height = 2 * MARGIN + ROW * len(found)
    one = x(0.0)
    parts = [
        element("style", Markup(STYLE)),
        element("line", class_="one", x1=one, x2=one, y1=MARGIN, y2=height - MARGIN),
    ]
    for place, row in enumerate(found):
        top = MARGIN + place * ROW
        start, end = sorted((one, x(math.log2(row.ratio))))
        parts += [
            element("text", _plain(row.what), x=MARGIN, y=top + 13),
            element("text", f"beside {_plain(row.peer)}", class_="peer", x=MARGIN, y=top + 27),
            element("rect", class_="faster" if row.ratio >= 1 else "slower", x=start, y=top + 8,
                    width=max(end - start, 1.0), height=BAR, rx=2),
            element("text", f"{row.ratio:.2f}", class_="value", x=end + 6, y=top + 19),
        ]  # fmt: skip
    spoken = "How many times as fast as a peer each part of SynSem is"
    return picture(WIDTH, height, spoken, *parts, alone=True)


def _plain(text: str) -> str:
    return text.replace("`", "")


def main(
    write: Annotated[Path | None, typer.Option(help="A page: what is between its marks is replaced.")] = None,
    draw: Annotated[Path | None, typer.Option("--chart", help="An SVG file.")] = None,
    measured: Annotated[Path, typer.Option(help="What the programs left.")] = FOLDER,
) -> None:
    """Print the table or write it into a page, and draw the chart."""
    found = rows(measured)
    if write is None:
        typer.echo(table(found))
    else:
        write_between(write, table(found))
    if draw is not None:
        draw.write_text(f"{chart(found)}\n", encoding="utf-8")


if __name__ == "__main__":
    import sys

    try:
        typer.run(main)
    except SynsemError as error:
        sys.exit(f"error: {error}")
