"""Stage ``treebank``: gold trees for the parser, in their published splits."""

from pathlib import Path

import typer

from pipeline.core.command import Params, run


def main(out: Path = Path("data/treebank"), params: Params = Path("params.yaml")) -> None:
    """Fetch the treebank of cssl.treebank and reorder its sentences; empty where none is named."""
    from pipeline.core.params import load
    from pipeline.core.store import atomic_folder
    from pipeline.corpora.fetch import access
    from pipeline.systems.cssl.treebank import write_treebank

    sections = load(params, "cssl", "download")
    with atomic_folder(out, "report.json", "corpus", "augmented") as new:
        counts = write_treebank(sections.cssl.treebank, access(sections.download), new)
    shown = ", ".join(f"{name} {number:,}" for name, number in sorted(counts.items())) or "none asked for"
    typer.echo(f"treebank {sections.cssl.treebank or ''}: {shown}")


if __name__ == "__main__":
    run(main)
