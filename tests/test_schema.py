"""params.schema.json, for editors: it is what `make schema` writes, and it judges as the parameters do."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator

from pipeline.core.errors import SynsemError
from pipeline.evaluation.ablations import apply_changes, read_ablations
from pipeline.params import Params, read
from stages.tools.schema import main, schema

ROOT = Path(__file__).parent.parent
PARAMS = ROOT / "params.yaml"
COMMITTED = ROOT / "params.schema.json"


@pytest.fixture(scope="module")
def judge() -> Draft7Validator:
    content = json.loads(COMMITTED.read_text(encoding="utf-8"))
    Draft7Validator.check_schema(content)
    return Draft7Validator(content)


@pytest.fixture
def raw() -> dict[str, Any]:
    return read(PARAMS)


def keys(content: dict[str, Any], node: dict[str, Any], prefix: str = "") -> dict[str, dict[str, Any]]:
    """Every dotted key of a schema with what the schema says of it."""
    found = {}
    for name, field in node.get("properties", {}).items():
        found[prefix + name] = field
        for each in [field, *field.get("anyOf", [])]:
            if "$ref" in each:
                inner = content["$defs"][each["$ref"].rpartition("/")[2]]
                found |= keys(content, inner, f"{prefix}{name}.")
    return found


def test_the_committed_schema_is_the_generated_one(tmp_path: Path) -> None:
    main(PARAMS, tmp_path / "new.json")
    assert (tmp_path / "new.json").read_text() == COMMITTED.read_text(), "call `make schema`"


def test_it_accepts_the_defaults_and_every_ablation(judge: Draft7Validator, raw: dict[str, Any]) -> None:
    judge.validate(raw)
    for name in ("languages.yaml", "ablations.yaml"):
        for ablation in read_ablations(ROOT / name):
            judge.validate(apply_changes(raw, ablation.changes))


@pytest.mark.parametrize(
    ("section", "key", "value"),
    [
        ("train", "tua", 0.1),
        ("train", "tau", 0.0),
        ("train", "batch_size", 1),
        ("train", "steps", "many"),
        ("sscp", "bias", "forest"),
        ("augment", "transformations", ["pasive"]),
        ("download", "documents", "most"),
        ("download", "sources", ["abc", "abc"]),
        ("evaluate", "tasks", ["probes", "probes"]),
    ],
)
def test_it_refuses_what_the_parameters_refuse(
    judge: Draft7Validator, raw: dict[str, Any], section: str, key: str, value: object
) -> None:
    raw[section][key] = value
    assert [error.absolute_path[0] for error in judge.iter_errors(raw)] == [section]


def test_it_refuses_an_unknown_section_and_system_and_misses_a_key(
    judge: Draft7Validator, raw: dict[str, Any]
) -> None:
    assert not judge.is_valid(raw | {"trian": {}})
    assert not judge.is_valid(raw | {"systems": ["sccp"]})
    assert not judge.is_valid(raw | {"seeds": [13, 13]})
    del raw["train"]["tau"]
    assert not judge.is_valid(raw)


def test_every_key_of_the_file_is_in_it_and_has_the_words_of_its_comment() -> None:
    content = schema(PARAMS.read_text(encoding="utf-8"))
    found = keys(content, content)
    assert found["train.tau"]["description"] == "temperature of InfoNCE"
    assert found["download.sources"]["description"] == (
        'e.g. [abc, data/own/my.txt, "wikiextractor:data/own/wiki"]; see `synsem sources`'
    )
    assert found["encoder.sketch.weight"]["description"].startswith("beside the rest of the joint vector")
    assert "docs/contrast-sets.md" in found["evaluate.tasks"]["description"]
    assert found["report"]["description"] == "The HTML page."
    assert found["parse.models"]["description"].endswith("or BACKEND:MODEL")
    assert set(found) >= {
        f"{section}.{key}"
        for section, values in read(PARAMS).items() if isinstance(values, dict)
        for key in values
    }  # fmt: skip
    assert list(content["properties"]) == list(Params.model_fields)


def test_an_editor_knows_which_file_it_is_for() -> None:
    """Not by a first line of params.yaml: stages depend on that file, byte for byte."""
    settings = json.loads((ROOT / ".vscode" / "settings.json").read_text())
    assert settings["yaml.schemas"] == {"./params.schema.json": ["/params.yaml"]}
    stages = yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"]
    assert any("params.yaml" in stage["deps"] for stage in stages.values())
    assert "yaml-language-server" not in PARAMS.read_text()


def test_a_comment_above_a_key_is_not_of_the_key_before_it() -> None:
    text = "train:\n  steps: 60  # updates\n    # of the model\n  # of the next key\n  batch_size: 32\n"
    described = schema(text)["$defs"]["Train"]["properties"]
    assert described["steps"]["description"] == "updates of the model"


def test_of_a_file_that_is_not_valid_no_schema_is_written(tmp_path: Path) -> None:
    (tmp_path / "params.yaml").write_text("train: {tua: 0.1}\n")
    with pytest.raises(SynsemError, match=r"train\.tua: unknown; did you mean train\.tau"):
        main(tmp_path / "params.yaml", tmp_path / "schema.json")
    assert not (tmp_path / "schema.json").exists()
