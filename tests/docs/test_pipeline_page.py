"""docs/pipeline.md and docs/architecture.md are true.

Schemas, graph, counters, folders and layers are those of the code.
"""

import json
import re
from pathlib import Path

import pyarrow as pa
import pytest
import yaml
from page_tables import rows

from pipeline.core import schemas, store
from pipeline.evaluation import records

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "pipeline.md").read_text(encoding="utf-8")
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
_TEXT = pa.dictionary(pa.int32(), pa.string())
PLAIN = {schemas.LABEL: "label", _TEXT: "text", schemas.SIDE: "side", pa.float32(): "float32"}

CONTRACTS = {
    "data/corpus": schemas.DOCUMENT,
    "data/benchmarks": schemas.EXAMPLE,
    "data/parsed/corpus": schemas.SENTENCE,
    "data/augmented": schemas.VARIANT,
    "data/triplets/SYSTEM": schemas.TRIPLET,
    "reports/evaluation/RUN/examples.arrow": records.EXAMPLE_SCORE,
    "reports/evaluation/RUN/similarities.arrow": records.SIMILARITY,
    "reports/evaluation/RUN/projection.arrow": records.PROJECTION,
    "reports/evaluation/RUN/neighbours.arrow": records.NEIGHBOUR,
    "reports/evaluation/RUN/alignments.arrow": records.ALIGNMENT,
}


def name_of(type_: pa.DataType) -> str:
    if pa.types.is_list(type_):
        return f"list of {name_of(type_.value_type)}"
    return PLAIN.get(type_, str(type_))


def described(schema: pa.Schema | pa.StructType) -> list[tuple[str, str]]:
    return [(f"`{field.name}`", name_of(field.type)) for field in schema]


@pytest.mark.parametrize("folder", CONTRACTS)
def test_a_contract_has_the_columns_and_types_of_the_schema(folder: str) -> None:
    _, _, section = TEXT.partition(f"\n### `{folder}`")
    assert [tuple(row[:2]) for row in rows(section)] == described(CONTRACTS[folder])


def test_no_schema_goes_without_a_contract() -> None:
    here = {name for name, value in vars(store).items() if isinstance(value, pa.Schema)}
    there = {name for name, value in vars(records).items() if isinstance(value, pa.Schema)}
    assert len(here) + len(there) == len(CONTRACTS)
    _, _, section = TEXT.partition("A side is a struct of")
    assert [tuple(row[:2]) for row in rows(section)] == described(schemas.SIDE)


def test_the_metrics_of_the_way_are_those_of_the_default_run() -> None:
    runs = {
        run: json.loads((ROOT / f"reports/metrics/{run}.json").read_text()) for run in ("sscp-13", "backbone")
    }
    shown = re.findall(r"^    joint\.contrast\.(\w+)\.ap +([\d.]+)", ARCHITECTURE, flags=re.MULTILINE)
    assert [name for name, _ in shown] == ["all", "voice"]
    for name, value in shown:
        assert runs["sscp-13"]["joint"]["contrast"][name]["ap"] == float(value)
    (untouched,) = re.findall(r"the backbone's semantic view: ([\d.]+);", ARCHITECTURE)
    assert runs["backbone"]["semantic"]["contrast"]["all"]["ap"] == float(untouched)
    (headline,) = re.findall(r"puts ([\d.]+ \[[\d., ]+\]) into the headline", ARCHITECTURE)
    assert f"| sscp joint | {headline} " in (ROOT / "reports" / "results.md").read_text(encoding="utf-8")


def test_the_graph_is_that_of_dvc() -> None:
    stages = yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"]
    table = {row[0].strip("`"): [re.findall(r"`([^`]+)`", cell) for cell in row[1:]] for row in rows(TEXT)}
    assert list(table) == list(stages)
    for name, stage in stages.items():
        reads, writes, sections = table[name]
        outs = [*stage.get("outs", []), *stage.get("metrics", [])]
        assert sorted(writes) == sorted(
            plain(next(iter(out)) if isinstance(out, dict) else out) for out in outs
        )
        if "params.yaml" not in stage["deps"]:  # check and report read all parameters
            folders = [
                plain(dep) for dep in stage["deps"] if dep.split("/")[0] in ("data", "models", "reports")
            ]
            assert sorted(reads) == sorted(folders)
            assert sorted(sections) == sorted(map(plain, stage["params"]))


def written(stage: dict) -> list[str]:
    outs = [*stage.get("outs", []), *stage.get("metrics", [])]
    return [plain(next(iter(out)) if isinstance(out, dict) else out) for out in outs]


def test_the_picture_is_the_graph_of_dvc() -> None:
    stages = yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"]
    edges = {
        (source, plain(dep), target)
        for target, stage in stages.items()
        for dep in stage["deps"]
        for source in stages
        for out in written(stages[source])
        if out == plain(dep) or out.startswith(f"{plain(dep)}/")
    }
    (picture,) = re.findall(r"```mermaid\n(.*?)```", TEXT, flags=re.DOTALL)
    drawn = re.findall(r'^    (\w+) -->\|"(.+?)"\| (\w+)$', picture, flags=re.MULTILINE)
    assert set(drawn) == edges
    assert len(drawn) == len(edges)
    alone = set(re.findall(r"^    (\w+)$", picture, flags=re.MULTILINE))
    assert alone == set(stages) - {name for source, _, target in edges for name in (source, target)}


def plain(path: str) -> str:
    return path.replace("${item.system}", "SYSTEM").replace("${item.seed}", "SEED")


def test_every_counter_is_counted_somewhere() -> None:
    sources = "".join(path.read_text() for path in sorted((ROOT / "pipeline").rglob("*.py")))
    _, *tables = TEXT.split("| counted | means |\n")
    names = [
        name for table in tables for row in rows(f"||\n{table}") for name in re.findall(r"`([^`]+)`", row[0])
    ]
    _, _, mining = TEXT.partition("what was dropped by reason (")
    names += re.findall(r"`([^`]+)`", mining.partition(")")[0])
    assert len(names) > 35
    unknown = [name for name in names if f"{name}" not in sources]
    assert unknown == []


def block_after(heading: str) -> list[str]:
    """The lines of the first text block under a heading of docs/architecture.md."""
    _, _, section = ARCHITECTURE.partition(f"\n## {heading}\n")
    return section.partition("```text\n")[2].partition("```")[0].splitlines()


def test_the_folder_map_has_every_folder() -> None:
    mapped = {name for line in block_after("Folders") for name in line.partition("  ")[0].split()}
    packages = {f"pipeline/{path.parent.name}" for path in (ROOT / "pipeline").glob("*/__init__.py")}
    assert packages | {"stages", "stages/tools", "tests", "benchmarks", "docs"} <= mapped
    assert mapped - packages <= {path.relative_to(ROOT).as_posix() for path in ROOT.glob("*")} | {
        "stages/tools", "benchmarks/contrast_sets", "benchmarks/gpu", "data", "models",
    }  # fmt: skip


def test_the_layers_are_those_that_are_checked() -> None:
    from tests.test_graph import LAYERS

    shown = [set(line.split(", ")) for line in block_after("Which way imports run")]
    known = {name.removesuffix(".py"): level for name, level in LAYERS.items()}
    levels = [{known.get(name, 0) for name in names} for names in shown]
    assert all(len(level) == 1 for level in levels)
    assert [level.pop() for level in levels] == [*sorted(set(known.values()), reverse=True), 0]
    assert set(known) <= set().union(*shown)


MADE_BY_A_READER = ("emphatic_do", "emphasis", "margin", "NAME", "SYSTEM")  # files of the worked examples


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))], ids=lambda p: p.name
)
def test_a_file_that_a_page_names_is_there(page: Path) -> None:
    named = re.findall(r"`((?:pipeline|stages|tests|benchmarks)/[\w./]+)`", page.read_text(encoding="utf-8"))
    ours = [name for name in named if not any(part in name for part in MADE_BY_A_READER)]
    assert [name for name in ours if not (ROOT / name).exists()] == []


def anchors(page: Path) -> set[str]:
    """What a page's headings are called in links, by GitHub's rule."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_links_lead_somewhere() -> None:
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        prose = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        for link, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)]*))?\)", prose):
            if not link.startswith("http"):
                target = (page.parent / link).resolve() if link else page
                assert target.exists(), f"{page.name}: {link}"
                assert not anchor or anchor in anchors(target), f"{page.name}: {link}#{anchor}"


def test_the_snippet_reads_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = store.shard_path(tmp_path / "data" / "parsed" / "corpus", 0)
    store.write_rows(path, [], schemas.SENTENCE)
    monkeypatch.chdir(tmp_path)
    (snippet,) = re.findall(r"```python\n(.*?)```", TEXT, flags=re.DOTALL)
    names: dict = {}
    exec(snippet, names)
    assert names["sentences"].schema == schemas.SENTENCE
