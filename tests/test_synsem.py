"""``import synsem``: what the package promises."""

import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import torch
import yaml

import synsem
from pipeline.export.texts import readable
from tests.export.conftest import save

ROOT = Path(__file__).parent.parent
TEXTS = ["The dog chased the boy.", "The boy chased the dog.", "Rain fell."]


@pytest.fixture(scope="module")
def project(tiny_backbone: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with small trained models and nothing else."""
    folder = tmp_path_factory.mktemp("project")
    save("sscp", tiny_backbone, folder / "models" / "sscp" / "13")
    save("upos", tiny_backbone, folder / "models" / "upos" / "13")
    save("synsem", tiny_backbone, folder / "models" / "synsem" / "13")
    return folder


@pytest.fixture(scope="module")
def model(project: Path) -> synsem.Model:
    return synsem.load(project / "models" / "sscp" / "13")


def test_parsed_sentence_is_rewritten_without_parsing_it_again(monkeypatch: pytest.MonkeyPatch) -> None:
    [sentence] = synsem.parse(TEXTS[0])
    expected = synsem.augment(TEXTS[0])
    assert {variant.meaning for variant in expected} == {"same", "different", "order"}
    assert all(isinstance(each, synsem.Variant) for each in expected)
    monkeypatch.setattr("synsem.parse", None)
    assert synsem.augment(sentence) == expected


def test_vectors_are_those_of_the_system(model: synsem.Model) -> None:
    views = model._system.embed(readable(TEXTS, model._parser, 32))
    assert model.views == {name: matrix.shape[1] for name, matrix in views.items()}
    np.testing.assert_allclose(model.encode(TEXTS), views["joint"], atol=1e-6)
    np.testing.assert_allclose(model.encode(TEXTS, "semantic"), views["semantic"], atol=1e-6)
    np.testing.assert_allclose(model.encode(TEXTS[0]), views["joint"][0], atol=1e-6)
    assert model.encode([]).shape == (0, model.views["joint"])
    cosine = float(views["syntactic"][0] @ views["syntactic"][1])
    assert model.similarity(*TEXTS[:2], view="syntactic") == pytest.approx(cosine, abs=1e-6)


@pytest.mark.parametrize("name", ["sscp", "upos", "synsem"])
def test_model_is_sent_to_other_processes(name: str, project: Path) -> None:
    model = synsem.load(project / "models" / name / "13")
    sent = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(sent.encode(TEXTS), model.encode(TEXTS))
    assert name in repr(model)


def test_weight_of_structure_can_be_chosen(project: Path) -> None:
    folder = project / "models" / "synsem" / "13"
    usual, heavier = synsem.load(folder, device=torch.device("cpu")), synsem.load(folder, weight=0.8)
    expected = usual.encode(TEXTS)
    expected[:, usual.views["semantic"] :] *= 0.8 / 0.4
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(heavier.encode(TEXTS), expected, atol=1e-6)
    np.testing.assert_array_equal(heavier.encode(TEXTS, "structural"), usual.encode(TEXTS, "structural"))


def test_many_texts_are_encoded_in_blocks(model: synsem.Model, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = model.encode(TEXTS * 3)
    monkeypatch.setattr("synsem.model._AT_ONCE", 4)
    np.testing.assert_allclose(model.encode(TEXTS * 3), whole, atol=1e-6)


def test_long_text_is_read_in_windows(model: synsem.Model) -> None:
    words = [f"{word}{number}" for number in range(30) for word in ("dog", "saw")]
    cut, longer = model.encode([" ".join(words), " ".join([*words, "cat"])])
    assert cut @ longer < 0.9999
    parts = [words[:18], words[14:32], words[28:46], words[42:]]
    mean = model.encode([" ".join(part) for part in parts]).mean(axis=0)
    np.testing.assert_allclose(cut, mean / np.linalg.norm(mean), atol=1e-5)
    short, _ = model.encode([TEXTS[0], " ".join(words)])
    np.testing.assert_allclose(short, model.encode(TEXTS[0]), atol=1e-6)


def test_pair_of_which_the_end_is_not_read_is_told(project: Path) -> None:
    model = synsem.load(project / "models" / "synsem" / "13")
    with pytest.warns(UserWarning, match="32 tokens"):
        model.same("dog " * 70, "dog " * 70 + "cat")


def test_search_ranks_by_the_cosine(model: synsem.Model) -> None:
    found = model.search(TEXTS[0], [TEXTS[1], TEXTS[2], TEXTS[0], TEXTS[1]], top=4)
    expected = sorted([*TEXTS, TEXTS[1]], key=lambda text: -model.similarity(TEXTS[0], text))
    assert [each.text for each in found] == expected
    assert found[0].score == pytest.approx(1, abs=1e-5)
    assert len(model.search(TEXTS[0], TEXTS, top=2)) == 2
    assert model.search(TEXTS[0], []) == []


def test_scores_of_two_sentences_are_those_of_pairs(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = synsem.load(project / "models" / "synsem" / "13")
    monkeypatch.setattr("synsem.model._AT_ONCE", 4)
    assert model.score_pairs(TEXTS * 3, TEXTS * 3).shape == (9,)
    scores = model.scores(*TEXTS[:2])
    assert scores.keys() == {*model.views, "late_interaction", "similarity", "same"}
    assert scores["structural"] == pytest.approx(model.similarity(*TEXTS[:2], "structural"), abs=1e-6)
    assert scores["similarity"] == pytest.approx(model.similarity(*TEXTS[:2]), abs=1e-6)
    assert scores["same"] == pytest.approx(model.same(*TEXTS[:2]), abs=1e-6)
    pairs = model.score_pairs(TEXTS, TEXTS[::-1])
    assert pairs[0] == pytest.approx(model.scores(TEXTS[0], TEXTS[2])["late_interaction"], abs=1e-5)
    assert model.score_pairs([], []).shape == (0,)


def test_vectors_are_compared_as_their_texts(project: Path) -> None:
    model = synsem.load(project / "models" / "synsem" / "13")
    vectors = model.encode(TEXTS)
    expected = [model.similarity(TEXTS[0], text) for text in TEXTS]
    np.testing.assert_allclose(model.similarity(vectors[0], vectors), expected, atol=1e-6)
    found = model.search(TEXTS[0], TEXTS[::-1], top=2)
    assert [each.score for each in found] == pytest.approx(sorted(expected)[:0:-1], abs=1e-6)


def test_attached_to_its_own_semantic_vectors_they_are_the_joint_ones(project: Path) -> None:
    model = synsem.load(project / "models" / "synsem" / "13")
    semantic = 3 * model.encode(TEXTS, "semantic")
    found = model.attach(TEXTS, semantic)
    for vector in (semantic[1], semantic[1].tolist()):  # as an API gives it
        np.testing.assert_allclose(model.attach(TEXTS[1], vector), found[1], atol=1e-6)
    np.testing.assert_allclose(found, model.encode(TEXTS), atol=1e-6)
    assert model.attach([], np.zeros((0, 5))).shape == (0, 5 + model.views["structural"])


def test_same_learns_from_own_pairs_and_is_kept(project: Path, tmp_path: Path) -> None:
    folder = project / "models" / "synsem" / "13"
    model = synsem.load(folder)
    a, b = ["A dog ran.", "Rain fell."] * 20, ["One dog ran.", "Two cats sleep."] * 20
    assert model.same("Rain fell.", "rain fell. ") == 1
    before = model.same(a, b)
    assert before.shape == (40,)
    assert ((before > 0) & (before < 1)).all()
    model.fit_same(zip(a, b, strict=True), [0, 1] * 20).save(tmp_path / "same.json")
    after = model.same(a, b)
    assert after[0] < before[0]
    assert after[1] > before[1]
    sent = pickle.dumps(synsem.load(folder, same=tmp_path / "same.json"))
    assert pickle.loads(sent).same(a[0], b[0]) == pytest.approx(after[0], abs=1e-5)


def test_texts_may_be_in_any_column(model: synsem.Model) -> None:
    expected = model.encode(TEXTS, "semantic")
    for texts in ((text for text in TEXTS), np.array(TEXTS), pa.chunked_array([TEXTS[:1], TEXTS[1:]])):
        np.testing.assert_array_equal(model.encode(texts, "semantic"), expected)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda model: model.same("", "Rain fell."), "number 0 is empty"),
        (lambda model: model.same("Rain fell.", None), "texts"),
        (lambda model: model.same(TEXTS, TEXTS[:2]), "got 3 and 2"),
        (lambda model: model.score_pairs(TEXTS, TEXTS[:2]), "got 3 and 2"),
        (lambda model: model.fit_same([], []), "pairs"),
        (lambda model: model.fit_same(["ab", "cd"], [0, 1]), "pairs"),
        (lambda model: model.fit_same([TEXTS[:2], TEXTS[:1]], [0, 1]), "pairs"),
        (lambda model: model.fit_same([TEXTS[:2]] * 2, [1, 1]), "both must occur"),
        (lambda model: model.fit_same([TEXTS[:2]], [0, 1]), "labels"),
        (lambda model: model.fit_same([TEXTS[:2]] * 2, [0.5, float("nan")]), "labels"),
        (lambda model: model.similarity("Rain fell.", None), "vectors"),
        (lambda model: model.similarity(np.ones(3), np.ones(3)), "vectors"),
        (lambda model: model.attach(TEXTS, np.ones((2, 4))), "vectors"),
        (lambda model: model.attach(TEXTS, np.full((3, 4), np.nan)), "NaN"),
        (lambda model: model.attach(TEXTS, np.ones((3, 4)), weight=-1), "weight"),
    ],
)
def test_wrong_pairs_and_vectors_are_refused(
    call: Callable[[synsem.Model], object], told: str, project: Path
) -> None:
    with pytest.raises(synsem.SynsemError, match=told):
        call(synsem.load(project / "models" / "synsem" / "13"))


def test_errors_are_one_sentence(project: Path, model: synsem.Model) -> None:
    upos = synsem.load(project / "models" / "upos" / "13")
    with pytest.raises(synsem.SynsemError, match="number 1 is nan"):
        model.encode(["Rain fell.", float("nan")])  # type: ignore[list-item]
    with pytest.raises(synsem.SynsemError, match="put it in a list"):
        model.search("Rain fell.", "Rain fell.")
    with pytest.raises(synsem.SynsemError, match="no late interaction"):
        upos.score_pairs(TEXTS, TEXTS)
    with pytest.raises(synsem.SynsemError, match="'nonsense'; choose from semantic"):
        model.encode(TEXTS, "nonsense")
    with pytest.raises(synsem.SynsemError, match="weight"):
        synsem.load(project / "models" / "sscp" / "13", weight=1)
    with pytest.raises(synsem.SynsemError, match="no model found here"):
        synsem.load(project / "nothing")
    with pytest.raises(synsem.SynsemError, match=r"parse\.models\.xx"):
        synsem.parse("Rain fell.", lang="xx")
    with pytest.raises(synsem.SynsemError, match=r"train\.tua: unknown; did you mean train\.tau\?"):
        synsem.Pipeline({"train.tua": 1})
    with pytest.raises(synsem.SynsemError, match="'pars' is unknown; did you mean parse"):
        synsem.Pipeline().run("pars")


def test_pipeline_has_the_stages_of_the_graph() -> None:
    stages = yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"]
    assert synsem.Pipeline({"finetune.tasks": ["paws-500"]}).stages == list(stages)
    assert set(stages) - set(synsem.Pipeline().stages) == {"finetune"}


def test_pipeline_trains_in_its_folder(
    tiny_backbone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYNSEM_WORKERS", "1")
    people = ("farmer", "queen", "doctor", "sailor", "teacher", "poet")
    lines = [f"The young {a} gave the {b} a letter." for a in people for b in people if a != b]
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "my.txt").write_text("\n\n".join(lines))
    changes = {
        "systems": ["sscp"], "encoder.model": str(tiny_backbone), "sscp.steps": 2, "sscp.batch_size": 4,
        "download.sources": ["my.txt"], "download.benchmarks": [], "download.documents": "all",
        "download.near_duplicate": None, "download.dev_fraction": 0.2,
    }  # fmt: skip
    here = Path.cwd()
    pipeline = synsem.Pipeline(changes, tmp_path / "work")
    pipeline.run("pretrain", "mine", "augment", "parse", "download", "treebank")  # in the order of the graph
    assert Path.cwd() == here
    assert synsem.load(tmp_path / "work" / "models" / "sscp" / "13").encode(TEXTS).shape[0] == 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["work"]


def test_import_is_light() -> None:
    script = "import sys, synsem; print({'torch', 'numpy', 'pydantic', 'spacy'} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.strip() == "set()", done.stderr
