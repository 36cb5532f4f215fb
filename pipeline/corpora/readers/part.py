"""The files that a reader is given at once."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pipeline.corpora.inputs import Input
from pipeline.errors import SynsemError


@dataclass(frozen=True)
class Part:
    """Files of a source that are read together, by role; a single file has the role ``""``.

    ``options`` are the location's own settings for its reader.
    """

    inputs: Mapping[str, Input]
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def input(self) -> Input:
        """The only file."""
        (only,) = self.inputs.values()
        return only

    def role(self, name: str) -> Input:
        """The file of that role; SynsemError where the part has none."""
        if name not in self.inputs:
            raise SynsemError(f"{self.name}: lacks the file in the role {name!r}; check sources.yaml")
        return self.inputs[name]

    @property
    def name(self) -> str:
        """The first file's name, for messages."""
        return next(iter(self.inputs.values())).name


def fields(part: Part, count: int, *more: int) -> Iterator[tuple[str, list[str]]]:
    """Split each line of the part's only file at tabs: (NAME:LINE, fields). Quotes have no meaning.

    Blank lines are passed over. Raises SynsemError where a line has not ``count`` fields, or one of ``more``.
    """
    for name, number, line in part.input.lines():
        if not line.strip():
            continue
        row = line.split("\t")
        if len(row) != count and len(row) not in more:
            wanted = " or ".join(str(n) for n in (count, *more))
            raise SynsemError(
                f"{name}:{number}: {len(row)} tab-separated columns where {wanted} belong;"
                " mend the line or choose another reader"
            )
        yield f"{name}:{number}", row


def number(text: str, where: str) -> float:
    """A decimal number; SynsemError naming the place where it is none."""
    try:
        return float(text)
    except ValueError as error:
        raise SynsemError(f"{where}: {text!r} is not a number; mend the line") from error


def choice(text: str, allowed: tuple[str, ...], where: str) -> str:
    """A label out of ``allowed``; SynsemError naming the place where it is another."""
    if text not in allowed:
        raise SynsemError(f"{where}: label {text!r} is none of {', '.join(allowed)}; mend the line")
    return text
