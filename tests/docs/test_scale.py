"""docs/scale.md shows what ``benchmarks/scale.py`` measured, and its projections follow from that."""

import itertools
import json
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest
from program_checks import script
from shell_lines import ROOT


@pytest.fixture(scope="module")
def growth() -> ModuleType:
    return script(ROOT / "benchmarks" / "growth.py")


@pytest.fixture(scope="module")
def scale() -> ModuleType:
    return script(ROOT / "benchmarks" / "scale.py")


@pytest.mark.parametrize("power", [0.7, 1.0, 1.35, 2.0])
def test_the_exponent_of_a_law_is_found_and_the_law_goes_through_the_points(
    growth: ModuleType, power: float
) -> None:
    sizes = [2_000.0, 8_000.0, 32_000.0]
    law = growth.Law(4.0, 30 / 32_000**power, power)
    values = [law(n) for n in sizes]
    assert growth.exponent(sizes, values) == pytest.approx(power, abs=0.011)
    assert growth.law(sizes, values, power)(10**6) == pytest.approx(law(10**6))


def test_values_that_hardly_grow_have_no_exponent_and_falling_ones_are_constant(growth: ModuleType) -> None:
    assert growth.exponent([1, 2, 4], [10.0, 10.1, 10.2]) is None
    assert growth.exponent([1, 2], [1.0, 2.0]) is None
    assert growth.law([1, 2, 4], [9.0, 10.0, 8.0], 1)(100) == 8.0


def test_a_projection_is_the_sum_that_it_shows(growth: ModuleType) -> None:
    runs = [growth.Run("t", "parse", n, 10 + n / 1000, 0.0, 100.0, n / 1000, n / 1000) for n in (1000, 2000)]
    training = [
        growth.Run("t", "pretrain sscp", n, 9.0, 0.0, 100.0, 1.0, 1.0, 0, n // 2, 80.0, 4000.0)
        for n in (1000, 2000)
    ]
    text = " ".join(growth.tables([*runs, *training]).split())
    assert "10.0 + 0.001000 * 100,000,000 = 100,010 core-seconds = 27.8 core-hours" in text
    assert "| parse | 10.0 | 1,000 | 0.28 | 28 | 280 |" in text
    # Half an example a sentence, 80 tokens an example, 4,000 tokens a second: 10**6 * 40 / 4000 / 3600 hours.
    assert "| 1,000,000 | 500,000 | 40,000,000 | 2.8 |" in text


def test_the_page_shows_what_the_measurements_give(scale: ModuleType, tmp_path: Path) -> None:
    """python benchmarks/scale.py show --write docs/scale.md"""
    page = (ROOT / "docs" / "scale.md").read_text(encoding="utf-8")
    marks = script(ROOT / "benchmarks" / "marks.py")
    measured = page.partition(marks.BEGIN)[2].partition(marks.END)[0]
    (tmp_path / "scale.md").write_text(page.replace(measured, "\nold\n"), encoding="utf-8")
    scale.show(write=tmp_path / "scale.md")
    assert (tmp_path / "scale.md").read_text(encoding="utf-8") == page


def test_memory_disk_and_time_of_a_run_are_measured(scale: ModuleType, tmp_path: Path) -> None:
    out, held = tmp_path / "out", 60 * 10**6
    program = (
        "import pathlib, os, time; held = b'x' * 60_000_000; out = pathlib.Path('OUT'); out.mkdir();"
        "spool = pathlib.Path(os.environ['TMPDIR'], 'spool'); spool.write_bytes(held[:5_000_000]);"
        "time.sleep(0.3); spool.unlink(); (out / 'part-00000.arrow').write_bytes(held[:2_000_000])"
    ).replace("OUT", str(out))
    found = scale._measured(["-c", program], tmp_path, out)
    assert held / 1e6 < found["private_mb"] <= found["peak_mb"] < held / 1e6 + 60
    assert found["left_mb"] == 2.0
    assert found["files"] == 1
    assert 5.0 <= found["most_mb"] < 5.1
    assert 0 < found["cpu_seconds"] < found["wall_seconds"]


def test_pages_of_mapped_files_are_not_private_memory(scale: ModuleType, tmp_path: Path) -> None:
    mapped = 80 * 10**6
    program = (
        "import mmap, os, pathlib, time; file = pathlib.Path('PATH'); file.touch();"
        "os.truncate(file, 80_000_000);"
        "stream = file.open('rb'); pages = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ);"
        "total = sum(pages[::4096]); time.sleep(0.3)"
    ).replace("PATH", str(tmp_path / "file"))
    found = scale._measured(["-c", program], tmp_path, tmp_path / "out")
    assert found["private_mb"] < mapped / 2e6 < mapped / 1e6 < found["peak_mb"]


def test_memory_is_projected_from_private_memory_where_it_was_measured(growth: ModuleType) -> None:
    runs = [
        growth.Run("t", "parse", n, 1.0, 0.0, 100.0 + n, 1.0, 1.0, private_mb=100 + n / 10**4)
        for n in (10**5, 10**6)
    ]
    text = growth.tables(runs)
    assert "| parse | 1,000,000 | 100 | 0.20 | 10 | 100 | 639 million |" in text


@pytest.fixture(scope="module")
def long_text() -> ModuleType:
    return script(ROOT / "benchmarks" / "long_text.py")


def test_a_copy_has_other_names_and_the_same_sentences(long_text: ModuleType) -> None:
    documents = [
        {"title": "Oslo", "text": "Anna lives in Oslo. The house of Anna is old."},
        {"title": "Rome", "text": "Boris saw Rome in 1992. the end"},
    ]
    copies = list(itertools.islice(long_text.repeated(documents), 6))
    assert copies[:2] == documents
    assert copies[2] == {"title": "Rome", "text": "Boris lives in Rome. The house of Boris is old."}
    assert copies[4] == {"title": "Anna", "text": "Oslo lives in Anna. The house of Oslo is old."}
    assert all(copies[number]["text"].endswith(" in 1992. the end") for number in (1, 3, 5))


def test_a_copy_of_a_document_without_a_title_has_none(long_text: ModuleType) -> None:
    """As of a plain text file."""
    documents = [{"title": None, "text": "Anna sleeps. Boris wakes."}]
    copies = list(itertools.islice(long_text.repeated(documents), 2))
    assert copies == [*documents, {"title": None, "text": "Boris sleeps. Anna wakes."}]


def test_a_text_is_cut_at_the_end_of_a_document_after_its_copies_too(
    long_text: ModuleType, tmp_path: Path
) -> None:
    documents = [{"title": "A", "text": "Anna sleeps. Boris wakes."}, {"title": "B", "text": "Celia sings."}]
    assert long_text.cut(documents, 4, tmp_path) == 5
    assert (tmp_path / "sentences.txt").read_text().splitlines() == [
        "Anna sleeps.",
        "Boris wakes.",
        "Celia sings.",
        "Boris sleeps.",
        "Celia wakes.",
    ]
    texts = [json.loads(line)["text"] for line in (tmp_path / "text.jsonl").read_text().splitlines()]
    assert texts == ["Anna sleeps. Boris wakes.", "Celia sings.", "Boris sleeps. Celia wakes."]


def test_a_measurement_replaces_an_earlier_one(scale: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "scale.json"
    for seconds, text in ((1.0, "a"), (2.0, "b"), (3.0, "a")):
        scale._keep(scale.Run(text, "parse", 10, seconds, 0.0, 0.0, 0.0, 0.0), path)
    assert [(run["text"], run["cpu_seconds"]) for run in json.loads(path.read_text())] == [
        ("b", 2.0),
        ("a", 3.0),
    ]


def test_the_engines_of_the_joins_find_the_same(tmp_path: Path) -> None:
    """Against plain Python, on few rows."""
    pytest.importorskip("polars", reason="polars is no dependency of the pipeline")
    joins = script(ROOT / "benchmarks" / "joins.py")
    joins.write_keys(tmp_path, 3_000)
    found = {join: joins.with_duckdb(join, tmp_path) for join in joins.JOINS}
    assert found == {join: joins.with_polars(join, tmp_path) for join in joins.JOINS}
    rows, total = 0, 0
    for number in range(joins.JOINS["bands"]):
        seen: dict[int, list[int]] = {}
        for row in joins.read_file(tmp_path / f"bands-{number}.arrow").to_pylist():
            earlier = seen.setdefault(row["key"], [])
            if earlier:
                rows += 1
                total += row["row"] + 31 * earlier[0] + 97 * earlier[-1]
            earlier.append(row["row"])
    assert found["bands"] == {"rows": rows, "sum": total}
    words: dict[int, list[int]] = {}
    for row in joins.read_file(tmp_path / "prefix-0.arrow").to_pylist():
        words.setdefault(row["key"], []).append(row["row"])
    shared = Counter(
        pair for own in words.values() for pair in itertools.product(own, own) if pair[0] < pair[1]
    )
    assert found["prefix"]["pairs"] == len(shared)
    assert found["prefix"]["shared"] == shared.total()
