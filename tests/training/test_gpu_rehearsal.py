"""The chapters of benchmarks/gpu, rehearsed on a CPU with the tiny backbone."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

from benchmarks.gpu.bundle import WHEELS, compress, decompressed, evenly, pack, unpack
from benchmarks.gpu.chapter import Chapter
from pipeline.core.errors import SynsemError
from pipeline.core.store import EXAMPLE, SENTENCE, TRIPLET, VARIANT, read, read_json, shard_path, write_rows
from pipeline.params import load

ROOT = Path(__file__).parents[2]
# What a GPU machine lacks cannot be imported here either.
PROGRAM = """
import runpy, sys
for name in ("spacy", "stanza", "dvc", "requests", "zstandard", "sentence_transformers", "jinja2", "nltk"):
    sys.modules[name] = None
sys.argv = ["gpu", *sys.argv[1:]]
runpy.run_module("benchmarks.gpu", run_name="__main__")
"""
CHECKS = "fp32,bf16,fp16,gradcache,encode,system sscp,random_state,deterministic,resume"


def gpu(*arguments: object, home: Path) -> str:
    """Run a chapter; what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *map(str, arguments), "--reports", str(home / "reports")],
        cwd=ROOT, env=os.environ | {"TMPDIR": str(home)}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The other folders of data: benchmarks of two splits, and no corpus."""
    folder = tmp_path / "data"
    empty = {"parsed/corpus": SENTENCE, "parsed/benchmarks": SENTENCE, "augmented": VARIANT}
    for name, schema in empty.items():
        write_rows(shard_path(folder / name, 0), [], schema)
    pairs = [("stsb", "dev"), ("stsb", "test"), ("contrast_set", "test"), ("blind_set", "test")]
    rows = [
        {"task": task, "subset": "", "split": split, "a": "A cat sat.", "b": "A dog sat.", "score": 1.0}
        for task, split in pairs
    ]
    write_rows(shard_path(folder / "benchmarks", 0), [row | {"label": None} for row in rows], EXAMPLE)
    return folder


@pytest.mark.slow
def test_the_bundle_is_packed_and_every_check_passes(
    params: Path, triplets: Path, data: Path, tmp_path: Path
) -> None:
    bundle, reports = tmp_path / "bundle", tmp_path / "reports"
    packing = ("--triplets", triplets, "--data", data, "--params", params, "--out", bundle, "--level", 3)
    said = gpu("prepare", *packing, "--mebibytes", 8, "--rehearse", home=tmp_path)
    assert "chapters that remain: smoke, speed, train, seeds" in said
    packed = read_json(reports / "prepare.json")["results"]["bundle"]
    assert packed["examples"] == {"kept": 72, "of": 72}

    # The same examples and weights come out; of the benchmarks, development data alone.
    found = unpack(bundle, tmp_path / "unpacked")
    assert read(found.triplets).to_pylist() == read(triplets).to_pylist()
    tasks = [(row["task"], row["split"]) for row in read(found.data("benchmarks")).to_pylist()]
    assert tasks == [("stsb", "dev"), ("contrast_set", "test")]
    assert load(found.params, "encoder").encoder.model == str(tmp_path / "unpacked" / "backbone")

    said = gpu("smoke", "--bundle", bundle, "--rehearse", "--only", CHECKS, home=tmp_path)
    assert "chapters that remain: speed, train, seeds" in said
    results = json.loads((reports / "smoke.json").read_text())["results"]
    assert set(results) == set(CHECKS.split(","))
    assert all(each["passed"] for each in results.values())

    gpu("speed", "--bundle", bundle, "--rehearse", "--only", "parse,step 4,step 8 none ahead", home=tmp_path)
    results = json.loads((reports / "speed.json").read_text())["results"]
    parsed = results["parse"]
    assert {"batches of 4", "batches of 8", "all in one call"} < parsed.keys()
    assert all(each["sentences_per_second"] > 0 for each in parsed.values() if isinstance(each, dict))
    assert parsed["all in one call"]["sentences"] == 16
    assert 0 < parsed["all in one call"]["decoding"] < 1
    assert 0 < parsed["uas"] <= 1
    assert all(results[name]["tokens_per_second"] > 0 for name in ("step 4", "step 8 none ahead"))


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


def test_what_does_not_fit_is_one_clear_line(
    params: Path, triplets: Path, data: Path, tmp_path: Path
) -> None:
    with pytest.raises(SynsemError, match="--mebibytes: no room for training examples"):
        pack(tmp_path / "bundle", params, triplets, data, 0.01, None, 3)
    with pytest.raises(SynsemError, match="no bundle; run `python -m benchmarks"):
        unpack(tmp_path / "nothing", tmp_path / "home")


def test_as_many_examples_as_fit_are_drawn_evenly(
    params: Path, triplets: Path, data: Path, tmp_path: Path
) -> None:
    whole = pack(tmp_path / "whole", params, triplets, data, 8, None, 3)
    size = sum(whole["bytes"].values()) - whole["bytes"]["triplets.arrow.zst"] // 2
    part = pack(tmp_path / "part", params, triplets, data, size / 2**20, None, 3)
    assert 0 < part["examples"]["kept"] < 72
    assert sum(part["bytes"].values()) <= size
    assert evenly(10, 4).tolist() == [0, 3, 6, 9]


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
