"""The Chinese tasks from download to a saved matcher, over an encoder with a Chinese vocabulary."""

from pathlib import Path

import pytest
import torch
import yaml

import stages.download
import stages.tools.finetune
import stages.tools.match
from pipeline.core.store import read_json
from pipeline.systems.cssl.from_scratch import backbone_from_scratch
from pipeline.systems.ebsim.labelled_pairs import read_task
from pipeline.systems.ebsim.matcher import load

ROOT = Path(__file__).parents[3]


@pytest.mark.mirror
@pytest.mark.parametrize("name", ["lcqmc", "bq"])
def test_chinese_pairs_go_all_the_way(
    name: str, mirror: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "own.txt").write_text("One sentence about a dog that barks at night.\n" * 3)
    params = yaml.safe_load((ROOT / "params.yaml").read_text())
    params["download"] |= {
        "sources": [str(tmp_path / "own.txt")],
        "benchmarks": [name],
        "mirror": str(mirror),
        "near_duplicate": None,
    }
    params["encoder"]["model"] = str(tmp_path / "encoder")
    path = tmp_path / "params.yaml"
    path.write_text(yaml.safe_dump(params))
    benchmarks = tmp_path / "benchmarks"
    stages.download.main(tmp_path / "corpus", benchmarks, path)
    task = read_task(benchmarks, name)
    assert len(task.dev) + len(task.train) > 8000  # the whole dev file, of which a part chooses
    assert len(task.test) > 9000

    torch.manual_seed(0)
    few = task.train.share(2)
    backbone = backbone_from_scratch(["".join(few.a), *few.b], 2000, 64, 2, 64, 0.0)
    backbone.model.save_pretrained(str(tmp_path / "encoder"))
    backbone.tokenizer.save_pretrained(str(tmp_path / "encoder"))
    capsys.readouterr()
    common = {"share": ["2"], "epochs": 1, "max_tokens": 64, "test_pairs": 100}
    common |= {"benchmarks": benchmarks, "params": path}
    stages.tools.finetune.main(name, out=tmp_path / "matcher", **common)
    assert f"finetune {name}: {len(few)} pairs" in capsys.readouterr().out
    a, b = task.test.a[0], task.test.b[0]
    stages.tools.match.main(a, b, tmp_path / "matcher")
    assert float(capsys.readouterr().out) == pytest.approx(
        load(tmp_path / "matcher").scores([a], [b])[0], abs=1e-3
    )
    results = tmp_path / "results.json"
    stages.tools.finetune.main(name, results=results, **common)
    runs = read_json(results)["runs"]
    (run,) = (each for each in runs.values() if not each.get("frozen"))
    assert {each["start"] for each in runs.values()} > {"zero-shot cosine"}
    assert (run["pairs"], set(run["test"])) == (len(few), {"accuracy", "f1", "ap"})
