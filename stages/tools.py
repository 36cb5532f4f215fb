"""The commands that use a model or a text; they are not stages of the graph.

A model is a trained model's folder, or ``pretrained``, the default: the one that comes with SynSem.
"""

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from pipeline import pretrained
from pipeline.core.command import Params, Workers
from pipeline.core.errors import SynsemError

_PRETRAINED = Path("pretrained")
_MODEL = "A trained model's folder, or `pretrained`: the one that comes with SynSem"
Source = Annotated[
    Path | None, typer.Argument(help="UTF-8 text, one sentence a line; default, or -: standard input.")
]
Out = Annotated[Path | None, typer.Option(help="Default, or -: standard output.")]
OneModel = Annotated[Path, typer.Option(help=f"{_MODEL}.")]
View = Annotated[str | None, typer.Option(help="Such as semantic, structural, joint.")]
Device = Annotated[str, typer.Option(help="auto, cpu, cuda, cuda:1, mps.")]
Lang = Annotated[str | None, typer.Option(help="Of the text, if it is parsed: a key of parse.models.")]
Parser = Annotated[Path | None, typer.Option("--params", help="Names the parser; default: the model's own.")]


def encode(
    model: Annotated[Path, typer.Argument(help=f"{_MODEL}.")],
    source: Source = None,
    out: Out = None,
    kind: Annotated[
        Literal["parquet", "jsonl", "npy"] | None, typer.Option("--format", help="Default: by --out.")
    ] = None,
    view: View = None,
    device: Device = "auto",
    precision: Annotated[
        Literal["fast", "bf16", "exact"], typer.Option(help="fast is equal to 1e-3, bf16 to 1e-2.")
    ] = "fast",
    lang: Lang = None,
    params: Parser = None,
) -> None:
    """Embed sentences, one a line: synsem encode pretrained < sentences.txt > embeddings.parquet."""
    from pipeline.export.texts import TextEncoder, encode_lines, format_of, open_system

    source, out = _piped(source), _piped(out)
    written = format_of(kind, out)
    if out is None and written != "jsonl" and sys.stdout.isatty():
        raise typer.BadParameter(f"{written} is binary: redirect it to a file, or give --out")
    system, parse = open_system(model, device, params, lang)
    counts = encode_lines(TextEncoder(system, view, parse, precision), source, out, written)
    print(f"encode: {counts}", file=sys.stderr)


def compare(
    a: Annotated[str, typer.Argument(help="A sentence; or a file of pairs, or - for standard input.")],
    b: Annotated[str | None, typer.Argument(help="Another sentence.")] = None,
    model: OneModel = _PRETRAINED,
    out: Out = None,
    device: Device = "auto",
    lang: Lang = None,
    params: Parser = None,
    runs: Annotated[
        bool, typer.Option("--runs", help="A and B are evaluated runs or systems: test their difference.")
    ] = False,
    reports: Annotated[Path, typer.Option(help="The results of --runs.")] = Path("reports"),
) -> None:
    """Score two sentences by every view: synsem compare "The dog ran." "A dog was running."

    Or the pairs of a file, two texts a line, separated by a tab: synsem compare pairs.tsv > scores.tsv

    Or the results of two runs or systems: synsem compare backbone sscp-13 --runs
    """
    if runs:
        from rich.console import Console

        from pipeline.report.compare import compare as differences
        from pipeline.report.compare import comparison_table

        other = b or "backbone"
        table = comparison_table(differences(reports, a, other), a, other)
        Console(width=None if sys.stdout.isatty() else 140).print(table)
        return
    from pipeline.export.texts import LATE, open_system, pair_scores, score_lines

    system, parse = open_system(model, device, params, lang)
    if b is None:
        print(f"compare: {score_lines(system, parse, _piped(Path(a)), _piped(out))}", file=sys.stderr)
        return
    for name, (score, *alone) in pair_scores([(a, b), (a, a), (b, b)], system, parse).items():
        itself = "each with itself: {:.3f} and {:.3f}".format(*alone)
        scales = {LATE: itself, "similarity": "1: equal", "same": "probability of saying the same"}
        print(f"{name:16} {score:6.3f}  {scales.get(name, 'cosine')}")


def search(
    query: Annotated[str, typer.Argument(help='A sentence, e.g. "Who chased the boy?"')],
    source: Source = None,
    model: OneModel = _PRETRAINED,
    view: View = None,
    top: Annotated[int, typer.Option(help="Lines to show.", min=1)] = 10,
    device: Device = "auto",
    lang: Lang = None,
    params: Parser = None,
) -> None:
    """Find the lines most like a sentence: synsem search "Who chased the boy?" sentences.txt

    Prints the similarity, the number of the line and the line, separated by tabs.
    """
    from pipeline.core.parallel import track
    from pipeline.export.texts import TextEncoder, chunks, nearest, open_system
    from pipeline.systems.views import usual_view, views

    system, parse = open_system(model, device, params, lang)
    encoder = TextEncoder(system, view or usual_view(views(system)), parse)
    blocks = track(chunks(_piped(source)), "search", unit="chunks")
    for score, number, line in nearest(query, encoder, blocks, top):
        print(f"{score:.3f}\t{number}\t{line}")


def tree(
    text: Annotated[str, typer.Argument(help='What to parse, e.g. "The boy chased the dog."')],
    variants: Annotated[bool, typer.Option("--variants", help="Also its rewritings.")] = False,
    constituents: Annotated[bool, typer.Option("--constituents", help="Brackets, not dependencies.")] = False,
    model: Annotated[Path | None, typer.Option(help="Draw what this model of synsem reads.")] = None,
    lang: Annotated[str, typer.Option(help="Of the text, a key of parse.models.")] = "en",
    params: Params = Path("params.yaml"),
) -> None:
    """Draw the tree of each sentence of a text."""
    from rich.console import Console

    if model is not None:
        from pipeline.systems.base import registry

        system = registry.load(pretrained.named(model))
        if (drawn := system.draw(text)) is None:
            raise SynsemError(f"model: {system.name} finds no structure by itself; leave out --model")
        Console().print(drawn)
        return
    from pipeline.augment.run import describe
    from pipeline.core.params import load, or_defaults
    from pipeline.parsing.show import draw, parsed
    from pipeline.syntax.constituency import derive
    from pipeline.systems.cssl.backend import register

    register()
    sections = load(or_defaults(params), "augment", "parse")
    for sentence in parsed(text, lang, sections.parse):
        if constituents:
            print(derive(sentence))
        elif variants:
            print(f"{describe(sentence, sections.augment, lang)}\n")
        else:
            Console().print(draw(sentence))


def export(
    model: Annotated[Path, typer.Argument(help=f"{_MODEL}.")],
    folder: Annotated[Path | None, typer.Argument(help="New, for sentence-transformers to load.")] = None,
    view: Annotated[str | None, typer.Option(help="Default: joint; of a graph, one without parser.")] = None,
    onnx: Annotated[Path | None, typer.Option(help="Write an ONNX graph, which runs without torch.")] = None,
    int8: Annotated[bool, typer.Option("--int8", help="Quantise the graph: a quarter of the size.")] = False,
    params: Parser = None,
    data: Annotated[Path, typer.Option(help="For the card: the text that it was trained on.")] = Path("data"),
    reports: Annotated[Path, typer.Option(help="For the card: its results.")] = Path("reports"),
) -> None:
    """Export a model: synsem export pretrained my-model, or synsem export models/sscp/13 --onnx sscp.onnx"""
    model = pretrained.named(model)
    if not (folder or onnx):
        raise SynsemError("export: name a folder, or a graph with --onnx")
    for path in filter(None, (folder, onnx)):
        if path.resolve().is_relative_to(model.resolve()):  # DVC knows a model by all its files
            raise SynsemError(f"{path}: is in the model's own folder; name another place")
    if onnx:
        from pipeline.export.onnx import export_onnx
        from pipeline.systems.base import registry

        least = export_onnx(registry.load(model), onnx, view, int8)
        print(f"export: {onnx}; cosine with the model's own vectors at least {least:.4f}")
    if folder:
        from pipeline.export.sentence_transformers import export_folder

        print(f"export: {folder}, {export_folder(model, folder, view, params, data, reports)} view")


def paraphrase(
    model: Annotated[str, typer.Argument(help="A folder or Hugging Face id, such as a T5.")],
    source: Annotated[
        Path, typer.Argument(help="Parsed sentences; or UTF-8 text, one a line; -: standard input.")
    ] = Path("data/parsed"),
    prompt: Annotated[str, typer.Option(help='Before each sentence, e.g. "paraphrase: ".')] = "",
    back: Annotated[str | None, typer.Option(help="A second model: it translates back.")] = None,
    back_prompt: Annotated[str, typer.Option(help="Before each translation.")] = "",
    count: Annotated[int, typer.Option(help="Paraphrases per sentence, at most.")] = 1,
    beams: Annotated[int, typer.Option(help="Of the search; wider is slower.")] = 5,
    lang: Annotated[str, typer.Option(help="Of the sentences.")] = "en",
    out: Annotated[Path, typer.Option(help="JSON lines.")] = Path("data/own/paraphrases.jsonl"),
    workers: Workers = None,
) -> None:
    """Write paraphrases for download.sources: synsem paraphrase MODEL --prompt "paraphrase: "

    Or translate and translate back: synsem paraphrase EN_DE --back DE_EN
    """
    from pipeline.export.paraphrase import Paraphraser
    from pipeline.export.paraphrase import paraphrase as write

    models = ((model, prompt), *([(back, back_prompt)] if back else []))
    counts = write(Paraphraser(models, count, beams, lang), _piped(source), out, workers)
    for what, number in sorted(counts.items(), reverse=True):
        print(f"paraphrase: {what.replace('.', ' ')}: {number:,}")


def _piped(path: Path | None) -> Path | None:
    """Return a path, or None for standard input or output, which ``-`` stands for."""
    return None if path == Path("-") else path
