import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from test_systems import create

from pipeline.params import load
from pipeline.systems import registry
from pipeline.systems.encoding import parsed

ROOT = Path(__file__).parent.parent.parent
TEXTS = ["The old cat sat on the mat.", "", "Rain fell!"]


@pytest.mark.parametrize("view", [None, "semantic"])
def test_lines_become_rows_of_the_systems_own_vectors(
    view: str | None, tiny_backbone: Path, tmp_path: Path
) -> None:
    registry.save(create("sscp", tiny_backbone), tmp_path / "model")
    done = subprocess.run(
        [sys.executable, "-m", "stages.encode", str(tmp_path / "model"), *(["--view", view] if view else [])],
        input="\n".join(TEXTS).encode(),
        capture_output=True,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr.decode()
    (tmp_path / "table.parquet").write_bytes(done.stdout)
    table = pq.read_table(tmp_path / "table.parquet")
    assert table["text"].to_pylist() == TEXTS
    assert table.column_names == ["text", *([view] if view else ["semantic", "syntactic", "joint"])]
    sides = list(parsed(TEXTS, load(ROOT / "params.yaml", "parse").parse))
    assert sides[0].heads[1:3] == (3, 4)
    expected = registry.load(tmp_path / "model").embed(sides)
    for name in table.column_names[1:]:
        np.testing.assert_allclose(np.stack(table[name].to_numpy()), expected[name], atol=1e-6)


def test_an_unknown_view_is_one_clear_line(tiny_backbone: Path, tmp_path: Path) -> None:
    registry.save(create("simcse", tiny_backbone), tmp_path / "model")
    done = subprocess.run(
        [sys.executable, "-m", "stages.encode", str(tmp_path / "model"), "--view", "joint"],
        input=b"Rain fell.",
        capture_output=True,
        cwd=ROOT,
    )
    assert done.returncode == 1
    assert "has no view 'joint'; choose from semantic" in done.stderr.decode()
    assert done.stdout == b""
