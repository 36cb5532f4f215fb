"""``benchmarks/synsem_views.py``: every model has a name of its own in the report."""

from pathlib import Path

import pytest

from pipeline.core.errors import SynsemError

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"


def test_a_model_and_a_control_of_one_seed_have_two_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    from synsem_views import by_name

    folders = [Path("models/synsem/13"), Path("models/surface/13")]
    assert by_name(folders) == dict(zip(("synsem-13", "surface-13"), folders, strict=True))
    with pytest.raises(SynsemError, match=r"a/synsem/13 and b/synsem/13: both are called synsem-13"):
        by_name([Path("a/synsem/13"), Path("b/synsem/13")])
