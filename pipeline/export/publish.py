"""What leaves the house: a model's card with its numbers, and folders and graphs made on request."""

from pathlib import Path

from pipeline.errors import SynsemError
from pipeline.export.card import card
from pipeline.export.encoding import parser_of
from pipeline.export.parsed import export_with_parser
from pipeline.export.places import placed
from pipeline.export.plain import export_plain
from pipeline.export.scores import read_scores
from pipeline.export.views import require
from pipeline.store import read_json
from pipeline.systems import registry
from pipeline.systems.base import System


def full_card(model: Path, system: System, view: str | None, data: Path, reports: Path) -> str:
    """The card with the sources of the text and what evaluation measured, as far as they are there.

    A model's folder is written once, by the stage that trains it; so this card is no part of it.
    """
    facts = read_json(model / "training.json")
    scores = read_scores(reports, facts["system"], facts["seed"])
    return card(system.settings, facts, view, _sources(data), scores)


def export_folder(
    model: Path, folder: Path, view: str, params: Path | None, data: Path, reports: Path
) -> None:
    """Write a sentence-transformers folder of one view, with the full card, to be shared or uploaded.

    Raises SynsemError where the folder has something in it already or the system lacks the view.
    """
    system = registry.load(model)
    require(system, view, model)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise SynsemError(f"{folder}: is not empty; name a new folder")
    with placed(folder) as partial:
        if view == "semantic":
            export_plain(system, partial)
        else:
            export_with_parser(model, partial, view, parser_of(model, params))
        (partial / "README.md").write_text(full_card(model, system, view, data, reports), encoding="utf-8")


def _sources(data: Path) -> list[str]:
    origin, parsed = data / "corpus" / "origin.json", data / "parsed" / "report.json"
    lines = []
    if origin.exists():
        for name, source in sorted(read_json(origin).items()):
            lines.append(f"`{name}`: {source['location']}, licence: {source['licence']}")
    if parsed.exists():
        lines += [f"parsed with {parser}" for parser in read_json(parsed).get("parsers", ())]
    return lines
