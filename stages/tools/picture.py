"""``synsem picture``: a sentence, a rewording, an exchange of words, and how alike models find them."""

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from pipeline.pretrained import named
from stages.cli import Params, run
from stages.tools.arguments import FIRST_MODEL, Lang, chosen_model


def main(
    sentence: Annotated[str, typer.Argument(help='Such as "The dog chased the boy."')],
    reworded: Annotated[str, typer.Argument(help='Of the same meaning: "The boy was chased by the dog."')],
    exchanged: Annotated[str, typer.Argument(help='The same words otherwise: "The boy chased the dog."')],
    model: Annotated[
        list[Path] | None,
        typer.Option(help=f"Trained models, whose joint views are drawn; default: {FIRST_MODEL}."),
    ] = None,
    out: Annotated[Path, typer.Option(help="An SVG file.")] = Path("picture.svg"),
    lang: Lang = None,
    params: Params = Path("params.yaml"),
) -> None:
    """Draw two trees, and how alike the plain encoder and each model find the three sentences."""
    from pipeline.core.atomic import atomic_path
    from pipeline.core.errors import SynsemError
    from pipeline.export.text_encoder import in_language, parsed, ready
    from pipeline.params import load, or_defaults
    from pipeline.report.figures.comparison import Likeness, comparison_picture
    from pipeline.systems import registry
    from pipeline.systems.base import usual_view

    texts = (sentence, reworded, exchanged)
    if not all(text.strip() for text in texts):
        raise SynsemError("picture: a sentence is empty; give three, each in quotes")
    if out.suffix.lower() != ".svg":
        raise SynsemError(f"--out: {out} is written as SVG; end its name in .svg")
    settings = load(or_defaults(params), "parse", "encoder")
    parse = in_language(settings.parse, lang)
    ready(parse)
    sides = parsed(texts, parse, settings.encoder.max_tokens)
    plain = registry.backbone(settings.encoder.model_copy(update={"sketch": None}))
    vectors = [("plain encoder", plain.embed(sides)["semantic"])]
    folders = [named(folder) for folder in model or []] or [chosen_model(None, params)]
    systems = [(registry.load(folder), folder) for folder in folders]
    several = Counter(system.name for system, _ in systems)
    for system, folder in systems:
        views = system.embed(sides)
        view = usual_view(views)
        # Two models of one system are named by their folders, too, such as 13.
        seed = f" {folder.name}" if several[system.name] > 1 else ""
        vectors.append((f"{system.name}{seed}, {view} vector", views[view]))
    rows = [Likeness(name, float(x[0] @ x[1]), float(x[0] @ x[2])) for name, x in vectors]
    with atomic_path(out) as unfinished:
        unfinished.write_text(comparison_picture(sides[0], reworded, sides[2], rows), encoding="utf-8")
    print(f"picture: {out}")


if __name__ == "__main__":
    run(main)
