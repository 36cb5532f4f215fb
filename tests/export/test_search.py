"""``synsem like``: the nearest sentences of a corpus, and the table that the command shows."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch

import stages.tools.like
from pipeline.core.errors import SynsemError
from pipeline.core.schemas import SENTENCE
from pipeline.core.store import ShardWriter, rows, write_rows
from pipeline.export import search
from pipeline.export.search import Searcher
from pipeline.export.sentence_transformers import views
from pipeline.export.text_encoder import text_encoder
from pipeline.params import Encoder, load_all
from pipeline.syntax.sentence import HasTree, Sentence, Side, normalised
from pipeline.systems import registry
from pipeline.systems.base import Views

ROOT = Path(__file__).parent.parent.parent
DEFAULTS = load_all(ROOT / "params.yaml")
WORDS = ["cat", "dog", "sat", "ran", "old", "red", "the"]


class Stub:
    """Vectors that are a function of the text; counts what it is asked to embed."""

    reads_text_alone = False

    def __init__(self) -> None:
        self.embedded = 0

    def to(self, device: torch.device) -> "Stub":
        return self

    def embed(self, sentences: Sequence[HasTree]) -> Views:
        self.embedded += len(sentences)
        rows = [[each.text.casefold().count(word) + 0.01 for word in WORDS] for each in sentences]
        matrix = np.array(rows, dtype=np.float32).reshape(len(sentences), len(WORDS))
        return {"syntactic": matrix / np.linalg.norm(matrix, axis=1, keepdims=True)}


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch, scratch: Path) -> Stub:
    model = Stub()
    monkeypatch.setattr(search.registry, "load", lambda _: model)
    return model


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """A model's folder and 60 sentences in four shards; every seventh is in there twice, once in capitals."""
    rng = np.random.default_rng(1)
    with ShardWriter(tmp_path / "corpus", SENTENCE, rows_per_shard=17) as writer:
        for number in range(60):
            words = list(rng.choice(WORDS, 4))
            for text_words in (words, [word.upper() for word in words]) if number % 7 == 0 else (words,):
                sentence = Sentence(
                    tuple(text_words), (True,) * 4, tuple(words), ("X", "NOUN", "VERB", "ADJ"), ("",) * 4,
                    ("",) * 4, (0, 1, 1, 1), ("root", "dep", "dep", "dep"),
                )  # fmt: skip
                ids = {"sent_id": f"{number}-{text_words[0]}", "doc_id": "d", "lang": "en", "split": "train"}
                writer.add(ids | sentence.row())
    model = tmp_path / "model"
    model.mkdir()
    (model / "model.safetensors").write_bytes(b"weights")
    (model / "config.json").write_text("{}")
    return model, tmp_path / "corpus"


def query(text: str) -> Side:
    return Side(text, text.split(), [0], upos=["X", "NOUN", "VERB"])


def test_the_nearest_are_those_of_a_full_search(stub: Stub, folders: tuple[Path, Path]) -> None:
    found = Searcher(*folders, "syntactic")(query("old cat ran"), 8)
    corpus = [Sentence.from_row(row) for row in rows(folders[1])]
    scores = stub.embed(corpus)["syntactic"] @ stub.embed([query("old cat ran")])["syntactic"][0]
    best: dict[str, float] = {}
    for place in np.argsort(-scores, kind="stable"):
        best.setdefault(normalised(corpus[place].text), float(scores[place]))
    assert [round(each.score, 5) for each in found] == [round(score, 5) for score in list(best.values())[:8]]
    assert len({normalised(each.sentence.text) for each in found}) == 8
    assert {each.tag_similarity for each in found} == {0.75}


def test_beyond_the_exact_search_an_index_is_built_once_and_finds_the_same(
    stub: Stub, folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("faiss", reason="faiss is an optional extra: pip install '.[index]'")
    exact = Searcher(*folders, "syntactic")(query("old cat ran"), 8)
    monkeypatch.setattr(search, "EXACT_UP_TO", 50)
    searcher = Searcher(*folders, "syntactic")
    found = searcher(query("old cat ran"), 8)
    assert len(found) == len(exact) == 8
    assert [each.score for each in found] == pytest.approx([each.score for each in exact])
    files = {path: path.stat().st_mtime_ns for path in (searcher.home / "index").iterdir()}
    assert sorted(path.name for path in files) == ["part-00000.faiss", "trained.faiss"]
    assert Searcher(*folders, "syntactic")(query("old cat ran"), 8) == found
    assert files == {path: path.stat().st_mtime_ns for path in (searcher.home / "index").iterdir()}
    (folders[0] / "model.safetensors").write_bytes(b"other")
    other = Searcher(*folders, "syntactic")
    other(query("old cat ran"), 8)
    assert other.home != searcher.home
    assert (other.home / "index" / "trained.faiss").exists()


@pytest.mark.parametrize("changed", ["model.safetensors", "config.json", "tokenizer/tokenizer.json"])
def test_the_corpus_is_embedded_once_for_a_model(
    changed: str, stub: Stub, folders: tuple[Path, Path]
) -> None:
    (folders[0] / "tokenizer").mkdir()
    (folders[0] / "tokenizer" / "tokenizer.json").write_text("{}")
    first = Searcher(*folders, "syntactic")(query("red dog"), 3)
    before = stub.embedded
    assert Searcher(*folders, "syntactic")(query("red dog"), 3) == first
    assert stub.embedded == before + 1
    (folders[0] / changed).write_bytes(b"other")
    Searcher(*folders, "syntactic")(query("red dog"), 3)
    assert stub.embedded > before + 60


def test_a_killed_search_embeds_again_no_part_of_a_file_that_was_done(
    stub: Stub, folders: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = tmp_path / "one-file"
    write_rows(corpus / "part-00000.arrow", list(rows(folders[1])), SENTENCE)
    expected = Searcher(*folders, "syntactic")(query("old cat ran"), 8)
    monkeypatch.setattr(search, "_PART", 20)
    embed, calls = stub.embed, list[int]()

    def killed(sentences: Sequence[HasTree]) -> Views:
        calls.append(len(sentences))
        if len(calls) == 4:  # the query, and two parts of the 69 sentences
            raise KeyboardInterrupt
        return embed(sentences)

    monkeypatch.setattr(stub, "embed", killed)
    with pytest.raises(KeyboardInterrupt):
        Searcher(folders[0], corpus, "syntactic")(query("old cat ran"), 8)
    found = Searcher(folders[0], corpus, "syntactic")(query("old cat ran"), 8)
    assert [each.score for each in found] == pytest.approx([each.score for each in expected])
    assert calls == [1, 20, 20, 20, 1, 20, 9]


def test_the_query_itself_is_not_an_answer(stub: Stub, folders: tuple[Path, Path]) -> None:
    own = Searcher(*folders, "syntactic")(query("the"), 1)[0].sentence.text
    found = Searcher(*folders, "syntactic")(query(own), 60)
    assert normalised(own) not in {normalised(each.sentence.text) for each in found}


@pytest.mark.parametrize("exact_up_to", [1_000_000, 1])
def test_a_text_that_occurs_often_hides_no_other(
    exact_up_to: int, stub: Stub, folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "EXACT_UP_TO", exact_up_to)
    searcher = Searcher(*folders, "syntactic")
    expected = [each.sent_id for each in searcher(query("the cat"), 40)]
    monkeypatch.setattr(search, "_CANDIDATES", 1)  # less than some texts occur
    for count in (1, 3, 10, 40, 200):
        assert [each.sent_id for each in searcher(query("the cat"), count)][:40] == expected[:count]


def test_empty_shards_change_nothing(stub: Stub, folders: tuple[Path, Path], tmp_path: Path) -> None:
    from pipeline.core.store import shard_path, shards

    found = Searcher(*folders, "syntactic")(query("old cat ran"), 8)
    for number, path in enumerate(shards(folders[1])):
        write_rows(shard_path(tmp_path / "gaps", 2 * number), [], SENTENCE)
        path.rename(shard_path(tmp_path / "gaps", 2 * number + 1))
    for _ in ("built", "read again"):
        assert Searcher(folders[0], tmp_path / "gaps", "syntactic")(query("old cat ran"), 8) == found


def test_a_corpus_without_a_sentence_has_nothing_to_show(
    stub: Stub, folders: tuple[Path, Path], tmp_path: Path
) -> None:
    write_rows(tmp_path / "nothing" / "part-00000.arrow", [], SENTENCE)
    assert Searcher(folders[0], tmp_path / "nothing", "syntactic")(query("old cat ran"), 8) == []


def test_the_query_is_in_the_language_of_the_corpus(
    trained: dict[str, Path], model: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from pipeline.core.store import rows
    from pipeline.params import Parse
    from pipeline.parsing import registry as parsers
    from pipeline.parsing.registry import Parser

    asked: list[str] = []
    load = parsers.load

    def load_english(params: Parse, lang: str) -> Parser:
        asked.append(lang)
        return load(params, "en")

    monkeypatch.setattr(parsers, "load", load_english)
    like = stages.tools.like.main
    found = list(rows(trained["corpus"]))
    for languages in (["fr", "fr", "fr"], ["en", "fr", "fr"]):
        changed = [row | {"lang": lang} for row, lang in zip(found, languages, strict=True)]
        write_rows(trained["corpus"] / "part-00000.arrow", changed, SENTENCE)
        like("Il pleut.", **trained, lang="fr" if "en" in languages else None, params=ROOT / "params.yaml")
    assert asked == ["fr", "fr"]
    with pytest.raises(SynsemError, match=r"--lang: the corpus is in en, fr; name the language of"):
        like("Il pleut.", model=model, corpus=trained["corpus"], params=ROOT / "params.yaml")
    capsys.readouterr()
    like("Il pleut.", **trained, params=ROOT / "params.yaml")  # upos reads text alone: without tags to show
    assert "tags alike" not in capsys.readouterr().out
    assert asked == ["fr", "fr"]


def test_a_system_that_reads_text_alone_embeds_a_language_without_a_parser(trained: dict[str, Path]) -> None:
    system = registry.load(trained["model"])
    encoder = text_encoder(system, trained["model"], None, None)
    text = "Esik az eső."
    np.testing.assert_allclose(
        encoder([text])["syntactic"], system.embed([Side(text, (), ())])["syntactic"], atol=1e-6
    )
    with pytest.raises(SynsemError, match=r"parse\.models"):
        stages.tools.like.main(text, **trained, lang="hu", params=ROOT / "params.yaml")


def test_without_a_parser_a_system_that_reads_trees_finds_nothing_and_another_shows_no_tags(
    trained: dict[str, Path], model: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(*_: object) -> None:
        raise SynsemError("parse.models.en: not installed")

    monkeypatch.setattr("pipeline.parsing.registry.load", missing)
    with pytest.raises(SynsemError, match="not installed"):
        stages.tools.like.main("Rain.", model=model, corpus=trained["corpus"], params=ROOT / "params.yaml")
    stages.tools.like.main("Rain.", **trained, params=ROOT / "params.yaml")
    shown = capsys.readouterr().out
    assert "cosine" in shown
    assert "tags alike" not in shown


def test_simcse_reads_trees_for_the_sketch_alone(model: Path, plain_model: Path) -> None:
    assert registry.load(plain_model).reads_text_alone
    assert not registry.load(model).reads_text_alone


def test_a_system_without_a_view_of_structure_searches_by_its_usual_one(
    plain_model: Path, trained: dict[str, Path]
) -> None:
    assert Searcher(plain_model, trained["corpus"], None).view == "semantic"


def test_a_view_that_is_not_there_is_named(stub: Stub, folders: tuple[Path, Path]) -> None:
    with pytest.raises(SynsemError, match="no view 'joint'; choose from syntactic"):
        Searcher(*folders, "joint")(query("the"), 1)


SENTENCES = ["What a lovely night it was!", "Rain fell.", "The old queen of the river wrote many letters."]


@pytest.fixture
def trained(tiny_backbone: Path, tmp_path: Path, scratch: Path) -> dict[str, Path]:
    """An untrained model of ``upos`` and a corpus of three sentences."""
    torch.manual_seed(0)
    encoder = Encoder(model=str(tiny_backbone), max_tokens=32, pooling="mean")
    system = registry.create("upos", encoder, DEFAULTS.train, DEFAULTS.upos)
    sentences = []
    for text in SENTENCES:
        words = tuple(text.split())
        n = len(words)
        sentences.append(
            Sentence(
                words, (True,) * n, words, ("NOUN",) * n, ("",) * n, ("",) * n, (0, *(1,) * (n - 1)),
                ("root", *("dep",) * (n - 1)),
            )
        )  # fmt: skip
    system.prepare(sentences)
    registry.save(system, tmp_path / "model")
    write_rows(
        tmp_path / "corpus" / "part-00000.arrow",
        [
            {"sent_id": str(n), "doc_id": "d", "lang": "en", "split": "train"} | sentence.row()
            for n, sentence in enumerate(sentences)
        ],
        SENTENCE,
    )
    return {"model": tmp_path / "model", "corpus": tmp_path / "corpus"}


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard output is shown to a person."""
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("COLUMNS", "160")


def test_into_a_pipe_goes_a_table_of_tab_separated_values(
    trained: dict[str, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    long = " ".join(["very"] * 80) + " old\tqueen."
    n = len(long.split())
    odd = Sentence(
        tuple(long.split(" ")), (True,) * (n - 1), ("",) * (n - 1), ("X",) * (n - 1), ("",) * (n - 1),
        ("",) * (n - 1), (0, *(1,) * (n - 2)), ("root", *("dep",) * (n - 2)),
    )  # fmt: skip
    ids = {"sent_id": "s-0", "doc_id": "d", "lang": "en", "split": "train"}
    write_rows(trained["corpus"] / "part-00000.arrow", [ids | odd.row()], SENTENCE)
    stages.tools.like.main("Rain fell.", **trained, params=ROOT / "params.yaml")
    head, row = capsys.readouterr().out.splitlines()
    assert head.split("\t") == ["cosine", "tags alike", "sentence", "tags"]
    score, alike, sentence, tags = row.split("\t")
    [found] = Searcher(trained["model"], trained["corpus"], None)(query("Rain fell."), 1)
    assert (score, alike) == (f"{found.score:.3f}", "0 %")
    assert sentence == " ".join(["very"] * 80) + " old queen."
    assert tags == " ".join(["X"] * (n - 1))


@pytest.mark.usefixtures("terminal")
def test_the_table_shows_the_query_its_tags_and_what_is_like_it(
    trained: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    stages.tools.like.main("What a beautiful day it is!", **trained, top=2, params=ROOT / "params.yaml")
    shown = capsys.readouterr().out
    assert "What a beautiful day it is!" in shown
    assert "DET ADJ NOUN PRON AUX PUNCT" in shown
    assert sum(text in shown for text in SENTENCES) == 2


@pytest.mark.usefixtures("terminal")
def test_a_text_that_looks_like_markup_is_shown_as_it_is(
    trained: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    text = "Wars [citation needed] end [/b] :smile:"
    n = len(text.split())
    odd = Sentence(
        tuple(text.split()), (True,) * n, ("",) * n, ("X",) * n, ("",) * n, ("",) * n, (0, *(1,) * (n - 1)),
        ("root", *("dep",) * (n - 1)),
    )  # fmt: skip
    ids = {"sent_id": "0", "doc_id": "d", "lang": "en", "split": "train"}
    write_rows(trained["corpus"] / "part-00000.arrow", [ids | odd.row()], SENTENCE)
    stages.tools.like.main("Say [b] and [/i] :cat:", **trained, params=ROOT / "params.yaml")
    shown = capsys.readouterr().out
    assert text in shown
    assert "Say [b] and [/i] :cat:" in shown


def test_a_folder_without_a_model_is_one_clear_sentence(trained: dict[str, Path], tmp_path: Path) -> None:
    with pytest.raises(
        SynsemError, match=r"holds no model itself; name one of its folders, such as .*/model"
    ):
        stages.tools.like.main("Rain.", model=tmp_path, corpus=trained["corpus"], params=ROOT / "params.yaml")


def test_a_file_of_text_is_no_corpus_to_search(trained: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / "my.txt").write_text("Rain fell.\n")
    with pytest.raises(SynsemError, match=r"--corpus: .*my.txt is a file; .* `synsem search`"):
        stages.tools.like.main(
            "Rain.", model=trained["model"], corpus=tmp_path / "my.txt", params=ROOT / "params.yaml"
        )


class TwoViews(Stub):
    """The second view likes what the first does not."""

    def embed(self, sentences: Sequence[HasTree]) -> Views:
        first = super().embed(sentences)["syntactic"]
        second = (1 - first) / np.linalg.norm(1 - first, axis=1, keepdims=True)
        return {"syntactic": first, "semantic": second}


def test_each_view_has_vectors_of_its_own(
    folders: tuple[Path, Path],
    scratch: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model, asked = TwoViews(), query("old cat ran")
    monkeypatch.setattr(search.registry, "load", lambda _: model)
    corpus = [Sentence.from_row(row) for row in rows(folders[1])]
    for view in ("syntactic", "semantic"):
        scores = model.embed(corpus)[view] @ model.embed([asked])[view][0]
        best: dict[str, float] = {}
        for place in np.argsort(-scores, kind="stable"):
            best.setdefault(normalised(corpus[place].text), float(scores[place]))
        found = Searcher(*folders, view)(asked, 8)
        assert [each.score for each in found] == pytest.approx(list(best.values())[:8], abs=1e-5)


def test_the_query_in_other_letters_is_no_answer_either(
    folders: tuple[Path, Path],
    scratch: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(search.registry, "load", lambda _: Stub())
    own = Searcher(*folders, "syntactic")(query("the"), 1)[0].sentence.text
    for asked in (own.upper(), own.lower(), f" {own.replace(' ', '  ')}"):
        found = Searcher(*folders, "syntactic")(query(asked), 60)
        assert len(found) > 20
        assert normalised(own) not in {normalised(each.sentence.text) for each in found}


class Scaled(Stub):
    """Vectors whose length is not quite 1, or 0."""

    def __init__(self, scale: float) -> None:
        super().__init__()
        self.scale = scale

    def embed(self, sentences: Sequence[HasTree]) -> Views:
        return {"syntactic": super().embed(sentences)["syntactic"] * np.float32(self.scale)}


def test_no_score_is_beyond_one_by_rounding(
    folders: tuple[Path, Path], scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search.registry, "load", lambda _: Scaled(1.001))
    own = next(iter(rows(folders[1])))["text"]
    reordered = " ".join(reversed(own.split()))
    assert Searcher(*folders, "syntactic")(query(f"{reordered} !"), 1)[0].score == 1


def test_a_query_without_a_direction_is_named(
    folders: tuple[Path, Path], scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search.registry, "load", lambda _: Scaled(0))
    with pytest.raises(SynsemError, match=r"'old cat ran': has no syntactic vector.*or another view"):
        Searcher(*folders, "syntactic")(query("old cat ran"), 1)


def test_the_size_of_the_blocks_in_memory_changes_nothing(
    stub: Stub, folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = Searcher(*folders, "syntactic")(query("old cat ran"), 8)
    for path in Searcher(*folders, "syntactic").home.iterdir():
        path.unlink()
    monkeypatch.setattr(search, "_BLOCK", 5)
    assert Searcher(*folders, "syntactic")(query("old cat ran"), 8) == expected


def test_the_view_of_structure_is_taken_before_the_usual_one(model: Path, trained: dict[str, Path]) -> None:
    assert "joint" in views(registry.load(model))
    assert Searcher(model, trained["corpus"], None).view == "syntactic"


def test_the_languages_of_a_corpus_are_sorted(stub: Stub, folders: tuple[Path, Path], tmp_path: Path) -> None:
    known = ["sv", "en", "pl", "de", "hu", "en", "cs", "fr", "nl"]
    found = [row | {"lang": known[number % 9]} for number, row in enumerate(rows(folders[1]))]
    for number in range(3):
        write_rows(tmp_path / "many" / f"part-0000{number}.arrow", found[number::3], SENTENCE)
    searcher = Searcher(folders[0], tmp_path / "many", "syntactic")
    assert searcher.languages() == ["cs", "de", "en", "fr", "hu", "nl", "pl", "sv"]
