"""What many processes would each read or load first: imported by the one that they are forked from."""

from pathlib import Path

from pipeline.core.params import load
from pipeline.parsing import base as registry
from pipeline.systems.synsem.templates import contexts, templates

registry.load(load(Path(__file__).parents[1] / "params.yaml", "parse").parse, "en")
templates()
contexts()
