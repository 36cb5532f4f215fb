import pytest

from pipeline.core.errors import first_few


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
