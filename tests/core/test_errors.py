import pytest

from pipeline.core.errors import SynsemError, demand_installed, first_few


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


def test_a_library_that_is_missing_is_named_and_a_module_of_our_own_is_a_bug() -> None:
    with pytest.raises(SynsemError, match=r"^no_such_library is not installed"), demand_installed():
        import no_such_library  # noqa: F401
    with pytest.raises(ModuleNotFoundError), demand_installed():
        import pipeline.no_such_module  # noqa: F401
