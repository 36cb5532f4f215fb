"""The chapters of benchmarks/gpu, rehearsed on a CPU with the tiny backbone."""

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import yaml

from benchmarks.curve import main as curve
from benchmarks.gpu import bundle as bundles
from benchmarks.gpu.__main__ import _alone
from benchmarks.gpu.bundle import (
    WHEELS,
    Bundle,
    compress,
    decompressed,
    development_data,
    evenly,
    pack,
    unpack,
)
from benchmarks.gpu.chapter import ORDER, Chapter
from benchmarks.gpu.runs import LONG_CHANGES, Runs, jobs
from pipeline.core.errors import SynsemError
from pipeline.core.schemas import EXAMPLE, SENTENCE, TRIPLET, VARIANT
from pipeline.core.store import read, read_json, shard_path, write_rows
from pipeline.evaluation.tasks.contrast import contrast_set
from pipeline.params import load
from pipeline.systems.synsem.alternations.examples import with_alternations
from tests.bare_machine import bare_python

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.slow
# All that a GPU machine has beside its driver, and what ``prepare --wheels`` adds.
LIBRARIES = ("torch", "transformers", "sentence-transformers", "pyarrow", "scikit-learn", "typer", "rich")
# One process for all, because to load torch and transformers is most of what each would wait for.
PROGRAM = """
import json, runpy, sys
from sitecustomize import LACKING

for chapter in json.loads(sys.argv[1]):
    sys.argv = ["gpu", *chapter]
    try:
        runpy.run_module("benchmarks.gpu", run_name="__main__")
    except SystemExit as end:
        if end.code:
            raise
assert not LACKING & {name.partition(".")[0] for name in sys.modules}
"""
SMOKE = {
    "fp32", "bf16", "fp16", "gradcache", "encode", "random_state", "energy", "deterministic", "resume",
    "torchrun", "compile",
}  # fmt: skip
SYSTEMS = {f"system {name}" for name in ("sscp", "simcse", "cssl", "upos", "ebsim", "parabart")}
STEPS = {"step 4"} | {
    f"step 8{what}"
    for what in (
        "",
        " fp32",
        " fp16",
        " compiled",
        " deterministic",
        " chunks",
        " none ahead",
        " read by processes",
    )
}


def write_data(folder: Path) -> Path:
    """The other folders of data: benchmarks of several splits, a placeholder for each tree, and no corpus."""
    empty = {"parsed/corpus": SENTENCE, "augmented": VARIANT}
    for name, schema in empty.items():
        write_rows(shard_path(folder / name, 0), [], schema)
    graded = [
        ("A cat sat.", "A dog sat.", 1.0),
        ("Rain fell.", "It rained.", 4.0),
        ("No.", "A cat sat.", 0.0),
    ]
    rows = [
        {"task": task, "subset": "", "split": split, "a": a, "b": b, "score": score, "label": None}
        for task, split in (("stsb", "dev"), ("stsb", "test"), ("blind_set", "test"))
        for a, b, score in graded
    ]
    for pair in contrast_set():
        label = str(int(pair.meaning == "same"))
        rows.append(
            {"task": "contrast_set", "subset": pair.phenomenon, "split": "test", "a": pair.a, "b": pair.b,
             "score": None, "label": label}
        )  # fmt: skip
    write_rows(shard_path(folder / "benchmarks", 0), rows, EXAMPLE)
    texts = dict.fromkeys(row[side] for row in rows for side in ("a", "b"))
    trees = [placeholder(number, text) for number, text in enumerate(texts)]
    write_rows(shard_path(folder / "parsed/benchmarks", 0), trees, SENTENCE)
    return folder


def placeholder(number: int, text: str) -> dict[str, object]:
    """A row of ``schemas.SENTENCE``: nouns, each the head of the next."""
    words = text.split()
    blank = [""] * len(words)
    return {
        "sent_id": str(number), "doc_id": "", "lang": "en", "split": "test", "text": text, "words": words,
        "space_after": [True] * len(words), "lemmas": [word.lower() for word in words],
        "upos": ["NOUN"] * len(words), "xpos": blank, "feats": blank, "heads": list(range(len(words))),
        "deprels": ["root", *["dep"] * (len(words) - 1)],
    }  # fmt: skip


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_data(tmp_path / "data")


@pytest.fixture(scope="module")
def rehearsed(tiny_backbone: Path, triplets: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the bundle and the reports of all chapters, rehearsed with little installed."""
    home = tmp_path_factory.mktemp("rehearsal")
    values = yaml.safe_load((ROOT / "params.yaml").read_text())
    values["encoder"] |= {"model": str(tiny_backbone), "max_tokens": 32}
    values["synsem"] |= {"dimensions": 32, "pointer_size": 16}
    values["ebsim"] |= {"max_tokens": 32}
    (home / "params.yaml").write_text(yaml.safe_dump(values))
    packing = ["--triplets", triplets, "--data", write_data(home / "data"), "--params", home / "params.yaml"]
    chapters = [["prepare", *packing, "--out", home / "bundle", "--level", 3, "--mebibytes", 8]]
    # However busy the machine is, all is measured.
    chapters += [[name, "--bundle", home / "bundle", "--minutes", 600] for name in ORDER[1:]]
    common = ["--rehearse", "--reports", home / "reports"]
    given = json.dumps([[*map(str, chapter), *map(str, common)] for chapter in chapters])
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, given], cwd=ROOT, capture_output=True, text=True,
        env=os.environ | {"TMPDIR": str(home)} | bare_python(home / "bare", *LIBRARIES, *WHEELS),
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    (home / "said").write_text(done.stdout)
    return home


def results(home: Path, chapter: str) -> dict[str, Any]:
    found: dict[str, Any] = read_json(home / "reports" / f"{chapter}.json")["results"]
    return found


def test_the_bundle_has_all_examples_and_development_data_alone(
    rehearsed: Path, triplets: Path, tmp_path: Path
) -> None:
    assert results(rehearsed, "prepare")["bundle"]["examples"] == {"kept": 72, "of": 72}
    found = unpack(rehearsed / "bundle", tmp_path / "unpacked")
    assert read(found.triplets).to_pylist() == read(triplets).to_pylist()
    tasks = {(row["task"], row["split"]) for row in read(found.data("benchmarks")).to_pylist()}
    assert tasks == {("stsb", "dev"), ("contrast_set", "test")}
    assert load(found.params, "encoder").encoder.model == str(tmp_path / "unpacked" / "backbone")
    remains = [
        line for line in (rehearsed / "said").read_text().splitlines() if "chapters that remain" in line
    ]
    assert remains[0].endswith("smoke, speed, train, seeds")
    assert remains[-1].endswith("none")


def test_every_check_of_smoke_passes(rehearsed: Path) -> None:
    found = results(rehearsed, "smoke")
    assert set(found) == SMOKE | SYSTEMS
    assert all(each["passed"] for each in found.values())
    assert found["torchrun"]["backend"] == "gloo"
    assert found["compile"]["graphs"] >= 1


def test_speed_measures_steps_encoding_and_parsing(rehearsed: Path) -> None:
    found = results(rehearsed, "speed")
    assert set(found) == STEPS | {"encode 8", "parse"}
    for name in STEPS:
        assert found[name]["tokens_per_second"] > 0
        assert found[name]["peak_memory_mb"] > 0
    encoded = found["encode 8"]
    assert {"backbone", "synsem", "sentence-transformers"} <= set(encoded)
    for name in ("backbone", "synsem", "sentence-transformers"):
        assert encoded[name]["sentences_per_second"] > 0
        assert encoded[name]["peak_memory_mb"] > 0
        assert encoded[name]["difference"] < 1e-5
    parsed = found["parse"]
    assert {"batches of 4", "batches of 8", "all in one call"} < parsed.keys()
    assert all(each["sentences_per_second"] > 0 for each in parsed.values() if isinstance(each, dict))
    assert parsed["all in one call"]["sentences"] == 16
    assert 0 < parsed["all in one call"]["decoding"] < 1
    assert 0 < parsed["uas"] <= 1


def test_the_flagship_is_trained_at_two_lengths_and_judged_by_every_view(rehearsed: Path) -> None:
    found = results(rehearsed, "train")
    assert set(found) == {"backbone", "synsem", "synsem long"}
    assert "ap" in found["backbone"]["metrics"]["semantic"]["contrast"]["all"]
    for name, steps in (("synsem", 4), ("synsem long", 3)):
        run = found[name]
        assert run["training"]["steps"] == steps
        assert {"semantic", "structural", "joint"} <= set(run["metrics"])
        for view in ("semantic", "structural", "joint"):
            assert "ap" in run["metrics"][view]["contrast"]["all"]
            assert "spearman" in run["metrics"][view]["stsb"]["dev"]
        curves = run["curves"]
        judged = (
            "judged/swaps",
            "judged/joint.contrast.all.ap",
            "judged/joint.stsb.dev.spearman",
            "dev/contrast",
        )
        for each in judged:
            assert curves[each][0][0] == 0
            assert curves[each][-1][0] == steps
        last = curves["judged/joint.contrast.all.ap"][-1][1]
        assert 0 < last <= 100
        assert {"tokens_per_second", "peak_memory_mb"} <= run["cost"].keys()
        assert "cost/tokens_per_second" in curves


def test_seeds_trains_the_flagship_simcse_and_the_controls_at_equal_steps(rehearsed: Path) -> None:
    found = results(rehearsed, "seeds")
    assert set(found) == {"synsem 13", "simcse 13", "synsem-surface-order 13"}
    assert {run["training"]["steps"] for run in found.values()} == {3}
    assert found["simcse 13"]["training"]["system"] == "simcse"
    assert "ap" in found["simcse 13"]["metrics"]["semantic"]["contrast"]["all"]
    assert found["synsem-surface-order 13"]["changes"] == LONG_CHANGES | {"synsem.order": "surface"}


def test_on_a_gpu_seeds_has_five_seeds_and_every_control(
    rehearsed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    planned = list(jobs(Runs(unpack(rehearsed / "bundle", tmp_path), tmp_path, False)))
    assert planned[:5] == [("synsem", seed) for seed in (13, 14, 15, 16, 17)]
    controls = {name for name, seed in planned[5:] if seed == 17}
    orders = ("surface-order", "trees-of-others", "shuffled-trees", "random-trees", "links-alone", "no-links")
    assert {"simcse", *(f"synsem-{name}" for name in orders)} <= controls
    assert len(planned) == 5 + 5 * len(controls)


def test_simcse_learns_from_each_anchor_once(rehearsed: Path, tmp_path: Path) -> None:
    runs = Runs(unpack(rehearsed / "bundle", tmp_path / "b"), tmp_path / "runs", True)
    rows = read(runs.own_positives()).to_pylist()
    anchors = [row["anchor"]["text"] for row in read(runs.bundle.triplets).to_pylist()]
    assert [row["anchor"]["text"] for row in rows] == list(dict.fromkeys(anchors))
    assert all(row["positive"] == row["anchor"] and row["negatives"] == [] for row in rows)


def test_a_chapter_that_is_called_again_does_the_rest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> dict[str, object]:
        raise ValueError("no such kernel")

    first = Chapter("smoke", tmp_path, 1)
    first.run("works", lambda: {"passed": True})
    first.run("breaks", fail)
    with pytest.raises(SystemExit):
        first.finish()
    again = Chapter("smoke", tmp_path, 0)
    again.run("works", fail)
    again.run("breaks", lambda: {"passed": True})
    again.finish()
    assert again.left == ["breaks"]
    assert read_json(tmp_path / "smoke.json")["results"]["works"]["passed"]
    said = capsys.readouterr().out
    assert "FAILED breaks" in said
    assert "smoke works: done before" in said
    assert "no time for breaks; run it again" in said


def test_measurements_at_once_are_in_one_file_and_none_is_begun_too_late(tmp_path: Path) -> None:
    chapter, both = Chapter("seeds", tmp_path, 1 / 60), threading.Barrier(2)

    def wait() -> dict[str, object]:
        both.wait(timeout=20)  # for the other one
        time.sleep(0.6)
        return {"passed": True}

    chapter.run_all(dict.fromkeys(("a", "b", "c", "d"), wait), {}, at_once=2)
    chapter.finish()
    assert read_json(tmp_path / "seeds.json")["results"].keys() == {"a", "b"}
    assert chapter.left == ["c", "d"]  # they would end after the second that there is


def test_a_measurement_by_itself_is_a_process_with_its_share_of_the_cores(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def run(command: list[str], env: dict[str, str], check: bool) -> None:
        assert command[:5] == [sys.executable, "-m", "benchmarks.gpu", "seeds", "--only"]
        assert env["OMP_NUM_THREADS"] == "3"
        folder = Path(command[command.index("--reports") + 1])
        found = {command[5]: {"given": command[-2:]}}
        (folder / "seeds.json").write_text(json.dumps({"results": found}))

    monkeypatch.setattr(subprocess, "run", run)
    assert _alone("seeds", "synsem 14", ["--bundle", "x"], 3) == {"given": ["--bundle", "x"]}


def test_what_does_not_fit_is_one_clear_line(
    params: Path, triplets: Path, data: Path, tmp_path: Path
) -> None:
    with pytest.raises(SynsemError, match="--mebibytes: no room for training examples"):
        pack(tmp_path / "bundle", params, triplets, data, 0.01, None, 3)
    with pytest.raises(SynsemError, match="no bundle; run `python -m benchmarks"):
        unpack(tmp_path / "nothing", tmp_path / "home")


def test_a_bundle_takes_the_place_of_an_earlier_one_and_of_nothing_else(
    params: Path, triplets: Path, data: Path, tmp_path: Path
) -> None:
    out = tmp_path / "bundle"
    for _ in range(2):
        pack(out, params, triplets, data, 8, None, 3)
    (out / "wheels").mkdir()
    pack(out, params, triplets, data, 8, None, 3)
    (out / "photos").touch()
    with pytest.raises(SynsemError, match="holds other files, such as photos"):
        pack(out, params, triplets, data, 8, None, 3)
    assert (out / "photos").exists()


def test_as_many_examples_as_fit_are_drawn_evenly(
    params: Path, triplets: Path, data: Path, tmp_path: Path
) -> None:
    whole = pack(tmp_path / "whole", params, triplets, data, 8, None, 3)
    size = sum(whole["bytes"].values()) - whole["bytes"]["triplets.arrow.zst"] // 2
    part = pack(tmp_path / "part", params, triplets, data, size / 2**20, None, 3)
    assert 0 < part["examples"]["kept"] < 72
    assert sum(part["bytes"].values()) <= size
    assert evenly(10, 4).tolist() == [0, 3, 6, 9]


def test_examples_of_frames_are_not_carried_but_drawn_again(
    params: Path, triplets: Path, data: Path, tmp_path: Path
) -> None:
    values = yaml.safe_load(params.read_text())
    values["mine"]["synsem"]["alternations"], values["mine"]["seed"] = 0.4, 7
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(values))
    rows = list(with_alternations(read(triplets).to_pylist(), 0.4, 7))
    write_rows(shard_path(tmp_path / "mined", 0), rows, TRIPLET)
    packed = pack(tmp_path / "bundle", tmp_path / "params.yaml", tmp_path / "mined", data, 8, None, 3)
    assert len(rows) == 120
    assert packed["examples"] == {"kept": 72, "of": 72}
    found = unpack(tmp_path / "bundle", tmp_path / "home")
    assert read(found.triplets).to_pylist() == read(tmp_path / "mined").to_pylist()
    assert unpack(found.folder, tmp_path / "elsewhere") == found
    assert not (tmp_path / "elsewhere").exists()


def test_examples_of_frames_have_no_whole_trees(triplets: Path, tmp_path: Path) -> None:
    rows = read(triplets).to_pylist()
    for row in rows[::3]:
        row["positive_kind"] = "alternation"
    bundle = Bundle(tmp_path)
    write_rows(shard_path(bundle.triplets, 0), rows, TRIPLET)
    whole = [row for row in rows if row["positive_kind"] != "alternation"]
    assert read(bundle.whole_trees()).to_pylist() == whole


def test_held_out_text_is_a_part_with_its_own_variants(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundles, "HELD_OUT", 3)
    splits = ["test", "train", "test", "test", "test", "test"]
    sentences = [
        placeholder(number, f"Text {number}.") | {"split": split} for number, split in enumerate(splits)
    ]
    alike = {name: sentences[0][name] for name in VARIANT.names if name in sentences[0]}
    variants = [
        alike | {"source_id": str(number), "split": split, "transformation": "cleft", "meaning": "same",
                 "alignment": [1, 2]}
        for number, split in enumerate(splits)
    ]  # fmt: skip
    write_rows(shard_path(data / "parsed/corpus", 0), sentences, SENTENCE)
    write_rows(shard_path(data / "augmented", 0), variants, VARIANT)
    found = development_data(data)
    assert found["parsed/corpus"].column("sent_id").to_pylist() == ["0", "3", "5"]
    assert found["augmented"].column("source_id").to_pylist() == ["0", "3", "5"]


def test_a_damaged_file_of_the_bundle_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.zst"
    compress(path, b"content" * 100, 3)
    assert decompressed(path) == b"content" * 100
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(SynsemError, match=r"x\.zst: damaged"):
        decompressed(path)


def test_the_wheels_are_all_of_pydantic() -> None:
    from importlib.metadata import requires

    needed = {each.split(">")[0].split("=")[0].split(";")[0].strip() for each in requires("pydantic") or []
              if "extra ==" not in each}  # fmt: skip
    assert needed - {"typing-extensions"} == set(WHEELS) - {"pydantic", "sentencepiece"}
    assert pa.Codec.is_available("zstd")
    assert TRIPLET.names[0] == "source_id"


def test_a_curve_tells_metrics_and_the_norm_of_the_bias_by_step(
    data: Path, triplets: Path, tiny_backbone: Path, tmp_path: Path, scratch: Path
) -> None:
    values = yaml.safe_load((ROOT / "params.yaml").read_text())
    values["encoder"] |= {"model": str(tiny_backbone), "max_tokens": 32}
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(values))
    (data / "triplets").mkdir()
    (data / "triplets" / "sscp").symlink_to(triplets)
    out = tmp_path / "curves.json"
    changes = ["train.steps=4", "train.evaluate_every=2", "train.batch_size=8"]
    for name, more in (("bias", []), ("no bias", ["sscp.bias=none"])):
        curve("sscp", name, [*changes, *more], data=data, params=tmp_path / "params.yaml", out=out)
    found = read_json(out)
    curves = found["sscp: bias"]["curves"]
    norm = next(curves[name] for name in curves if name.startswith("judged/norm."))
    assert [step for step, _ in norm] == [0, 2, 4]
    assert norm[0][1] == 0 < norm[1][1] < norm[2][1]
    assert [step for step, _ in curves["judged/joint.stsb.dev.spearman"]] == [0, 2, 4]
    assert found["sscp: no bias"]["changes"]["sscp.bias"] == "none"
    assert not any("norm." in name for name in found["sscp: no bias"]["curves"])


def test_a_change_without_a_value_is_one_clear_sentence(data: Path, tmp_path: Path) -> None:
    with pytest.raises(SynsemError, match=r"--set train\.steps: write KEY=VALUE"):
        curve("sscp", "short", ["train.steps"], data=data, out=tmp_path / "curves.json")
