"""The base of all sections of params.yaml, the kinds of numbers in them, and the YAML reader.

PyYAML follows YAML 1.1, where 2e-05 is a string, ``no`` (Norwegian) false, and 013 eleven; DVC follows YAML
1.2 and writes small numbers like that. So the reader takes truth values and numbers by YAML 1.2. ruamel.yaml
does, too, but comes with DVC, and a GPU machine needs no DVC.
"""

import operator
import re
from collections.abc import Callable
from typing import Annotated, Any, LiteralString, TypeVar

import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationInfo
from pydantic_core import PydanticCustomError

from pipeline.core.own_yaml import SafeLoader

Item = TypeVar("Item")


def _once(values: list[Item]) -> list[Item]:
    for number, value in enumerate(values):
        if value in values[:number]:
            raise PydanticCustomError("twice", "names {value} twice; remove one", {"value": repr(value)})
    return values


Fraction = Annotated[float, Field(ge=0, le=1)]
Dropout = Annotated[float, Field(ge=0, lt=1)]
Likeness = Annotated[float, Field(ge=0.5, le=1)]  # a similarity threshold
Weight = Annotated[float, Field(ge=0)]
Count = Annotated[int, Field(ge=0)]
Seed = Annotated[int, Field(ge=0, lt=2**32)]  # that every library takes
Dimensions = Annotated[int, Field(ge=1, le=2**16)]  # of a vector
Positive = Annotated[int, Field(ge=1)]
Rate = Annotated[float, Field(gt=0)]
# Of a softmax over cosines. Below about 1e-19 the square of a cosine divided by it is beyond float32.
Temperature = Annotated[float, Field(ge=1e-9)]
Cosine = Annotated[float, Field(ge=-1, le=1)]
# A list that names nothing twice.
Unique = Annotated[list[Item], AfterValidator(_once), Field(json_schema_extra={"uniqueItems": True})]


def not_below(lower: str) -> AfterValidator:
    """A check that a number is at least that of the key ``lower``, which comes before it in its section."""
    return _bounded(lower, operator.ge, "below", "must not be below {lower}")


def above(lower: str) -> AfterValidator:
    """A check that a number is more than that of the key ``lower``, which comes before it in its section."""
    return _bounded(lower, operator.gt, "not_above", "must be above {lower}")


def _bounded(
    lower: str, holds: Callable[[float, float], bool], kind: LiteralString, message: LiteralString
) -> AfterValidator:
    def check(value: float, others: ValidationInfo) -> float:
        if lower in others.data and not holds(value, others.data[lower]):
            raise PydanticCustomError(kind, message, {"lower": lower})
        return value

    return AfterValidator(check)


class Section(BaseModel):
    """A section of params.yaml: immutable, no unknown keys, no silent conversions, all numbers finite."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class _SafeLoader(SafeLoader):  # type: ignore[misc, valid-type]
    pass


_BOOL, _INT, _FLOAT = "tag:yaml.org,2002:bool", "tag:yaml.org,2002:int", "tag:yaml.org,2002:float"
_SafeLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag not in (_BOOL, _INT, _FLOAT)]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_SafeLoader.add_implicit_resolver(_BOOL, re.compile("(?:true|True|TRUE|false|False|FALSE)$"), list("tTfF"))
_SafeLoader.add_implicit_resolver(
    _INT, re.compile(r"[-+]?[0-9][0-9_]*$|0o[0-7]+$|0x[0-9a-fA-F]+$"), list("-+0123456789")
)
_SafeLoader.add_implicit_resolver(
    _FLOAT,
    re.compile(
        r"[-+]?(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?$"
        r"|[-+]?\.(?:inf|Inf|INF)$|\.(?:nan|NaN|NAN)$"
    ),
    list("-+.0123456789"),
)


def _integer(loader: _SafeLoader, node: yaml.ScalarNode) -> int:
    text = loader.construct_scalar(node).replace("_", "")
    return int(text, {"0o": 8, "0x": 16}.get(text[:2], 10))


_SafeLoader.add_constructor(_INT, _integer)


class RepeatedKey(yaml.YAMLError):
    """A key that stands twice in one mapping; the message names it with its lines."""


def read_yaml(text: str) -> Any:
    """Parse YAML text to mappings, lists, numbers and strings.

    Raises yaml.YAMLError where it is not YAML, and RepeatedKey where a key stands twice: PyYAML would take
    the last in silence.
    """
    loader = _SafeLoader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return None
        _demand_once(node, "", set())
        return loader.construct_document(node)
    finally:
        loader.dispose()


def _demand_once(node: yaml.Node, path: str, seen: set[int]) -> None:
    """Raise RepeatedKey for the first key that stands twice below a node; ``seen`` ends a loop of aliases."""
    if id(node) in seen:
        return
    seen.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        for number, value in enumerate(node.value):
            _demand_once(value, f"{path}{number}.", seen)
    elif isinstance(node, yaml.MappingNode):
        lines: dict[tuple[str, str], int] = {}
        for key, value in node.value:
            name, line = str(key.value), key.start_mark.line + 1
            if isinstance(key, yaml.ScalarNode):
                if first := lines.get((key.tag, name)):
                    raise RepeatedKey(f"{path}{name}: stands twice (lines {first} and {line}); remove one")
                lines[key.tag, name] = line
            _demand_once(value, f"{path}{name}.", seen)
