"""``synsem picture``: a row for the plain encoder and for every model that is named."""

import re
import shutil
from pathlib import Path

import pytest
import yaml

from pipeline.core.errors import SynsemError
from pipeline.syntax.sentence import Side
from stages.tools import picture

ROOT = Path(__file__).parent.parent.parent
TEXTS = ("The dog chased the boy.", "The boy was chased by the dog.", "The boy chased the dog.")


def side(text: str) -> Side:
    """A flat tree under the first word."""
    words = text.split()
    blank = ("",) * len(words)
    heads, labels = [0] + [1] * (len(words) - 1), ["root"] + ["dep"] * (len(words) - 1)
    return Side(text, words, heads, labels, ["X"] * len(words), blank, blank)


@pytest.fixture
def params(tiny_backbone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Parameters with a tiny backbone; no parser is loaded."""
    monkeypatch.setattr("pipeline.export.text_encoder.ready", lambda parse: None)
    monkeypatch.setattr(
        "pipeline.export.text_encoder.parsed", lambda texts, parse, tokens: [side(text) for text in texts]
    )
    values = yaml.safe_load((ROOT / "params.yaml").read_text())
    values["encoder"] |= {"model": str(tiny_backbone), "max_tokens": 32}
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(values))
    return tmp_path / "params.yaml"


def names(svg: Path) -> list[str]:
    return re.findall(r'class="name"[^>]*>([^<]*)<', svg.read_text(encoding="utf-8"))


def test_each_model_has_a_row_and_two_of_one_system_are_told_apart(
    model: Path, params: Path, tmp_path: Path
) -> None:
    """Else the second would take the place of the first, and nobody would see that one is missing."""
    other = tmp_path / "models" / "sscp" / "14"
    shutil.copytree(model, other)
    out = tmp_path / "picture.svg"
    picture.main(*TEXTS, model=[model], out=out, params=params)
    assert names(out) == ["plain encoder", "sscp, joint vector"]
    picture.main(*TEXTS, model=[model, other], out=out, params=params)
    assert names(out) == ["plain encoder", "sscp 13, joint vector", "sscp 14, joint vector"]


@pytest.mark.parametrize("empty", range(3))
def test_an_empty_sentence_is_refused(empty: int, params: Path, tmp_path: Path) -> None:
    texts = [" " if place == empty else text for place, text in enumerate(TEXTS)]
    with pytest.raises(SynsemError, match="picture: a sentence is empty; give three"):
        picture.main(*texts, out=tmp_path / "picture.svg", params=params)


def test_a_file_of_another_kind_is_refused(params: Path, tmp_path: Path) -> None:
    with pytest.raises(SynsemError, match=r"--out: .*picture\.png is written as SVG; end its name in \.svg"):
        picture.main(*TEXTS, out=tmp_path / "picture.png", params=params)
