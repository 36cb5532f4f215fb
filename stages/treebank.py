"""Stage ``treebank``: gold trees for the parser, in their published splits."""

from pathlib import Path

import typer

from pipeline.core.command import Params, run


def main(out: Path = Path("data/treebank"), params: Params = Path("params.yaml")) -> None:
    """Fetch cssl's treebank and reorder its sentences; empty if none is named or ``systems`` lacks cssl."""
    from pipeline.core.params import load
    from pipeline.core.store import atomic_folder
    from pipeline.corpora.fetch import access
    from pipeline.systems.cssl.treebank import write_treebank

    sections = load(params, "systems", "cssl", "download")
    name = sections.cssl.treebank if "cssl" in sections.systems else None
    with atomic_folder(out, "report.json", "corpus", "augmented") as new:
        counts = write_treebank(name, access(sections.download), new)
    shown = ", ".join(f"{name} {number:,}" for name, number in sorted(counts.items())) or "none asked for"
    typer.echo(f"treebank {name or ''}: {shown}")


if __name__ == "__main__":
    run(main)
