"""Syntax-aware sentence embeddings: vectors that know who did what to whom.

    import synsem

    model = synsem.load("models/sscp/13")                  # what `dvc repro` or `Pipeline` has trained
    vectors = model.encode(["The dog chased the boy.", "The boy chased the dog."])

``parse`` and ``augment`` need no trained model, and ``Pipeline`` trains one. What goes wrong by a file or a
value of yours is a ``SynsemError``, one sentence with the remedy.
"""

from typing import TYPE_CHECKING, Any

from pipeline.core.errors import SynsemError
from pipeline.syntax.sentence import Sentence
from synsem.model import Found, Model, load
from synsem.running import Pipeline
from synsem.text import augment, parse

if TYPE_CHECKING:
    from pipeline.augment.base import Variant

__version__ = "0.1.0"

__all__ = [
    "Found",
    "Model",
    "Pipeline",
    "Sentence",
    "SynsemError",
    "Variant",
    "__version__",
    "augment",
    "load",
    "parse",
]


def __getattr__(name: str) -> Any:
    # Its module loads numpy, and ``synsem --help`` should answer at once.
    if name == "Variant":
        from pipeline.augment.base import Variant

        return Variant
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
