"""Stage ``report``: one page, one Markdown table and the loss curves from what all other stages wrote."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.core.command import Params, run


def main(
    data: Path = Path("data"),
    models: Path = Path("models"),
    reports: Annotated[Path, typer.Option(help="Holds metrics/, evaluation/ and curves/.")] = Path("reports"),
    out: Annotated[Path | None, typer.Option(help="Default: the reports folder.")] = None,
    params: Params = Path("params.yaml"),
    revision: Annotated[str | None, typer.Option(help="A git revision to name on the page.")] = None,
) -> None:
    """Draw the report: index.html, results.md, headline.json and plots/."""
    from pipeline.core.params import load_all
    from pipeline.report.page import write_report

    page = write_report(data, models, reports, out or reports, load_all(params), revision)
    print(f"report: open {page}")


if __name__ == "__main__":
    run(main)
