from pathlib import Path

import pytest
import torch

import stages.like
from pipeline.errors import SynsemError
from pipeline.params import BiLstm, Encoder, load_all
from pipeline.sentences import Sentence
from pipeline.store import SENTENCE, write_rows
from pipeline.systems import registry

ROOT = Path(__file__).parent.parent.parent
DEFAULTS = load_all(ROOT / "params.yaml")
TEXTS = ["What a lovely night it was!", "Rain fell.", "The old queen of the river wrote many letters."]


@pytest.fixture
def folders(tiny_backbone: Path, tmp_path: Path, scratch: Path) -> dict[str, Path]:
    """An untrained model of ``upos`` and a corpus of three sentences."""
    torch.manual_seed(0)
    params = DEFAULTS.upos.model_copy(
        update={"bilstm": BiLstm(vocabulary=90, embedding=8, width=8, layers=1, steps=1.0)}
    )
    encoder = Encoder(model=str(tiny_backbone), max_tokens=32, pooling="mean")
    system = registry.create("upos", encoder, DEFAULTS.train, params)
    sentences = []
    for text in TEXTS:
        words = tuple(text.split())
        n = len(words)
        sentences.append(
            Sentence(
                words, (True,) * n, words, ("NOUN",) * n, ("",) * n, ("",) * n, (0, *(1,) * (n - 1)),
                ("root", *("dep",) * (n - 1)),
            )
        )  # fmt: skip
    system.prepare(sentences)
    registry.save(system, tmp_path / "model")
    write_rows(
        tmp_path / "corpus" / "part-00000.arrow",
        [
            {"sent_id": str(n), "doc_id": "d", "lang": "en", "split": "train"} | sentence.row()
            for n, sentence in enumerate(sentences)
        ],
        SENTENCE,
    )
    return {"model": tmp_path / "model", "corpus": tmp_path / "corpus"}


def test_the_table_shows_the_query_its_tags_and_what_is_like_it(
    folders: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    stages.like.main("What a beautiful day it is!", **folders, top=2, params=ROOT / "params.yaml")
    shown = capsys.readouterr().out
    assert "What a beautiful day it is!" in shown
    assert "DET ADJ NOUN PRON AUX PUNCT" in shown
    assert sum(text in shown for text in TEXTS) == 2


def test_a_folder_without_a_model_is_one_clear_sentence(folders: dict[str, Path], tmp_path: Path) -> None:
    with pytest.raises(SynsemError, match=r"config.json: not a readable JSON"):
        stages.like.main("Rain.", model=tmp_path, corpus=folders["corpus"], params=ROOT / "params.yaml")
