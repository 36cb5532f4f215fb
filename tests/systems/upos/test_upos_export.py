"""An exported ``upos``: sentence-transformers alone gives its vectors, and so does a graph."""

import json
from pathlib import Path

import numpy as np
import pytest

from pipeline.core.params import Encoder, load
from pipeline.core.store import write_json
from pipeline.export.sentence_transformers import export_folder
from pipeline.syntax.sentence import Side
from pipeline.systems.base import registry
from tests.without_synsem import WithoutSynSem

DEFAULTS = load(Path(__file__).parents[3] / "params.yaml", "train", "upos")
TEXTS = ["Rain fell.", "", "The old dog, which nobody had seen, chased the boy.", "word " * 50, "Ünï — 😀"]
FACTS = {"system": "upos", "seed": 13, "examples": {"train": 12, "dev": 6}}
PROGRAM = """
import json, sys
from sentence_transformers import SentenceTransformer

def vectors(model):
    return model.encode(json.loads(sys.argv[2]), batch_size=3).tolist()

model = SentenceTransformer(sys.argv[1], trust_remote_code=True, device="cpu")
found = {"vectors": vectors(model), "width": model.get_sentence_embedding_dimension()}
model.save(sys.argv[1] + "-again")
found["saved"] = vectors(SentenceTransformer(sys.argv[1] + "-again", trust_remote_code=True, device="cpu"))
model.max_seq_length = 4
found["cut"] = vectors(model)
print(json.dumps(found))
"""


@pytest.fixture(params=["learnt", "transformer"])
def trained(request: pytest.FixtureRequest, tiny_backbone: Path, tmp_path: Path, scratch: Path) -> Path:
    """A saved system: a BiLSTM with subwords of its own, or the backbone itself."""
    kind = "backbone" if request.param == "transformer" else "bilstm"
    params = DEFAULTS.upos.model_copy(update={"encoder": kind})
    encoder = Encoder(model=str(tiny_backbone), max_tokens=32, pooling="mean")
    system = registry.create("upos", encoder, DEFAULTS.train, params)
    if request.param == "learnt":
        system.prepare([Side(f"{text} {number}", (), ()) for number, text in enumerate(TEXTS * 9)])
    registry.save(system, tmp_path / "model")
    write_json(tmp_path / "model" / "training.json", FACTS)
    return tmp_path / "model"


def test_the_folder_gives_the_systems_vectors_without_synsem(
    trained: Path, tmp_path: Path, without_synsem: WithoutSynSem
) -> None:
    exported = tmp_path / "exported"
    assert export_folder(trained, exported, None, None, tmp_path, tmp_path) == "syntactic"
    said = without_synsem.run(PROGRAM, str(exported), json.dumps(TEXTS), folder=tmp_path)
    found = json.loads(said.splitlines()[-1])
    system = registry.load(trained)
    sides = [Side(text, (), ()) for text in TEXTS]
    expected = system.embed(sides)["syntactic"]
    np.testing.assert_allclose(found["vectors"], expected, atol=1e-6)
    np.testing.assert_allclose(found["saved"], expected, atol=1e-6)
    assert found["width"] == expected.shape[1]
    system.tokenizer.max_tokens = 4
    np.testing.assert_allclose(found["cut"], system.embed(sides)["syntactic"], atol=1e-6)
    card = (exported / "README.md").read_text()
    assert "nothing of SynSem" in card
    assert "network.py" not in card
    code = (exported / "standalone.py").exists()
    assert ("`standalone.py`" in card, "trust_remote_code=True" in card) == (code, code)
