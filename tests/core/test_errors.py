import importlib
import sys

import pytest

from pipeline.core.errors import SynsemError, demand_installed, first_few, naming_arguments


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        ([], ""),
        (["a"], "a"),
        (["a", "b"], "a, b"),
        (["a", "b", "c"], "a, b, ..."),
        (list("abcd"), "a, b, ..."),
    ],
)
def test_a_message_names_the_first_few_and_says_that_there_are_more(names: list[str], shown: str) -> None:
    assert first_few(names, most=2) == shown


def test_of_the_options_in_a_message_those_of_python_lose_their_dashes() -> None:
    with pytest.raises(SynsemError) as failure, naming_arguments():
        raise SynsemError("--view: is none in a--params-2; pass --params, or run `pip install --no-deps x`")
    said = "view: is none in a--params-2; pass params, or run `pip install --no-deps x`"
    assert str(failure.value) == said


def test_a_library_of_an_extra_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "conllu", None)
    with pytest.raises(SynsemError, match=r"^conllu is not installed; .*\[pipeline\]"), demand_installed():
        import conllu  # noqa: F401


@pytest.mark.parametrize("name", ["pipeline.no_such_module", "conllu.no_such_part"])
def test_any_other_module_that_is_not_there_is_a_bug(name: str) -> None:
    with pytest.raises(ModuleNotFoundError), demand_installed():
        importlib.import_module(name)
