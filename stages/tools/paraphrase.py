"""Tool ``paraphrase``: a sentence rewritten in a syntax of your choice."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from stages.cli import Params, run
from stages.tools.lang import Lang


def main(
    text: Annotated[str, typer.Argument(help='A sentence, e.g. "The boy chased the dog."')] = "",
    like: Annotated[
        str | None,
        typer.Option(help='The syntax: a tree, e.g. "(S (NP) (VP (VBD) (NP)))", or a sentence that has it.'),
    ] = None,
    model: Annotated[Path, typer.Option(help="A trained parabart system.")] = Path("models/parabart/13"),
    beams: Annotated[int, typer.Option(help="Hypotheses followed; 1 is greedy.", min=1, max=64)] = 4,
    best: Annotated[int, typer.Option(help="Paraphrases to print, --beams at most.", min=1)] = 1,
    complete: Annotated[
        bool,
        typer.Option(help="Fill the empty phrases of a tree with the commonest ones, or leave them open."),
    ] = True,
    pairs: Annotated[
        Path | None,
        typer.Option(
            help="Instead of a text: score the paraphrases of the development pairs in this folder."
        ),
    ] = None,
    count: Annotated[int, typer.Option(help="Pairs to score, at most.", min=2)] = 200,
    most_shared: Annotated[
        float, typer.Option(help="Only pairs that share at most this much of their trigrams.", min=0, max=1)
    ] = 1.0,
    lang: Lang = None,
    params: Params = Path("params.yaml"),
) -> None:
    """Write a paraphrase of a sentence in the syntax of a tree or of another sentence."""
    from pipeline.export.paraphrase import ParaphraseRequest, paraphrase, paraphrase_quality
    from pipeline.export.text_encoder import in_language
    from pipeline.params import load, or_defaults

    parse = in_language(load(or_defaults(params), "parse").parse, lang)
    if pairs is not None:
        for name, value in paraphrase_quality(model, pairs, count, parse, most_shared).items():
            print(f"{name:24}{value:8.3f}")
        return
    written = paraphrase(model, ParaphraseRequest(text, like, beams, best, complete), parse)
    for note in written.notes:
        print(f"note: {note}", file=sys.stderr)
    for each in written.paraphrases:
        print(each.text if best == 1 else f"{each.score:7.3f}  {each.text}")


if __name__ == "__main__":
    run(main)
