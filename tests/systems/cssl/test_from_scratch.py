"""A parser whose encoder and subwords are learnt here: the vocabulary's file, and other libraries."""

from pathlib import Path

import numpy as np
import pytest
import torch

from pipeline.core.errors import SynsemError
from pipeline.export.onnx import feed
from pipeline.export.sentence_transformers import export_plain
from pipeline.params import load_all
from pipeline.syntax.sentence import Side
from pipeline.systems import registry
from pipeline.systems.cssl.from_scratch import backbone_from_scratch
from pipeline.systems.cssl.model import System
from pipeline.systems.ebsim.few_shot import Start

DEFAULTS = load_all(Path(__file__).parents[3] / "params.yaml")
TREE = Side(
    "the cat sat on the mat .",
    ["the", "cat", "sat", "on", "the", "mat", "."],
    [2, 3, 0, 6, 6, 3, 3],
    ["det", "nsubj", "root", "case", "det", "obl", "punct"],
    ["DET", "NOUN", "VERB", "ADP", "DET", "NOUN", "PUNCT"],
)
TEXTS = ["The cat sat.", "the mats", "", "Ünknown cats on a mat, sat", "the cat " * 40]


@pytest.fixture
def system(tiny_backbone: Path) -> System:
    scratch = DEFAULTS.cssl.scratch.model_copy(update={"vocabulary": 60, "width": 32, "layers": 1})
    small = {"encoder": "scratch", "scratch": scratch, "arc_size": 24, "label_size": 16, "max_tokens": 48}
    encoder = DEFAULTS.encoder.model_copy(
        update={"model": str(tiny_backbone), "max_tokens": 32, "sketch": None}
    )
    torch.manual_seed(0)
    made = registry.create("cssl", encoder, DEFAULTS.train, DEFAULTS.cssl.model_copy(update=small))
    assert isinstance(made, System)
    made.prepare([TREE, Side("the Cats", ["the", "Cats"], [2, 0], ["det", "root"], ["DET", "NOUN"])])
    return made.eval()


def test_its_vocabulary_is_one_file_and_the_same_bytes_each_time(system: System, tmp_path: Path) -> None:
    for name in ("one", "two"):
        registry.save(system, tmp_path / name)
        system = registry.load(tmp_path / name)  # type: ignore[assignment]
    files = [sorted((tmp_path / name / "tokenizer").iterdir()) for name in ("one", "two")]
    assert [path.name for path in files[0]] == ["sentencepiece.model"]
    assert files[0][0].read_bytes() == files[1][0].read_bytes()
    assert system.parse([TREE])[0].words == TREE.words


@pytest.mark.parametrize(("width", "heads"), [(32, 1), (100, 2), (192, 6), (200, 5), (256, 8), (37, 1)])
def test_any_width_has_as_many_heads_of_32_as_divide_it(width: int, heads: int) -> None:
    backbone = backbone_from_scratch(["a", "cat", "sat"], 40, width, 1, 16, 0.0)
    assert backbone.model.config.num_attention_heads == heads


def test_recurrent_layers_over_an_odd_width_are_one_clear_line(tiny_backbone: Path) -> None:
    scratch = DEFAULTS.cssl.scratch.model_copy(update={"vocabulary": 60, "width": 37, "layers": 1})
    odd = {"encoder": "scratch", "scratch": scratch, "lstm_layers": 1, "max_tokens": 48}
    encoder = DEFAULTS.encoder.model_copy(update={"model": str(tiny_backbone), "sketch": None})
    system = registry.create("cssl", encoder, DEFAULTS.train, DEFAULTS.cssl.model_copy(update=odd))
    with pytest.raises(SynsemError, match=r"^cssl\.lstm_layers: .* half of 37 states; give an even width$"):
        system.prepare([TREE])


def test_other_libraries_read_the_same_subwords(system: System, tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer

    sides = [Side(text, (), ()) for text in TEXTS]
    expected = system.embed(sides)["semantic"]
    export_plain(system, tmp_path / "plain")
    vectors = SentenceTransformer(str(tmp_path / "plain"), device="cpu").encode(TEXTS)
    np.testing.assert_allclose(vectors, expected, atol=1e-5)
    tokens = system.tokenizer(sides, trees=False)
    fed = feed(system, TEXTS, ["input_ids", "attention_mask"])
    np.testing.assert_array_equal(fed["input_ids"], tokens.ids.numpy())
    np.testing.assert_array_equal(fed["attention_mask"].astype(bool), tokens.mask.numpy())


def test_a_matcher_may_start_from_it(system: System, tmp_path: Path) -> None:
    registry.save(system, tmp_path / "model")
    start = Start(str(tmp_path / "model"), "unused")
    pair = start.load().tokenizer("the cat", "the mat")["input_ids"]
    assert pair[0] == system.tokenizer.hf_tokenizer.get_vocab()["<s>"]
    assert any("sentencepiece.model" in each for each in start.content)


def test_words_of_more_characters_than_subwords_are_refused(system: System) -> None:
    system.params = system.params.model_copy(
        update={"scratch": system.params.scratch.model_copy(update={"vocabulary": 8})}
    )
    with pytest.raises(SynsemError, match=r"^cssl\.scratch\.vocabulary: 8 subwords cannot hold"):
        system.prepare([TREE])
