"""Files that the pipeline wrote, damaged on disk: Arrow, models, checkpoints, counts."""

import json
import shutil
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.amp import GradScaler

from pipeline.core import schemas, store
from pipeline.core.errors import SynsemError
from pipeline.core.workers import map_shards
from pipeline.params import load
from pipeline.syntax.sentence import Sentence
from pipeline.systems import registry
from pipeline.training.checkpoint import Progress, restore, save
from tests.counting import Square
from tests.hardness.damage import FUZZ, damaged, refusal

ROOT = Path(__file__).parents[2]


def sentence(number: int) -> dict[str, object]:
    tree = Sentence(
        words=("Ein", "Wörtchen", "fällt"), space_after=(True, True, False), lemmas=("ein", "Wort", "fallen"),
        upos=("DET", "NOUN", "VERB"), xpos=("", "", ""), feats=("", "Case=Nom", ""), heads=(2, 3, 0),
        deprels=("det", "nsubj", "root"),
    )  # fmt: skip
    return {"sent_id": str(number), "doc_id": "d", "lang": "de", "split": "train"} | tree.row()


@pytest.fixture(scope="module")
def shard(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("shard") / "part-00000.arrow"
    store.write_rows(path, map(sentence, range(20)), schemas.SENTENCE)
    return path.read_bytes()


@given(data=st.data())
@FUZZ
def test_a_damaged_shard_is_read_or_named(data: st.DataObject, shard: bytes, tmp_path: Path) -> None:
    path = store.shard_path(tmp_path, 0)
    path.unlink(missing_ok=True)
    path.write_bytes(data.draw(damaged(shard)))
    for work in (
        lambda: list(store.rows(tmp_path)),
        lambda: store.read(tmp_path),
        lambda: [part.read() for part in store.slices(tmp_path, 7)],
    ):
        complaint = refusal(work)
        assert complaint is None or str(path) in complaint


def test_every_single_flipped_byte_is_survived(shard: bytes, tmp_path: Path) -> None:
    named = 0
    for place in range(0, len(shard), 7):
        path = store.shard_path(tmp_path, place)
        path.write_bytes(shard[:place] + bytes([shard[place] ^ 0xFF]) + shard[place + 1 :])
        named += refusal(lambda path=path: store.read_file(path).to_pylist()) is not None
    assert named > 20


def test_a_shard_that_changes_is_checked_again(shard: bytes, tmp_path: Path) -> None:
    path = store.shard_path(tmp_path, 0)
    path.write_bytes(shard)
    assert store.read_file(path).num_rows == 20
    broken = shard.replace("Wörtchen".encode(), b"W\xff\xffrtchen")
    assert broken != shard
    path.write_bytes(broken)
    with pytest.raises(SynsemError, match=r"part-00000\.arrow: not a readable Arrow file \(.*UTF8"):
        store.read_file(path)


@given(body=damaged(b'{\n  "kept": {"a": 1},\n  "dropped": {}\n}\n'))
@FUZZ
def test_damaged_counts_are_read_or_named(body: bytes, tmp_path: Path) -> None:
    (tmp_path / "report.json").write_bytes(body)
    complaint = refusal(lambda: store.read_json(tmp_path / "report.json"))
    assert complaint is None or "report.json" in complaint


@pytest.fixture(scope="module")
def saved(tiny_backbone: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small saved system."""
    params = load(ROOT / "params.yaml", "encoder", "train", "simcse")
    encoder = params.encoder.model_copy(update={"model": str(tiny_backbone), "max_tokens": 16})
    folder = tmp_path_factory.mktemp("saved") / "model"
    registry.save(registry.create("simcse", encoder, params.train, params.simcse), folder)
    return folder


@pytest.fixture
def copy(saved: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(saved, tmp_path / "model"))


def opens(folder: Path) -> bool:
    complaint = refusal(lambda: registry.load(folder))
    assert complaint is None or str(folder) in complaint
    return complaint is None


@given(data=st.data())
@settings(FUZZ, max_examples=25)
def test_a_damaged_config_is_read_or_named(data: st.DataObject, saved: Path, copy: Path) -> None:
    (copy / "config.json").write_bytes(data.draw(damaged((saved / "config.json").read_bytes())))
    opens(copy)


@pytest.mark.parametrize(
    "config",
    [
        [], None, "x", {}, {"system": "simcse"}, {"system": 3}, {"system": "base"}, {"system": "../x"},
        {"system": "os.path"}, {"system": ""}, {"system": "sscp"}, {"backbone": []},
        {"backbone": {"model_type": 3}},
        {"backbone": {"model_type": "bert", "hidden_size": "x"}}, {"backbone": {"model_type": "no-such"}},
        {"params": None}, {"encoder": 3}, {"train": {"tau": 0}},
    ],
)  # fmt: skip
def test_a_config_of_other_content_is_named(config: object, copy: Path) -> None:
    if isinstance(config, dict) and config.keys() <= {"backbone", "params", "encoder", "train"} and config:
        config = json.loads((copy / "config.json").read_text()) | config
    (copy / "config.json").write_text(json.dumps(config))
    assert not opens(copy)


@pytest.mark.parametrize("length", [0, 7, 8, 100, 5000, -1])
def test_weights_that_are_cut_short_are_named(length: int, copy: Path) -> None:
    weights = copy / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:length])
    with pytest.raises(SynsemError, match=r"model\.safetensors: damaged or cut short .*; train it again"):
        registry.load(copy)


@given(data=st.data())
@settings(FUZZ, max_examples=25)
def test_weights_with_a_damaged_header_are_read_or_named(
    data: st.DataObject, saved: Path, copy: Path
) -> None:
    body = (saved / "model.safetensors").read_bytes()
    end = 8 + int.from_bytes(body[:8], "little")
    (copy / "model.safetensors").write_bytes(data.draw(damaged(body[:end])) + body[end:])
    opens(copy)


@pytest.mark.parametrize("name", ["tokenizer/tokenizer.json", "tokenizer/tokenizer_config.json"])
@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"{}", b"\xff\xff", b"null"])
def test_a_damaged_tokenizer_is_read_or_named(name: str, body: bytes, copy: Path) -> None:
    (copy / name).write_bytes(body)
    opens(copy)


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "tokenizer/tokenizer.json"])
def test_a_missing_file_is_named(name: str, copy: Path) -> None:
    (copy / name).unlink()
    assert not opens(copy)


@pytest.fixture
def checkpoint(saved: Path, tmp_path: Path) -> Path:
    system = registry.load(saved)
    path = tmp_path / "checkpoint.safetensors"
    save(path, Progress(step=3), system, torch.optim.AdamW(system.parameters()), GradScaler(enabled=False))
    return path


@given(data=st.data())
@settings(FUZZ, max_examples=25)
def test_a_damaged_checkpoint_is_restored_or_named(
    data: st.DataObject, saved: Path, checkpoint: Path
) -> None:
    whole = checkpoint.read_bytes()
    end = 8 + int.from_bytes(whole[:8], "little")
    broken = checkpoint.with_name("broken.safetensors")
    broken.write_bytes(data.draw(damaged(whole[:end])) + whole[end:])
    system = registry.load(saved)
    optimizer = torch.optim.AdamW(system.parameters())
    complaint = refusal(lambda: restore(broken, system, optimizer, GradScaler(enabled=False)))
    assert complaint is None or "delete it and run again" in complaint


@pytest.mark.parametrize("left", ["part-00001.arrow", "00001.json", "both"])
def test_damage_in_scratch_is_named_or_done_again(left: str, scratch: Path, tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    marks.mkdir()
    run = {"key": "k", "workers": 1, "label": "squares"}
    with pytest.raises(SynsemError):
        map_shards(Square(marks, fails_at=3), [0, 1, 2, 3], tmp_path / "out", **run)
    home = scratch / "squares" / "k"
    for name in ("part-00001.arrow", "00001.json") if left == "both" else (left,):
        (home / name).unlink()
        (home / f"{name}.partial").write_bytes(b"half")  # what a kill leaves
    map_shards(Square(marks), [0, 1, 2, 3], tmp_path / "out", **run)
    assert [row["square"] for row in store.rows(tmp_path / "out")] == [0, 1, 4, 9]
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["part-00000.arrow"]


@pytest.mark.parametrize("part", ["model.", "best.", "optimizer."])
def test_a_flipped_bit_in_the_weights_of_a_checkpoint_is_named(
    part: str, saved: Path, tmp_path: Path
) -> None:
    """Every bit pattern is some number, so only a checksum can tell."""
    system = registry.load(saved)
    optimizer = torch.optim.AdamW(system.parameters())
    sum(parameter.sum() for parameter in system.parameters()).backward()
    optimizer.step()
    path = tmp_path / "checkpoint.safetensors"
    best = {name: value.clone() for name, value in system.state_dict().items()}
    save(path, Progress(step=3, best=best), system, optimizer, GradScaler(enabled=False))
    restore(path, system, optimizer, GradScaler(enabled=False))
    whole = bytearray(path.read_bytes())
    end = 8 + int.from_bytes(whole[:8], "little")
    header = json.loads(whole[8:end])
    place = next(value["data_offsets"][0] for name, value in header.items() if name.startswith(part))
    whole[end + place] ^= 1
    path.write_bytes(bytes(whole))
    with pytest.raises(SynsemError, match=r"not a readable checkpoint .*checksum.*; delete it and run again"):
        restore(path, system, optimizer, GradScaler(enabled=False))


def test_a_digit_of_a_checkpoints_header_that_changed_is_named(saved: Path, checkpoint: Path) -> None:
    """Another step would be as readable, and the run would go on from there."""
    whole = checkpoint.read_bytes()
    assert whole.count(rb"\"step\": 3") == 1
    checkpoint.write_bytes(whole.replace(rb"\"step\": 3", rb"\"step\": 2"))
    system = registry.load(saved)
    with pytest.raises(SynsemError, match=r"not a readable checkpoint .*checksum.*; delete it and run again"):
        restore(checkpoint, system, torch.optim.AdamW(system.parameters()), GradScaler(enabled=False))
