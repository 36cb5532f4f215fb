"""Training and evaluation from copied files, on a machine with the bare package alone (docs/cluster.md).

The systems are ``sscp`` and ``margin``, that of docs/adding-a-system.md, whose examples are mined here.
"""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from worked_example import ROOT, follow, run

from pipeline.core.schemas import DOCUMENT, EXAMPLE, SENTENCE, TRIPLET, VARIANT
from pipeline.core.store import read, shard_path, write_rows
from pipeline.mining.examples import example
from tests.bare_machine import SITE

SHARED = {"filelock", "jinja2", "requests"}  # of the extras, and brought along by torch or transformers

SCRIPT = """
import sys
from pathlib import Path

from stages import evaluate, mine, pretrain

params, home = Path("params.yaml"), Path("data")
folders = {{name: home / name for name in ("parsed", "augmented", "benchmarks")}}
mine.main("margin", corpus=home / "corpus", out=home / "triplets" / "margin", params=params, **folders)

{bare}
for name in [name for name in sys.modules if name.partition(".")[0] in LACKING]:
    del sys.modules[name]
for system in ("margin", "sscp"):
    pretrain.main(system, 13, params=params)
    evaluate.main(system, 13, tasks=["alignment,retrieval"], params=params, **folders)
assert not LACKING & {{name.partition(".")[0] for name in sys.modules}}
"""


def lacking() -> set[str]:
    """The modules of every library that only the extras name."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    listed = [each for extra, libraries in extras.items() if extra != "dev" for each in libraries]
    names = {re.split(r"[^\w-]", each)[0] for each in listed}
    return {name.replace("-", "_") for name in names - SHARED} | {"faiss"}


ANIMALS = ("dog", "cat", "horse", "bird", "wolf", "sheep")


def row(words: str, upos: str, heads: str, deprels: str) -> dict[str, Any]:
    """A parsed row from space-separated columns; the last word is a full stop."""
    forms = words.split()
    return {
        "text": words.replace(" .", "."),
        "words": forms,
        "space_after": [True] * (len(forms) - 2) + [False, False],
        "lemmas": [form.lower() for form in forms],
        "upos": upos.split(),
        "xpos": upos.split(),
        "feats": [""] * len(forms),
        "heads": [int(head) for head in heads.split()],
        "deprels": deprels.split(),
    }


def active(subject: str, thing: str) -> dict[str, Any]:
    tags, relations = "DET NOUN VERB DET NOUN PUNCT", "det nsubj root det obj punct"
    return row(f"The {subject} chased the {thing} .", tags, "2 3 0 5 3 3", relations)


def passive(subject: str, thing: str) -> dict[str, Any]:
    tags = "DET NOUN AUX VERB ADP DET NOUN PUNCT"
    relations = "det nsubj:pass aux:pass root case det obl:agent punct"
    return row(f"The {thing} was chased by the {subject} .", tags, "2 4 4 0 7 7 4 4", relations)


def write_data(home: Path) -> None:
    """Thirty sentences with a passive and a swapped form each, in all splits.

    Folders corpus, parsed, augmented, an empty benchmarks, and triplets/sscp.
    """
    documents, parsed, variants, triplets = [], [], [], []
    for number, (subject, thing) in enumerate([a, b] for a in ANIMALS for b in ANIMALS if a != b):
        ids = {"doc_id": f"d{number}", "lang": "en", "split": ("train", "train", "dev", "test")[number % 4]}
        sentence = active(subject, thing) | ids | {"sent_id": f"s{number}"}
        same, different = passive(subject, thing), active(thing, subject)
        parsed.append(sentence)
        documents.append(
            ids | {"source": "s", "title": None, "text": sentence["text"], "presplit": False, "pair_id": None}
        )
        own = {"source_id": f"s{number}", "split": ids["split"], "alignment": []}
        variants += [
            own | same | {"transformation": "passive", "meaning": "same"},
            own | different | {"transformation": "argument_swap", "meaning": "different"},
        ]
        if ids["split"] != "test":
            triplets.append(example(sentence, same, "passive", [(different, "argument_swap")]))
    write_rows(shard_path(home / "corpus", 0), documents, DOCUMENT)
    write_rows(shard_path(home / "parsed" / "corpus", 0), parsed, SENTENCE)
    write_rows(shard_path(home / "parsed" / "benchmarks", 0), [], SENTENCE)
    write_rows(shard_path(home / "augmented", 0), variants, VARIANT)
    write_rows(shard_path(home / "benchmarks", 0), [], EXAMPLE)
    write_rows(shard_path(home / "triplets" / "sscp", 0), triplets, TRIPLET)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, tiny_backbone: Path) -> Path:
    """A copy of the project with ``margin`` in it, after two steps of both systems."""
    copy = tmp_path_factory.mktemp("copy")
    follow("adding-a-system.md", copy)
    values = yaml.safe_load((copy / "params.yaml").read_text())
    values["encoder"] |= {"model": str(tiny_backbone), "max_tokens": 32}
    values["train"] |= {"steps": 2, "batch_size": 4, "chunk": 2, "evaluate_every": 1}
    (copy / "params.yaml").write_text(yaml.safe_dump(values))
    write_data(copy / "data")
    run(SCRIPT.format(bare=SITE.format(lacking=lacking())), copy)
    return copy


def read_json(path: Path) -> Any:
    return json.loads(path.read_text())


def test_the_new_system_has_examples_is_trained_and_is_evaluated(home: Path) -> None:
    examples = read(home / "data" / "triplets" / "margin").to_pylist()
    assert {example["positive_kind"] for example in examples} == {"passive"}
    assert {kind for example in examples for kind in example["negative_kinds"]} == {"argument_swap"}
    training = read_json(home / "models" / "margin" / "13" / "training.json")
    assert training["steps"] == 2
    assert 0 < training["best_dev_loss"] < 1
    metrics = read_json(home / "reports" / "metrics" / "margin-13.json")
    assert set(metrics["semantic"]["retrieval"]["test"]) >= {"accuracy", "mrr"}


def test_sscp_needs_no_library_of_the_extras(home: Path) -> None:
    assert {"spacy", "dvc", "stanza", "sentence_transformers", "faiss"} <= lacking()
    assert {"semantic", "syntactic", "joint"} <= set(read_json(home / "reports" / "metrics" / "sscp-13.json"))
    curve = home / "reports" / "curves" / "sscp-13" / "plots" / "metrics" / "train" / "loss.tsv"
    assert len(curve.read_text().splitlines()) == 3
