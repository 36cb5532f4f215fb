"""``synsem plots``: the pages of ``dvc plots diff`` and ``dvc plots show`` draw without a network."""

import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from stages.cli import run

# Of the Vega-Lite versions that vl-convert holds the last whose specifications are those of DVC's templates.
VEGA_LITE = "5.21"
# Beside DVC's templates of single plots: DVC reads a template whose name is in its settings from .dvc.
TEMPLATE = Path("plots") / "offline.html"
# DVC puts the plots, and a tag that reloads the page, in place of the names in braces.
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
{refresh_tag}
<title>DVC Plot</title>
<script>(() => {
SCRIPTS
})();</script>
<style>table { border-spacing: 15px; }</style>
</head>
<body>
{plot_divs}
</body>
</html>
"""


def main(
    project: Annotated[Path, typer.Option(help="The folder of dvc.yaml.")] = Path(),
) -> None:
    """Let DVC's pages of plots hold the scripts that draw them, and not load them from the network.

    Once a clone: it writes a page's template into .dvc/plots and names it in .dvc/config.local.
    """
    from pipeline.core.atomic import atomic_path
    from pipeline.core.errors import SynsemError, to_install

    settings = project / ".dvc"
    if not settings.is_dir():
        raise SynsemError(
            f"{settings}: no such folder; run it in the folder of dvc.yaml, or name that by --project"
        )
    try:
        import vl_convert
    except ImportError as error:
        raise SynsemError(f"plots: {error.name} is not installed; {to_install('plots')}") from error
    scripts = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", VEGA_LITE)
    with atomic_path(settings / TEMPLATE) as unfinished:
        unfinished.write_text(PAGE.replace("SCRIPTS", scripts), encoding="utf-8")
    # The public way to change a setting of DVC.
    command = [sys.executable, "-m", "dvc", "config", "--local", "plots.html_template", TEMPLATE.as_posix()]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True)
    if done.returncode != 0:
        raise SynsemError(f"{settings / 'config.local'}: DVC could not write it: {done.stderr.strip()}")
    typer.echo("dvc plots diff and dvc plots show: their pages now draw without a network")


if __name__ == "__main__":
    run(main)
