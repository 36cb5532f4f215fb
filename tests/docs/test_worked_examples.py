"""The pages on adding a transformation and a system: what they say to write works and does what they show."""

import re
from pathlib import Path

from worked_example import ROOT, follow, run

AUGMENT = """
from pathlib import Path

from pipeline.augment.catalogue import transformations
from pipeline.augment.show import describe
from pipeline.params import load
from pipeline.parsing.registry import Passage
from pipeline.parsing.registry import load as load_parser

sections = load(Path("params.yaml"), "augment", "parse")
parser = load_parser(sections.parse, "en")

def parse(texts):
    return [sentence for (sentence,) in parser.parse([Passage(text, "en", single=True) for text in texts])]

print(describe(parse(["The boy chased the dog."])[0], sections.augment))
cases = [line.split("\\t") for line in Path("tests/gold/emphasis.tsv").read_text().splitlines()]
for (name, _, expected), sentence in zip(cases, parse([source for _, source, _ in cases]), strict=True):
    variants, reasons = transformations([name])[0].variants(sentence)
    made = [variant.sentence.text for variant in variants]
    print("case", made == ([] if expected == "-" else [expected]), reasons)
"""


def test_the_transformation_yields_the_sentence_shown(tmp_path: Path) -> None:
    text = follow("adding-a-transformation.md", tmp_path)
    printed = run(AUGMENT, tmp_path)
    (shown,) = re.findall(r"```text\n(.*?)```", text, flags=re.DOTALL)
    assert shown.strip() in printed
    cases = [line for line in printed.splitlines() if line.startswith("case ")]
    assert [case.split()[1] for case in cases] == ["True"] * 6
    assert any("more than one verb" in case for case in cases)


def test_the_graph_knows_the_new_system_without_a_new_line(tmp_path: Path) -> None:
    follow("adding-a-system.md", tmp_path)
    source = (ROOT / "tests" / "test_graph.py").read_text()
    names: dict = {"__file__": str(tmp_path / "tests" / "test_graph.py"), "__name__": "copied"}
    exec(compile(source, "test_graph.py", "exec"), names)
    ours = [each for each in names["EXPANDED"] if each[2].get("system") == "margin"]
    assert [name.split("@")[0] for name, _, _ in ours] == ["mine", "pretrain", "evaluate"]
    for each in ours:
        names["test_every_reachable_file_is_among_the_deps"](*each)
        names["test_the_params_read_are_those_declared"](*each)
