"""benchmarks/loader.py: what it counts is what training reads."""

from pathlib import Path

import pytest

from benchmarks.loader import main
from pipeline.core.store import read_json


@pytest.mark.parametrize("name", ["synsem", "sscp"])
def test_the_loader_is_timed_without_a_network(
    name: str, params: Path, triplets: Path, tmp_path: Path
) -> None:
    (tmp_path / name).symlink_to(triplets)
    main(tmp_path, params, name, "8", 3, 300.0, 100.0, tmp_path / "loader.json")
    [found] = read_json(tmp_path / "loader.json")["results"].values()
    # The backbone's own words of eight examples: two sides of six words or more, and their hard negatives.
    assert found["tokens_a_batch"] > 8 * 2 * 6
    assert found["tokens_per_cpu_second"] > 0
    assert 0 < found["ms_of_them_arrow"] < found["ms_a_batch"]
    # The wait is long enough: what was read meanwhile is no work of the step's thread.
    assert 0 < found["ms_of_the_thread_1_ahead"] < found["ms_of_the_thread_0_ahead"]
