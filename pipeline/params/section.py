"""The base of all sections of params.yaml, the kinds of numbers in them, and the YAML reader.

PyYAML follows YAML 1.1, where 2e-05 is a string; DVC follows YAML 1.2 and writes small numbers like that. So
the reader adds that form. ruamel.yaml knows it too, but comes with DVC, and a GPU machine needs no DVC.
"""

import re
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, Field

Fraction = Annotated[float, Field(ge=0, le=1)]
Likeness = Annotated[float, Field(ge=0.5, le=1)]  # a similarity threshold
Weight = Annotated[float, Field(ge=0)]
Count = Annotated[int, Field(ge=0)]
Positive = Annotated[int, Field(ge=1)]
Rate = Annotated[float, Field(gt=0)]


class Section(BaseModel):
    """A section of params.yaml: immutable, no unknown keys, no silent conversions."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class _SafeLoader(yaml.SafeLoader):
    pass


_SafeLoader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d+$"), list("-+.0123456789")
)


def read_yaml(text: str) -> Any:
    """Parse YAML text to mappings, lists, numbers and strings. Raises yaml.YAMLError where it is not YAML."""
    return yaml.load(text, _SafeLoader)
