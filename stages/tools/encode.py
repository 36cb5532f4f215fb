"""``synsem encode``: sentences, one a line, to a table of their vectors."""

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from stages.cli import ends_with_its_reader, run
from stages.tools.arguments import Lang, Output, TrainedModel, piped

Format = Literal["parquet", "jsonl", "npy"]
Precision = Literal["fast", "bf16", "exact"]  # of pipeline.nn.precision, which loads torch


def main(
    model: TrainedModel,
    source: Annotated[
        Path | None,
        typer.Argument(help="UTF-8 text, one sentence a line; default, or -: standard input."),
    ] = None,
    out: Output = None,
    kind: Annotated[
        Format | None, typer.Option("--format", help="Default: the suffix of --out, or parquet.")
    ] = None,
    view: Annotated[
        str | None,
        typer.Option(help="One view alone, such as joint; semantic needs no parser; default: all."),
    ] = None,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda, cuda:1, mps.")] = "auto",
    precision: Annotated[
        Precision,
        typer.Option(
            help="fast: float16 where the device has it natively, equal to 1e-3; "
            "bf16: bfloat16 where a CPU has that alone, equal to 1e-2; exact: float32."
        ),
    ] = "fast",
    lang: Lang = None,
    params: Annotated[Path | None, typer.Option(help="Names the parser; default: the model's own.")] = None,
) -> None:
    """Embed sentences, one a line: synsem encode pretrained < sentences.txt > embeddings.parquet."""
    from pipeline.export.encode import encode_stream
    from pipeline.export.writers import format_of

    source, out = piped(source), piped(out)
    written = format_of(kind, out)
    # A closed one is None.
    if out is None and written != "jsonl" and sys.stdout is not None and sys.stdout.isatty():
        raise typer.BadParameter(f"{written} is binary: redirect it to a file, or give --out")
    with ends_with_its_reader():
        result = encode_stream(model, source, out, written, view, device, params, precision, lang)
    print(f"encode: {result}", file=sys.stderr)


if __name__ == "__main__":
    run(main)
