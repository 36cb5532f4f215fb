"""What ``pretrain`` puts beside a trained system: folders for sentence-transformers, and a card."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pipeline.export.card import card
from pipeline.export.parsed import JOINT, export_with_parser
from pipeline.export.plain import export_plain, is_plain
from pipeline.export.views import views
from pipeline.params import Parse
from pipeline.systems.base import System

PLAIN = "sentence-transformer"


def export(system: System, folder: Path, facts: Mapping[str, Any], parse: Parse | None) -> None:
    """Write ``folder/sentence-transformer``, and ``-joint`` where there are a joint view and a parser.

    The first one needs a semantic view that is a plain transformer.

    ``folder`` is the saved system's own, complete but for these; ``facts`` are those of its
    ``training.json`` and ``parse`` says how text is parsed for views that read trees. A ``README.md`` goes
    into every folder: a model card with all that is known before evaluation.
    """
    targets: dict[Path, str | None] = {folder: None}
    if is_plain(system.exported):
        export_plain(system, folder / PLAIN)
        targets[folder / PLAIN] = "semantic"
    if parse is not None and "joint" in views(system):
        export_with_parser(folder, folder / JOINT, "joint", parse, link=True)
        targets[folder / JOINT] = "joint"
    for target, view in targets.items():
        (target / "README.md").write_text(card(system.settings, facts, view), encoding="utf-8")
