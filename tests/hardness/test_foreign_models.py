"""A model's folder from elsewhere: its Python code is not run, and damaged weights are one sentence."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.core.errors import SynsemError
from pipeline.evaluation.models import open_model
from pipeline.nn import backbone
from pipeline.systems.ebsim import matcher
from tests.hardness.damage import refusal

CODE = """
from pathlib import Path
from transformers import BertConfig, BertForSequenceClassification, BertModel, BertTokenizerFast

Path({marker!r}).touch()

class Config(BertConfig):
    model_type = "of-its-own"

class Model(BertModel):
    config_class = Config

class Classifier(BertForSequenceClassification):
    config_class = Config

class Tokenizer(BertTokenizerFast):
    pass
"""
CLASSES = {
    "AutoConfig": "own.Config",
    "AutoModel": "own.Model",
    "AutoModelForSequenceClassification": "own.Classifier",
}
LOADERS: dict[str, Callable[[Path], object]] = {
    "backbone": lambda folder: backbone.load(str(folder)),
    "saved system": lambda folder: backbone.restore(None, folder),
    "pooled": lambda folder: open_model(str(folder), "mean"),
    "sentence-transformers": lambda folder: open_model(str(folder)),
    "matcher": lambda folder: matcher.load(folder),
}


def change(path: Path, **values: object) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


@pytest.fixture
def hostile(tiny_backbone: Path, tmp_path: Path) -> Path:
    """A folder whose configuration and tokenizer name classes of its own file, which leaves ``ran``."""
    folder = Path(shutil.copytree(tiny_backbone, tmp_path / "hostile"))
    change(folder / "config.json", model_type="of-its-own", auto_map=CLASSES)
    own = {"AutoTokenizer": [None, "own.Tokenizer"]}
    change(folder / "tokenizer_config.json", tokenizer_class="Tokenizer", auto_map=own)
    (folder / "own.py").write_text(CODE.format(marker=str(tmp_path / "ran")))
    return folder


@pytest.mark.parametrize("loader", LOADERS)
def test_code_of_a_folder_is_not_run_whatever_standard_input_says(
    loader: str, hostile: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []
    monkeypatch.setattr("builtins.input", lambda *question: asked.append(question) or "y")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    said = refusal(lambda: LOADERS[loader](hostile))
    # Of a saved system only the tokenizer is the library's to load, and it has one for the files.
    assert said is not None or loader == "saved system"
    assert said is None or (str(hostile) in said and "code of its own" in said and "\n" not in said)
    assert not (tmp_path / "ran").exists()
    assert asked == []


@pytest.mark.parametrize("pooling", [None, "mean"])
def test_the_flag_that_names_the_folder_lets_its_code_run(
    pooling: str | None, hostile: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("transformers.dynamic_module_utils.HF_MODULES_CACHE", str(tmp_path / "modules"))
    other = str(tmp_path / "other")
    with pytest.raises(SynsemError, match=r"--run-code-of: names .*other and not the --model"):
        open_model(str(hostile), pooling, run_code_of=other)  # type: ignore[arg-type]
    assert not (tmp_path / "ran").exists()
    open_model(str(hostile), pooling, run_code_of=str(hostile))  # type: ignore[arg-type]
    assert (tmp_path / "ran").exists()


@pytest.mark.parametrize("loader", [name for name in LOADERS if name != "saved system"])
def test_pickled_weights_that_are_damaged_are_one_sentence(
    loader: str, tiny_backbone: Path, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(tiny_backbone, tmp_path / "pickled"))
    (folder / "model.safetensors").unlink()
    # A pickle that would call print.
    (folder / "pytorch_model.bin").write_bytes(b"cbuiltins\nprint\n(S'hello'\ntR.")
    with pytest.raises(SynsemError, match="pickled") as caught:
        LOADERS[loader](folder)
    assert "\n" not in str(caught.value)


def test_the_flag_is_said_as_a_shell_takes_it(hostile: Path, tmp_path: Path) -> None:
    spaced = hostile.rename(tmp_path / "my model")
    with pytest.raises(SynsemError, match=f"add --run-code-of '{spaced}'"):
        open_model(str(spaced))
