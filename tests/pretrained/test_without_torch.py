"""The bundled model's graph: what torch gives, where torch is not installed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import synsem
from tests.contrast import contrast_set

pytestmark = pytest.mark.slow
pytest.importorskip("onnxruntime", reason="pip install '.[onnx]'")

ROOT = Path(__file__).parent.parent.parent
SENTENCES = list(dict.fromkeys(text for pair in contrast_set() for text in (pair.a, pair.b)))[:40]
ODD = ["", "Rain.", "of the", "word " * 100, "a" * 300, "Ünï — 😀", "don't [SEP] can't", "\t\u200b", "日本語"]
TEXTS = [*SENTENCES, *ODD, " ".join(SENTENCES[:4])]
# What an install without torch lacks, and what it should not need.
PROGRAM = """
import json, runpy, sys
for name in ("torch", "transformers", "sentence_transformers", "sklearn", "scipy", "pyarrow", "onnx"):
    sys.modules[name] = None  # importing it fails
import numpy as np
import synsem

texts = json.loads(sys.stdin.read())
model = synsem.load()
said = {view: model.encode(texts, view).tolist() for view in model.views}
said["pairs"] = model.score_pairs(texts, texts[::-1]).tolist()
said["scores"] = model.scores(*texts[:2])
said["found"] = [each.text for each in model.search(texts[0], texts, top=3)]
with open("texts.txt", "w") as file:
    file.write("\\n".join(texts[:20]) + "\\n")
for command in (
    ["encode", "pretrained", "texts.txt", "--view", "joint", "--out", "joint.npy"],
    ["encode", "pretrained", "texts.txt", "--out", "all.jsonl"],
    ["compare", *texts[:2]],
    ["search", texts[0], "texts.txt", "--top", "2"],
):
    sys.argv = ["synsem", *command]
    try:
        runpy.run_module("synsem", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        assert not end.code, command
print(json.dumps(said))
"""


def test_graph_is_the_model_without_torch(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT)},
        input=json.dumps(TEXTS), capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    *printed, said = done.stdout.splitlines()
    found, model = json.loads(said), synsem.load(device="cpu")  # which is torch's
    for view in model.views:
        expected = model.encode(TEXTS, view)
        np.testing.assert_allclose(found[view], expected, atol=1e-5, err_msg=view)
    np.testing.assert_allclose(np.load(tmp_path / "joint.npy"), np.array(found["joint"])[:20], atol=1e-5)
    np.testing.assert_allclose(found["pairs"], model.score_pairs(TEXTS, TEXTS[::-1]), atol=1e-5)
    assert found["scores"] == pytest.approx(model.scores(*TEXTS[:2]), abs=1e-5)
    assert found["found"] == [each.text for each in model.search(TEXTS[0], TEXTS, top=3)]
    assert len((tmp_path / "all.jsonl").read_text().splitlines()) == 20
    assert printed[0].startswith("semantic")
    assert printed[-1].count("\t") == 2


def test_weight_and_copies(tmp_path: Path) -> None:
    import pickle

    heavier, own = synsem.load(weight=0.8), synsem.load(device="cpu", weight=0.8)
    for model in (heavier, pickle.loads(pickle.dumps(heavier))):
        np.testing.assert_allclose(model.encode(TEXTS), own.encode(TEXTS), atol=1e-5)
    with pytest.raises(synsem.SynsemError, match="weight"):
        synsem.load(weight=-1)
