"""Views that read trees, through sentence-transformers alone."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import yaml

from pipeline.core.errors import SynsemError
from pipeline.core.store import read_json, write_json
from pipeline.export.module import ParsedEncoder
from pipeline.export.sentence_transformers import MODULE, export_folder, export_plain, is_plain, parser_of
from pipeline.export.text_encoder import parsed
from pipeline.params import load as load_params
from pipeline.syntax.sentence import Side
from pipeline.systems import registry

ROOT = Path(__file__).parents[2]
TEXTS = [
    "The old dog chased the boy.", "", "Rain fell, and it did not stop for a whole week.", " \t",
    "Ünïcödé — 😀 \u2028 fine", "word " * 500,
]  # fmt: skip


def load(folder: Path, **changes: Any) -> Any:
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(folder), trust_remote_code=True, device="cpu", model_kwargs=changes)


@pytest.fixture(scope="module")
def expected(model: Path) -> dict[str, np.ndarray]:
    return registry.load(model).embed(parsed(TEXTS, parser_of(model, None), 32))


def test_the_joint_folder_gives_the_systems_vectors_and_survives_saving(
    model: Path, expected: dict[str, np.ndarray], tmp_path: Path
) -> None:
    loaded = load(model / "sentence-transformer-joint")
    np.testing.assert_allclose(loaded.encode(TEXTS), expected["joint"], atol=1e-5)
    np.testing.assert_allclose(loaded.encode(TEXTS[0], batch_size=1), expected["joint"][0], atol=1e-5)
    assert (loaded.get_embedding_dimension(), loaded.max_seq_length) == (32 + 32 + 512, 32)
    loaded.save(str(tmp_path / "again"))
    np.testing.assert_allclose(load(tmp_path / "again").encode(TEXTS), expected["joint"], atol=1e-5)


def test_a_dtype_that_would_be_ignored_is_refused(model: Path) -> None:
    for name in ("dtype", "torch_dtype"):
        with pytest.raises(SynsemError, match=r"dtype: float16 is not there, .* computes in float32"):
            load(model / "sentence-transformer-joint", **{name: "float16"})
    assert load(model / "sentence-transformer-joint", dtype="float32").encode(TEXTS[:1]).shape == (1, 576)


def test_a_shorter_length_is_kept_when_the_folder_is_saved(model: Path, tmp_path: Path) -> None:
    loaded = load(model / "sentence-transformer-joint")
    loaded.max_seq_length = 6
    assert loaded.max_seq_length == 6
    loaded.save(str(tmp_path / "shorter"))
    again = load(tmp_path / "shorter")
    assert again.max_seq_length == 6
    long, short = "Rain fell on the old bridge.", "Rain fell on the"
    semantic = load(tmp_path / "shorter", view="semantic")
    np.testing.assert_allclose(semantic.encode(long), semantic.encode(short), atol=1e-5)
    wrong = (
        (5000, "beyond the encoder's"),
        (1, "leaves no word"),
        (16.5, "no whole number"),
        (None, "whole"),
    )
    for tokens, message in wrong:
        with pytest.raises(SynsemError, match=message):
            loaded.max_seq_length = tokens


def test_a_backend_that_would_be_ignored_is_refused(model: Path) -> None:
    with pytest.raises(SynsemError, match="backend: 'onnx' is not there, for its texts are parsed"):
        ParsedEncoder.load(str(model / "sentence-transformer-joint"), backend="onnx")


@pytest.mark.parametrize("text", [None, 3, "half \ud800"])
def test_what_is_no_text_is_one_sentence(model: Path, text: object) -> None:
    with pytest.raises(SynsemError, match="is no text, or has half a character; give strings"):
        load(model / "sentence-transformer-joint").encode([text])


def test_every_view_is_there_by_name(model: Path, expected: dict[str, np.ndarray]) -> None:
    assert np.abs(expected["syntactic"] - expected["semantic"]).max() > 0.01
    for view in ("semantic", "syntactic"):
        vectors = load(model / "sentence-transformer-joint", view=view).encode(TEXTS)
        np.testing.assert_allclose(vectors, expected[view], atol=1e-5)
    with pytest.raises(SynsemError, match=r"has no view 'nonsense'; choose from semantic, syntactic, joint"):
        load(model / "sentence-transformer-joint", view="nonsense")


def test_a_folder_copied_elsewhere_is_complete(model: Path, tmp_path: Path) -> None:
    import shutil

    folder = shutil.copytree(model / "sentence-transformer-joint", tmp_path / "elsewhere")
    assert load(folder).encode(["Rain fell."]).shape == (1, 32 + 32 + 512)


def test_the_folder_names_the_module_by_its_place(model: Path) -> None:
    assert f"{ParsedEncoder.__module__}.{ParsedEncoder.__name__}" == MODULE
    assert read_json(model / "sentence-transformer-joint" / "modules.json")[0]["type"] == MODULE


def test_a_missing_parser_is_one_clear_sentence_at_once(model: Path) -> None:
    folder = model / "sentence-transformer-joint"
    with pytest.raises(SynsemError, match=r"cannot load 'no_such_model'; install that package"):
        load(folder, parse={"models": {"en": "no_such_model"}})
    with pytest.raises(SynsemError, match=r"conllu reads trees that are there already"):
        load(folder, parse={"backend": "conllu"})
    with pytest.raises(SynsemError, match=r"view.json: cannot be used .*backend"):
        load(folder, parse={"backend": "nonsense"})
    script = f"""
import sys
sys.modules["spacy"] = None
from sentence_transformers import SentenceTransformer
SentenceTransformer({str(folder)!r}, trust_remote_code=True, device="cpu")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.rstrip().endswith("pip install -e '.[pipeline]'")


def test_a_folder_without_its_view_is_refused(model: Path, tmp_path: Path) -> None:
    write_json(tmp_path / "modules.json", read_json(model / "sentence-transformer-joint" / "modules.json"))
    write_json(tmp_path / "config_sentence_transformers.json", {})
    (tmp_path / "0_ParsedEncoder").mkdir()
    with pytest.raises(SynsemError, match=r"has no 0_ParsedEncoder/view.json; export the model again"):
        load(tmp_path)


def test_a_system_without_a_joint_view_has_no_such_folder(plain_model: Path) -> None:
    assert (plain_model / "sentence-transformer").is_dir()
    assert not (plain_model / "sentence-transformer-joint").exists()


@pytest.mark.parametrize("pooling", ["mean", "cls", "max"])
def test_the_plain_folder_pools_as_the_system_does(pooling: str, plain_model: Path, tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer

    system = registry.load(plain_model)
    system.semantic.pooling = pooling  # type: ignore[assignment]
    export_plain(system, tmp_path / "plain")
    vectors = SentenceTransformer(str(tmp_path / "plain"), device="cpu").encode(TEXTS)
    sides = [Side(text, (), ()) for text in TEXTS]
    np.testing.assert_allclose(vectors, system.embed(sides)["semantic"], atol=1e-5)


def test_what_sentence_transformers_cannot_do_is_not_exported(plain_model: Path, tmp_path: Path) -> None:
    system = registry.load(plain_model)
    system.semantic.position.position = "none"  # order is invisible, which a plain folder would not know
    assert not is_plain(system.exported)
    with pytest.raises(SynsemError, match="has no semantic view that sentence-transformers alone can run"):
        export_plain(system, tmp_path / "plain")
    assert not (tmp_path / "plain").exists()


def test_training_loads_neither_parser_nor_sentence_transformers() -> None:
    script = """
import sys
import pipeline.training.run
print({"spacy", "sentence_transformers", "stanza"} & sys.modules.keys())
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize(
    ("content", "message"),
    [("[]", "not a JSON object"), ("{}", "has no parse"), ('{"parse": {"backend": "x"}}', "cannot be used")],
)
def test_a_damaged_view_file_is_one_clear_sentence(tmp_path: Path, content: str, message: str) -> None:
    view = tmp_path / "sentence-transformer-joint" / "0_ParsedEncoder" / "view.json"
    view.parent.mkdir(parents=True)
    view.write_text(content)
    with pytest.raises(SynsemError, match=rf"view\.json: {message}"):
        parser_of(tmp_path, None)


def test_a_parser_with_code_of_its_own_is_loaded_only_where_the_user_names_it(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model may be somebody else's: ``view.json`` alone must not choose what is run."""
    shared = tmp_path / "shared"
    shutil.copytree(model, shared)
    write_json(tmp_path / "parser" / "parser.json", {"module": "tests.parsing.chain_parser"})
    view = shared / "sentence-transformer-joint" / "0_ParsedEncoder" / "view.json"
    named = {"backend": "biaffine", "models": {"en": str(tmp_path / "parser")}}
    write_json(view, read_json(view) | {"parse": read_json(view)["parse"] | named})
    monkeypatch.chdir(tmp_path)
    for attempt in (lambda: parser_of(shared, None), lambda: load(shared / "sentence-transformer-joint")):
        with pytest.raises(
            SynsemError, match=r"view\.json: its parser .*parser runs code of its own; if you"
        ):
            attempt()
    params = yaml.safe_load((ROOT / "params.yaml").read_text())
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(params | {"parse": params["parse"] | named}))
    assert parser_of(shared, None).models == named["models"]
    assert parser_of(shared, tmp_path / "params.yaml").models == named["models"]
    (tmp_path / "params.yaml").unlink()
    load(shared / "sentence-transformer-joint", parse=named)


def test_a_view_above_recurrent_layers_is_exported_with_its_parser(
    tiny_backbone: Path, tmp_path: Path
) -> None:
    settings = load_params(ROOT / "params.yaml", "encoder", "train", "cssl")
    encoder = settings.encoder.model_copy(update={"model": str(tiny_backbone), "max_tokens": 32})
    torch.manual_seed(1)
    recurrent = settings.cssl.model_copy(update={"encoder": "scratch"})
    registry.save(registry.create("cssl", encoder, settings.train, recurrent).eval(), tmp_path / "model")
    facts = {"system": "cssl", "seed": 13, "examples": {"train": 1, "dev": 1}}
    write_json(tmp_path / "model" / "training.json", facts)
    exported = tmp_path / "exported"
    assert export_folder(tmp_path / "model", exported, None, None, tmp_path, tmp_path) == "semantic"
    card = (exported / "README.md").read_text()
    assert "so it needs SynSem and its parser" in card
    assert "Another view" not in card  # it has one
    system, parse = registry.load(tmp_path / "model"), parser_of(tmp_path / "model", None)
    expected = system.embed(parsed(TEXTS, parse, 32))["semantic"]
    np.testing.assert_allclose(load(exported).encode(TEXTS), expected, atol=1e-5)
