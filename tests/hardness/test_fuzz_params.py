"""Whatever stands in params.yaml: valid parameters, or one sentence that names the key."""

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.core.errors import SynsemError
from pipeline.params import load, parse
from tests.hardness.damage import FUZZ, damaged, refusal

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "params.yaml").read_text(encoding="utf-8")
RAW = yaml.safe_load(TEXT)
MANY = settings(FUZZ, max_examples=150)
VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4) | st.dates(),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4) | st.integers(), inner, max_size=2)
    ),
    max_leaves=4,
)  # fmt: skip


def paths(values: Any, prefix: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """Every key of the file, sections too."""
    if not isinstance(values, dict):
        return [prefix]
    return [path for key, value in values.items() for path in [(*prefix, key), *paths(value, (*prefix, key))]]


KEYS = sorted({path for path in paths(RAW) if path})


def holder(raw: dict[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
    for key in path[:-1]:
        raw = raw[key]
    return raw


def outcome(raw: Any) -> str | None:
    """None for valid parameters, else the complaint."""
    complaint = refusal(lambda: parse(raw))
    assert complaint is None or "\n" not in complaint
    return complaint


@given(path=st.sampled_from(KEYS), value=VALUE)
@MANY
def test_a_value_of_any_type_is_taken_or_its_key_is_named(path: tuple[str, ...], value: Any) -> None:
    raw = copy.deepcopy(RAW)
    holder(raw, path)[path[-1]] = value
    complaint = outcome(raw)
    assert complaint is None or ".".join(path) in complaint


@given(
    path=st.sampled_from(KEYS),
    name=st.text(st.characters(categories=("L", "N", "P")), min_size=1, max_size=6) | st.integers(),
)
@MANY
def test_a_renamed_key_is_named_by_its_old_and_its_new_name(path: tuple[str, ...], name: Any) -> None:
    raw = copy.deepcopy(RAW)
    section = holder(raw, path)
    if name in section:
        return
    value = section.pop(path[-1])
    optional = outcome(raw) is None  # it has a default, or is a key of the user's own, as in parse.models
    section[name] = value
    complaint = outcome(raw)
    a_model = path[:-1] == ("parse", "models")  # any string may be a language
    if not a_model or isinstance(name, int):
        assert complaint is not None
        assert ".".join([*path[:-1], str(name)]) in complaint
    if a_model and isinstance(name, int):
        return  # whether a language lacks its model is asked of a section whose keys are strings
    assert optional or complaint is None or f"{'.'.join(path)}: missing; add it" in complaint


@given(text=damaged(TEXT.encode()))
@MANY
def test_a_damaged_file_is_valid_or_named(text: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / "damaged.yaml"
    path.write_bytes(text)
    complaint = refusal(lambda: load(path, "train"))
    assert complaint is None or (complaint.startswith(f"{path}: ") and "\n" not in complaint)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty; "),
        ("# all is a comment\n", "is empty; "),
        ("- train\n", "must be a mapping of sections"),
        ("train", "must be a mapping of sections"),
        ("&a [*a]", "must be a mapping of sections"),
        ("train: &a {tau: *a}", "train"),
        ("1: 2\n", "1: "),
        ("[" * 5000, "not valid YAML"),
        ("train: {tau: !!python/object/apply:os.system [x]}", "not valid YAML"),
    ],
)
def test_no_parameters_at_all(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "params.yaml"
    path.write_text(text)
    with pytest.raises(SynsemError) as failure:
        load(path, "train")
    assert f"{path}: " in str(failure.value)
    assert message in str(failure.value)


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "params.yaml"
    path.write_bytes(b"train: \xff\xfe\n")
    with pytest.raises(SynsemError, match=r"params\.yaml: not valid YAML"):
        load(path, "train")


def test_a_file_of_an_older_version_tells_what_to_add_remove_and_rename(tmp_path: Path) -> None:
    raw = copy.deepcopy(RAW)
    del raw["ebsim"], raw["mine"]["overlap"]
    raw["train"]["temperature"] = raw["train"].pop("tau")
    raw["evaluation"] = raw.pop("evaluate")
    raw["train"]["epochs"] = 3
    path = tmp_path / "params.yaml"
    path.write_text(yaml.safe_dump(raw))
    with pytest.raises(SynsemError) as failure:
        load(path, "train")
    said = str(failure.value)
    for expected in (
        "ebsim: missing; add it",
        "mine.overlap: missing; add it",
        "train.tau: missing; add it",
        "train.temperature: unknown; remove it",
        "train.epochs: unknown; ",
        "evaluation: unknown; did you mean evaluate?",
    ):
        assert expected in said
