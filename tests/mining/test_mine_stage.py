"""What the mine stage gives to builders."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import yaml

from pipeline.core import store
from pipeline.syntax.sentence import Side
from stages import mine
from tests.in_process import python_m

SIDES = [Side(text, text.split(), [0, *range(1, len(text.split()))]) for text in ("rain fell", "the cat saw")]


def test_builders_get_semantic_vectors_and_nothing_else_is_computed(
    tiny_backbone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    params = yaml.safe_load(Path("params.yaml").read_text(encoding="utf-8"))
    params["encoder"] |= {"model": str(tiny_backbone), "max_tokens": 32}
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(params), encoding="utf-8")
    found: list[np.ndarray] = []

    def build(inputs: object, out: Path, settings: object, embed: object, workers: int) -> Counter[str]:
        assert callable(embed)
        assert workers == 3
        found.append(embed(SIDES))
        store.write_json(out / "report.json", {"dropped": {}})
        return Counter()

    def sketch(sentences: Sequence[Side], *_: object) -> np.ndarray:
        raise AssertionError("mining reads no sketch")

    monkeypatch.setattr("pipeline.systems.builders.builder", lambda system: build)
    monkeypatch.setattr("pipeline.nn.sketch.sketch", sketch)
    mine.main("sscp", params=tmp_path / "params.yaml", out=tmp_path / "out", workers=3)
    np.testing.assert_allclose(np.linalg.norm(found[0], axis=1), 1, atol=1e-5)


def test_a_system_that_there_is_none_of_leaves_no_folder(tmp_path: Path) -> None:
    params = str(Path("params.yaml").resolve())
    for name in ("sccp", "", ".."):
        done = python_m("stages.mine", name, "--params", params, cwd=tmp_path)
        assert (done.returncode, done.stderr.count("\n")) == (1, 1)
        assert f"systems: {name!r} is unknown" in done.stderr
        assert list(tmp_path.iterdir()) == []
