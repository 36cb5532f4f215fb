"""``synsem similar``: two sentences, every view and the two trees."""

import io
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
import yaml
from numpy.typing import NDArray
from rich.console import Console

from pipeline.core.errors import SynsemError
from pipeline.export.score import LATE, pair_scores
from pipeline.export.sentence_transformers import parser_of, views
from pipeline.export.similar import compare, show
from pipeline.export.text_encoder import clip, parsed, trees
from pipeline.params import Parse
from pipeline.syntax.sentence import HasTree, Sentence, Side
from pipeline.syntax.structural_similarity import structural_similarity, triples
from pipeline.systems import registry
from stages.tools.similar import main
from tests.export.conftest import save

A, B = "The dog chased the boy.", "The boy was chased by the dog."


def printed(model: Path, width: int) -> str:
    output = io.StringIO()
    show(compare(A, B, registry.load(model), parser_of(model, None)), Console(file=output, width=width))
    return output.getvalue()


def test_the_scores_are_the_views_cosines(model: Path) -> None:
    system, parse = registry.load(model), parser_of(model, None)
    scores = compare(A, B, system, parse).scores
    for view, vectors in system.embed(parsed([A, B], parse, 32)).items():
        assert scores[f"{view} view, cosine"] == pytest.approx(float(vectors[0] @ vectors[1]), abs=1e-5)
    assert 0.5 < scores["structural agreement"] <= 1
    same = compare(A, A, system, parse).scores
    assert same["joint view, cosine"] == pytest.approx(1)


def test_a_text_is_read_as_it_stands_whatever_its_spaces(tiny_backbone: Path, tmp_path: Path) -> None:
    """A shuffled tree is drawn by the text, so a text that is tidied up first would have another one."""
    save("sscp", tiny_backbone, tmp_path, {"bias": "shuffled"})
    system, parse = registry.load(tmp_path), parser_of(tmp_path, None)
    a, b = " The  dog chased the boy. ", "The boy\u00a0was chased\tby the dog."
    scores = compare(a, b, system, parse).scores
    assert scores["syntactic view, cosine"] != pytest.approx(
        compare(A, B, system, parse).scores["syntactic view, cosine"], abs=1e-4
    )
    expected = pair_scores([(a, b)], system, parse)
    for view in ("semantic", "syntactic", "joint"):
        assert scores[f"{view} view, cosine"] == pytest.approx(expected[view][0], abs=1e-5)
    assert scores["late interaction"] == pytest.approx(expected[LATE][0], abs=1e-5)


def test_a_late_interaction_is_shown_where_the_system_has_one(model: Path) -> None:
    system, parse = registry.load(model), parser_of(model, None)

    def late_scores(a: Sequence[HasTree], b: Sequence[HasTree]) -> NDArray[np.float32]:
        return np.array([len(x.words) / len(y.words) for x, y in zip(a, b, strict=True)], dtype=np.float32)

    object.__setattr__(system, "late_scores", late_scores)
    pair = compare(A, B, system, parse)
    assert pair.scores["late interaction"] == pytest.approx(6 / 8)
    assert pair.scales["late interaction"] == "each sentence with itself: 1.000 and 1.000"


def test_every_score_stands_beside_its_scale(model: Path) -> None:
    lines = [line.rstrip() for line in printed(model, 120).splitlines()]
    for view in ("semantic", "syntactic", "joint"):
        assert (
            sum(line.startswith(f"{view} view, cosine") and line.endswith("-1 to 1") for line in lines) == 1
        )
    assert sum(line.startswith("structural agreement") and line.endswith("0 to 1") for line in lines) == 1
    system, parse = registry.load(model), parser_of(model, None)
    if callable(getattr(system, "late_scores", None)):
        sides = [Side.of(tree) for tree in parsed([A, B], parse, 32)]
        first, second = (float(system.late_scores([side], [side])[0]) for side in sides)
        [late] = [line for line in lines if line.startswith("late interaction")]
        assert late.endswith(f"each sentence with itself: {first:.3f} and {second:.3f}")


def test_trees_stand_side_by_side_where_there_is_room(model: Path) -> None:
    [roots] = [line for line in printed(model, 120).splitlines() if "root" in line]
    assert roots.count("chased") == 2
    assert sum("root" in line for line in printed(model, 40).splitlines()) == 2


def test_the_command_takes_the_first_system_and_seed(
    model: Path,
    text_model: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert text_model.parents[2] == model.parents[2]
    monkeypatch.chdir(model.parents[2])
    main(A, B, model=None, params=None)
    assert "structural view, cosine" in capsys.readouterr().out
    others = yaml.safe_load(Path("params.yaml").read_text()) | {"systems": ["sscp", "synsem"]}
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(others))
    main(A, B, model=None, params=tmp_path / "params.yaml")
    output = capsys.readouterr().out
    assert "syntactic view, cosine" in output
    assert "nsubj:pass" in output


def test_errors_are_one_sentence(model: Path, plain_model: Path, tmp_path: Path) -> None:
    with pytest.raises(SynsemError, match=r"' ': has no word to compare; give two sentences"):
        main(A, " ", model=model, params=None)
    with pytest.raises(SynsemError, match=r"' ': has no word to compare; give two sentences"):
        main(" ", B, model=plain_model, params=None)
    with pytest.raises(SynsemError, match=r"there is no model here"):
        main(A, B, model=tmp_path, params=None)


def test_structural_agreement_is_that_of_the_two_trees(model: Path) -> None:
    system, parse = registry.load(model), parser_of(model, None)
    other = "Rain fell on the old bridge while the queen slept."
    first, second = trees([A, other], parse)
    assert first is not None
    assert second is not None
    expected = structural_similarity(triples(first), triples(second))
    assert expected < 0.9
    assert compare(A, other, system, parse).scores["structural agreement"] == pytest.approx(expected)


def test_one_view_alone_has_its_cosine_and_no_late_interaction(model: Path) -> None:
    system, parse = registry.load(model), parser_of(model, None)
    object.__setattr__(system, "late_scores", lambda a, b: np.ones(len(a), dtype=np.float32))
    scores = compare(A, B, system, parse, "syntactic").scores
    assert list(scores) == ["syntactic view, cosine", "structural agreement"]
    assert list(compare(A, B, system, parse, "semantic").scores) == ["semantic view, cosine"]


def test_no_cosine_is_beyond_one_by_rounding(model: Path) -> None:
    system, parse = registry.load(model), parser_of(model, None)
    names = list(views(system))
    for sign in (1, -1):
        rows = np.array([[1.0000002], [sign * 1.0000002]], dtype=np.float32)
        object.__setattr__(system, "embed", lambda _, rows=rows: dict.fromkeys(names, rows))
        scores = compare(A, B, system, parse).scores
        assert {scores[f"{view} view, cosine"] for view in names} == {sign}


@pytest.mark.parametrize("kind", ["model", "text_model"])
def test_a_text_without_end_is_cut_before_it_is_read(
    kind: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder: Path = request.getfixturevalue(kind)
    system = registry.load(folder)
    parse = None if system.reads_text_alone else parser_of(folder, None)
    read: list[str] = []

    def noted(texts: Sequence[str], parse: Parse) -> Iterator[Sentence | None]:
        read.extend(texts)
        return trees(texts, parse)

    def late_scores(a: Sequence[HasTree], b: Sequence[HasTree]) -> NDArray[np.float32]:
        read.extend(each.text for each in [*a, *b])
        return np.ones(len(a), dtype=np.float32)

    monkeypatch.setattr("pipeline.export.similar.trees", noted)
    object.__setattr__(system, "late_scores", late_scores)
    monkeypatch.setattr("pipeline.export.text_encoder._UNPARSED_CHARACTERS", 10_000)
    long = "word " * 5000
    compare(long, B, system, parse)
    assert (long[:10_000] if parse is None else clip(long, system.tokenizer.max_tokens)) in read
    assert max(map(len, read)) < len(long) / 2


def test_a_text_in_which_the_parser_finds_no_word_is_named(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipeline.export.similar.trees", lambda texts, parse: iter([None]))
    with pytest.raises(SynsemError, match=r"'The dog chased the boy\.': has no word to compare"):
        compare(A, B, registry.load(model), parser_of(model, None))
