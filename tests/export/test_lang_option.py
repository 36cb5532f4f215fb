"""``--lang`` wherever a command parses a text that is given to it."""

import importlib
import inspect
from pathlib import Path

import pytest

import synsem
from pipeline.augment.show import describe
from pipeline.core.errors import SynsemError
from pipeline.params import load
from stages.cli import COMMANDS
from stages.tools import augment, encode, score, similar, tree

PARSING = ("tree", "augment", "similar", "encode", "search", "like")
MISSING = r"parse\.models\.la: missing, but there is text in 'la'"


@pytest.mark.parametrize("name", PARSING)
def test_a_command_that_parses_a_text_takes_its_language(name: str) -> None:
    assert "lang" in inspect.signature(importlib.import_module(COMMANDS[name]).main).parameters


def test_the_parser_is_that_of_the_language(model: Path, tmp_path: Path) -> None:
    params = Path("params.yaml")
    with pytest.raises(SynsemError, match=MISSING):
        tree.main("Canis puerum petit.", lang="la", params=params)
    with pytest.raises(SynsemError, match=MISSING):
        augment.main("Canis puerum petit.", lang="la", params=params)
    with pytest.raises(SynsemError, match=MISSING):
        similar.main("Canis puerum petit.", "Puer canem petit.", model=model, lang="la")
    (tmp_path / "text.txt").write_text("Canis puerum petit.\n")
    with pytest.raises(SynsemError, match=MISSING):
        encode.main(model, tmp_path / "text.txt", out=tmp_path / "vectors.npy", lang="la")
    assert not (tmp_path / "vectors.npy").exists()


CHOICES = pytest.mark.parametrize(
    "given", [{"lang": "en"}, {"params": Path("params.yaml")}], ids=["lang", "params"]
)


@CHOICES
def test_where_a_model_reads_the_text_itself_what_chooses_a_parser_is_refused(
    given: dict[str, object], tmp_path: Path
) -> None:
    with pytest.raises(
        SynsemError, match=rf"--{next(iter(given))}: chooses a parser.* leave it out, or --mod"
    ):
        tree.main("The dog chased the boy.", model=tmp_path, **given)


@CHOICES
def test_where_a_trained_model_needs_no_parser_one_is_not_chosen_in_vain(
    given: dict[str, object], text_model: Path, tmp_path: Path
) -> None:
    (tmp_path / "text.txt").write_text("The dog chased the boy.\tThe boy chased the dog.\n")
    said = rf"--{next(iter(given))}: chooses a parser, which synsem does not need; leave it out"
    for attempt in (
        lambda: similar.main("A dog barks.", "A cat mews.", model=text_model, **given),
        lambda: encode.main(text_model, tmp_path / "text.txt", out=tmp_path / "v.npy", view="joint", **given),
        lambda: score.main(text_model, tmp_path / "text.txt", out=tmp_path / "scores.tsv", **given),
    ):
        with pytest.raises(SynsemError, match=said):
            attempt()
    assert [path.name for path in tmp_path.iterdir()] == ["text.txt"]


def test_rules_for_english_leave_another_language_alone() -> None:
    (sentence,) = synsem.parse("The dog chased the boy.")
    english, latin = (synsem.augment(sentence, lang=lang) for lang in ("en", "la"))
    assert {variant.meaning for variant in english} == {"same", "different", "order"}
    assert {variant.meaning for variant in latin} == {"order"}
    said = describe(sentence, load(Path("params.yaml"), "augment").augment, "la")
    assert "passive" not in said
    assert said.endswith("only permutation, rotation, cropping tried; the other 25 rules are for English")
