"""``synsem export``: a trained model for other programs."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.core.errors import SynsemError
from stages.cli import run
from stages.tools.arguments import TrainedModel


def main(
    model: TrainedModel,
    folder: Annotated[
        Path | None, typer.Option(help="Write a sentence-transformers folder, its card with the numbers.")
    ] = None,
    view: Annotated[
        str | None,
        typer.Option(
            help="Default: joint, or the one view that a system has; of a graph semantic, where joint reads "
            "trees, as in most systems."
        ),
    ] = None,
    onnx: Annotated[Path | None, typer.Option(help="Write a view as an ONNX graph.")] = None,
    int8: Annotated[Path | None, typer.Option(help="And a copy of the graph with int8 weights.")] = None,
    params: Annotated[Path | None, typer.Option(help="Names the parser; default: the model's own.")] = None,
    data: Annotated[Path, typer.Option(help="Tells the card where the text is from.")] = Path("data"),
    reports: Annotated[Path, typer.Option(help="Tells the card the numbers.")] = Path("reports"),
) -> None:
    """Export a model: synsem export models/sscp/13 --onnx semantic.onnx."""
    if int8 and onnx is None:
        raise SynsemError("--int8: is made from the graph of --onnx; give that, too")
    if folder is None and onnx is None:
        raise SynsemError("export: nothing to write; give --folder or --onnx")
    for option, path in (("--onnx", onnx), ("--int8", int8)):
        if path and path.suffix != ".onnx":
            raise SynsemError(f"{option}: {path} would be an ONNX graph; let its name end in .onnx")
        if path and path.is_dir():
            raise SynsemError(f"{option}: {path} is a folder; name a file")
        if path and folder and path.resolve().is_relative_to(folder.resolve()):
            raise SynsemError(f"{option}: {path} is within --folder, which must be new; name another place")
    if int8 and onnx and int8.resolve() == onnx.resolve():
        raise SynsemError(f"--int8: {int8} is the graph of --onnx; name another file")
    for option, path in (("--folder", folder), ("--onnx", onnx), ("--int8", int8)):
        # Its results, its card and DVC know a model by all its files.
        if path and path.resolve().is_relative_to(model.resolve()):
            raise SynsemError(f"{option}: {path} is in the model's own folder; name another place")
    if folder:
        from pipeline.export.sentence_transformers import demand_new, export_folder

        demand_new(folder)
    # The graph first: a view that has none is then refused before anything is written.
    if onnx:
        from pipeline.export.onnx import default_view, export_onnx, quantise
        from pipeline.systems import registry

        system = registry.load(model)
        drawn = view or default_view(system)
        found = export_onnx(system, onnx, drawn)
        difference = f"largest difference to the model's own vectors {found.difference:.1e}"
        print(f"export: {onnx}, {drawn} view, {difference}")
        if int8:
            found = quantise(system, onnx, int8, drawn)
            print(f"export: {int8}, smallest cosine with the model's own vectors {found.cosine:.4f}")
    if folder:
        written = export_folder(model, folder, view, params, data, reports)
        print(f"export: {folder}, {written} view")


if __name__ == "__main__":
    run(main)
