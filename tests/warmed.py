"""What many processes would each read or load first: imported by the one that they are forked from."""

from pathlib import Path

from pipeline.params import load
from pipeline.parsing import registry
from pipeline.systems.synsem.alternations.drawn import alternations
from pipeline.systems.synsem.contexts import contexts

registry.load(load(Path(__file__).parents[1] / "params.yaml", "parse").parse, "en")
alternations()
contexts()
