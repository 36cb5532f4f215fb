"""``make schema``: params.schema.json, by which an editor completes, explains and checks params.yaml.

The rules are those of the models in ``pipeline/params``; the descriptions are the comments of params.yaml.
It is JSON Schema draft 7, which the YAML support of editors reads.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
import yaml

from stages.cli import SYSTEMS, Params, run

_DRAFT = "http://json-schema.org/draft-07/schema#"
_RARELY = "rarely changed"  # a heading within a section, no description


def main(
    params: Params = Path("params.yaml"),
    out: Annotated[Path, typer.Option(help="The schema.")] = Path("params.schema.json"),
) -> None:
    """Write the schema of the parameter file, with the comments of the file as descriptions."""
    from pipeline.core.store import write_text
    from pipeline.params import load_all

    load_all(params)  # a file that is not valid is told so, key by key
    content = schema(params.read_text(encoding="utf-8"))
    write_text(out, json.dumps(content, indent=2, ensure_ascii=False) + "\n")


def schema(text: str) -> dict[str, Any]:
    """The JSON schema of all parameters; ``text`` is a parameter file, whose comments describe its keys."""
    from pipeline.params import Params as Parameters

    content = _plain(Parameters.model_json_schema())
    node = yaml.compose(text, yaml.SafeLoader)
    if isinstance(node, yaml.MappingNode):
        _describe(content, content, node, text.splitlines())
    _name(content)
    return {"$schema": _DRAFT, "title": "params.yaml of SynSem"} | content


def _plain(node: Any) -> Any:
    """The schema without titles, which repeat the key, and defaults, which are those of older models."""
    if isinstance(node, list):
        return [_plain(each) for each in node]
    if not isinstance(node, dict):
        return node
    # Below ``properties`` and ``$defs`` a name is a key of ours, whatever it is.
    return {
        name: {key: _plain(each) for key, each in value.items()}
        if name in ("properties", "$defs")
        else _plain(value)
        for name, value in node.items()
        if name not in ("title", "default")
    }


def _describe(
    content: dict[str, Any], node: dict[str, Any], keys: yaml.MappingNode, lines: list[str]
) -> None:
    """Give each property the comment of its key, or of a section without one its model's docstring."""
    for key, value in keys.value:
        field = node.get("properties", {}).get(key.value)
        if field is None:  # of a mapping with keys of the user's, such as parse.models
            continue
        section = _section(content, field)
        comment = " ".join(_comments(key, value, lines))
        if comment and comment != _RARELY:
            field["description"] = comment
        elif section is not None:
            field["description"] = section["description"]
        if section is not None and isinstance(value, yaml.MappingNode):
            _describe(content, section, value, lines)


def _section(content: dict[str, Any], field: dict[str, Any]) -> dict[str, Any] | None:
    """The schema of a section that a field refers to, by itself or as an alternative to null."""
    for each in (field, *field.get("anyOf", ())):
        if "$ref" in each:
            found: dict[str, Any] = content["$defs"][each["$ref"].rpartition("/")[2]]
            return found
    return None


def _comments(key: yaml.Node, value: yaml.Node, lines: list[str]) -> Iterator[str]:
    """The comment behind a key or its value, and the lines of comment alone below, indented more."""
    at = key.start_mark.line
    behind = value.end_mark.column if value.end_mark.line == at else key.end_mark.column
    # The rest of the key's line: nothing of it is the value, unless a list goes on below.
    if found := re.match(r":?\s*#\s*(.*)", lines[at][behind:]):
        yield found[1].strip()
    for line in lines[at + 1 :]:
        indent, sign, comment = re.match(r"(\s*)(#?)\s*(.*)", line).groups()  # type: ignore[union-attr]
        if not sign or len(indent) <= key.start_mark.column or comment == _RARELY:
            return
        yield comment.strip()


def _name(content: dict[str, Any]) -> None:
    """Add the names that are files elsewhere: of systems, rewrites and tasks."""
    from pipeline.augment.catalogue import NAMES
    from pipeline.evaluation.plan import ALIASES, BENCHMARK_TASKS, CORPUS_TASKS

    sections = content["$defs"]
    content["properties"]["systems"]["items"]["enum"] = SYSTEMS
    sections["Augment"]["properties"]["transformations"]["items"]["enum"] = sorted(NAMES)
    # A benchmark of the user's own is a task, too: these names are offered, others accepted.
    tasks = [*CORPUS_TASKS, *BENCHMARK_TASKS, *ALIASES]
    sections["Evaluate"]["properties"]["tasks"]["items"] = {"anyOf": [{"enum": tasks}, {"type": "string"}]}


if __name__ == "__main__":
    run(main)
