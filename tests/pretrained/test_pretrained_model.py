"""The model that comes with SynSem: what was packed comes back, and it is what its card says."""

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch

import synsem
from pipeline.core.errors import SynsemError
from pipeline.core.metrics import average_precision, cosines
from pipeline.core.params import load as load_params
from pipeline.core.store import read_json, write_json
from pipeline.export.card import MEASURES, read_about
from pipeline.export.sentence_transformers import export
from pipeline.pretrained.model import HOME, pack
from pipeline.systems.base import registry
from tests.contrast import contrast_set
from tests.export.conftest import FACTS, ROOT, save

pytestmark = pytest.mark.slow
TEXTS = ["The dog chased the boy.", "The boy was chased by the dog.", "The boy chased the dog."]


def write(folder: Path, home: Path = HOME) -> None:
    """Write what ``pretrain`` would leave in a model's folder, with numbers on its card."""
    system = registry.load(home)
    registry.save(system, folder)
    for name in ("training.json", "about.json"):
        shutil.copyfile(home / name, folder / name)
    export(system, folder, read_json(home / "training.json"), None, read_about(home / "about.json"))


@pytest.fixture(scope="module")
def trained(tiny_backbone: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as ``pretrain`` leaves it: heads of its own, and the backbone as it was."""
    folder = tmp_path_factory.mktemp("trained") / "models" / "synsem" / "13"
    params = load_params(ROOT / "params.yaml", "encoder", "train", "synsem")
    encoder = params.encoder.model_copy(update={"model": str(tiny_backbone)})
    torch.manual_seed(1)
    system = registry.create("synsem", encoder, params.train, params.synsem).eval()
    system.begin_training()
    facts = FACTS | {"system": "synsem"}
    registry.save(system, folder)
    write_json(folder / "training.json", facts)
    export(system, folder, facts, None)
    return folder


@pytest.fixture(scope="module")
def home(trained: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What ``pack`` keeps of the trained model, with a text and no results."""
    project = tmp_path_factory.mktemp("packed")
    origin = {"stories": {"licence": "CC0 1.0", "location": "stories==1.0", "sha256": {}, "verified": True}}
    write_json(project / "data" / "corpus" / "origin.json", origin)
    (project / "home").mkdir()
    pack(trained, project / "data", project / "reports", project / "home")
    return project / "home"


def views(folder: Path) -> dict[str, np.ndarray]:
    model = synsem.load(folder)
    return {view: model.encode(TEXTS, view) for view in model.views}


def test_what_was_trained_comes_back(trained: Path, home: Path, tmp_path: Path) -> None:
    write(tmp_path / "model", home)
    before, after = views(trained), views(tmp_path / "model")
    assert np.array_equal(after["semantic"], before["semantic"])
    for view in ("structural", "joint"):  # their heads were kept in float16
        assert after[view] == pytest.approx(before[view], abs=5e-3)
        assert not np.array_equal(after[view], before[view])
    names = {path.name for path in (tmp_path / "model").iterdir()}
    assert names == {path.name for path in trained.iterdir()} | {"about.json"}


def test_packed_again_it_has_the_same_bytes(home: Path, tmp_path: Path) -> None:
    write(tmp_path / "model", home)
    (tmp_path / "home").mkdir()
    pack(tmp_path / "model", tmp_path / "data", tmp_path / "reports", tmp_path / "home")
    for name in ("heads.safetensors", "config.json", "training.json"):
        assert (tmp_path / "home" / name).read_bytes() == (home / name).read_bytes()


def test_another_system_is_not_kept(tiny_backbone: Path, home: Path, tmp_path: Path) -> None:
    save("simcse", tiny_backbone, tmp_path / "model")
    before = {path: path.read_bytes() for path in home.iterdir()}
    with pytest.raises(SynsemError, match="is a model of simcse; name one of synsem"):
        pack(tmp_path / "model", tmp_path, tmp_path, home)
    assert {path: path.read_bytes() for path in home.iterdir()} == before


def test_without_its_backbone_there_is_one_sentence(home: Path, tmp_path: Path) -> None:
    shutil.copytree(home, tmp_path, dirs_exist_ok=True)
    config = json.loads((home / "config.json").read_text())
    config["encoder"]["model"] = "package:no_such_encoder"
    write_json(tmp_path / "config.json", config)
    with pytest.raises(SynsemError, match="run `pip install no-such-encoder`"):
        registry.load(tmp_path)


def test_it_is_written_as_synsem_load_gives_it(tmp_path: Path) -> None:
    write(tmp_path / "model")
    own, written = synsem.load(device="cpu"), synsem.load(tmp_path / "model")
    assert own.views == {"semantic": 384, "structural": 1024, "joint": 1408}
    assert np.array_equal(own.encode(TEXTS), written.encode(TEXTS))


def test_the_example_of_the_front_page_prints_what_stands_there() -> None:
    """Within what other processors round otherwise."""
    front = (ROOT / "README.md").read_text(encoding="utf-8")
    told = re.search(r"It prints (\S+) and (\S+):", front)
    assert told is not None
    dog, *others = TEXTS
    assert synsem.load().same([dog, dog], others) == pytest.approx([*map(float, told.groups())], abs=6e-3)


@pytest.mark.parametrize(
    ("said", "reworded", "edited"),
    [
        ("How do I cancel order 15?", "How can I cancel order 15?", "How can I cancel order 16?"),
        ("The flat is free from June.", "From June the flat is free.", "From July the flat is free."),
        ("Two guests eat no meat.", "No meat is eaten by 2 guests.", "No meat is eaten by three guests."),
        ("The card works abroad.", "Abroad, the card works.", "Abroad, the card doesn't work."),
        ("The parcel was sent to me.", "They sent the parcel to me.", "They never sent the parcel to me."),
    ],
)
def test_same_refuses_another_number_and_a_negation(said: str, reworded: str, edited: str) -> None:
    same, other = synsem.load().same([said, said], [reworded, edited])
    assert same > 0.5 > other


def test_what_its_card_says_was_measured_on_it() -> None:
    """The hand-written contrast set is small enough to be measured again."""
    scores = read_json(HOME / "about.json")["scores"]
    assert "backbone, untouched" not in scores  # that was of other text; the semantic view is the backbone's
    assert scores["joint"].keys() >= MEASURES.keys()
    golds = [pair.meaning == "same" for pair in contrast_set()]
    model = synsem.load()
    first, second = (model.encode([getattr(pair, side) for pair in contrast_set()]) for side in ("a", "b"))
    again = average_precision(golds, cosines(first, second))
    assert again == pytest.approx(scores["joint"]["contrast.all.ap"], abs=0.1)


def test_text_without_two_content_words_has_no_structure() -> None:
    model, short = synsem.load(), ["Rain.", "of the", "Rain", ".", "", "It was."]
    assert not model.encode(short, "structural").any()
    joint, semantic = model.encode(short, "joint"), model.encode(short, "semantic")
    np.testing.assert_allclose(joint[:, : semantic.shape[1]], semantic, atol=1e-5)
    assert model.similarity("Rain.", TEXTS[0], view="structural") == 0
    for view in model.views:
        found = {each.text: each.score for each in model.search(TEXTS[0], [*short, *TEXTS], view=view)}
        assert found.keys() == {*short, *TEXTS} - {""}  # as the command skips empty lines
        assert view != "structural" or found["of the"] == 0
    for query in short:
        with pytest.raises(SynsemError, match="has no structural vector"):
            model.search(query, TEXTS, view="structural")


def test_pretrained_is_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert np.array_equal(synsem.load("pretrained").encode(TEXTS), synsem.load().encode(TEXTS))
    (tmp_path / "pretrained").mkdir()  # a folder of that name is meant, even if it holds no model
    with pytest.raises(synsem.SynsemError, match="pretrained: "):
        synsem.load("pretrained")
