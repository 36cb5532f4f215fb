"""From a treebank's file to a parser of raw text: every stage on the way, on trees of one grammar."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import yaml
from typer.testing import CliRunner

from pipeline.core import schemas, store
from pipeline.core.params import load_all
from pipeline.parsing import base as parsers
from pipeline.systems.cssl.backend import register
from stages import treebank
from stages.cli import command as stage_command

ROOT = Path(__file__).parent.parent.parent
SEED = "13"
NOUNS, VERBS = ("cat", "dog", "bird", "fox", "horse"), ("saw", "bit", "liked", "chased")


def sentences(count: int, seed: int) -> Iterator[str]:
    """``the cat saw the dog .`` and the like, as CoNLL-U."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        words = ["the", rng.choice(NOUNS), rng.choice(VERBS), "a", rng.choice(NOUNS), "."]
        columns = zip(
            words,
            ("DET", "NOUN", "VERB", "DET", "NOUN", "PUNCT"),
            (2, 3, 0, 5, 3, 3),
            ("det", "nsubj", "root", "det", "obj", "punct"),
            strict=True,
        )
        for number, (word, tag, head, relation) in enumerate(columns, 1):
            yield f"{number}\t{word}\t_\t{tag}\t_\t_\t{head}\t{relation}\t_\t_\n"
        yield "\n"


def call(module: str, *arguments: str) -> str:

    import typer

    app = typer.Typer()
    app.command()(stage_command(module))
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.usefixtures("scratch")
def test_a_treebank_becomes_a_parser(tmp_path: Path, tiny_backbone: Path) -> None:
    home = tmp_path / "own"
    home.mkdir()
    for split, count in (("train", 60), ("dev", 10), ("test", 12)):
        (home / f"{split}.conllu").write_text("".join(sentences(count, len(split))), encoding="utf-8")
    params = yaml.safe_load((ROOT / "params.yaml").read_text())
    params["systems"] = ["cssl"]
    params["cssl"] |= {"treebank": str(home), "encoder": "scratch"}
    params["encoder"] |= {"model": str(tiny_backbone), "max_tokens": 32}
    params["cssl"] |= {"steps": 100, "batch_size": 8}
    params["train"] |= {"evaluate_every": 50, "precision": "fp32", "select": "las"}
    file = tmp_path / "params.yaml"
    file.write_text(yaml.safe_dump(params))
    for folder, schema in (("corpus", schemas.DOCUMENT), ("benchmarks", schemas.EXAMPLE)):
        store.write_rows(tmp_path / folder / "part-00000.arrow", [], schema)
    for folder in ("parsed/corpus", "parsed/benchmarks"):
        store.write_rows(tmp_path / folder / "part-00000.arrow", [], schemas.SENTENCE)
    store.write_rows(tmp_path / "augmented" / "part-00000.arrow", [], schemas.VARIANT)

    def folders(*names: str) -> list[str]:
        return [part for name in names for part in (f"--{name}", str(tmp_path / name))]

    common = ["--params", str(file)]
    treebank.main(tmp_path / "treebank", file)
    triplets, model = tmp_path / "triplets", tmp_path / "models" / "cssl" / SEED
    data = folders("benchmarks", "parsed", "augmented", "treebank")
    call("mine", "cssl", *common, *data, *folders("corpus"), "--out", str(triplets))
    places = ["--triplets", str(triplets), "--out", str(model), "--curves", str(tmp_path / "curves")]
    call("pretrain", "cssl", SEED, *common, *places)
    out = ["--models", str(tmp_path / "models"), "--out", str(tmp_path / "reports")]
    assert store.read_json(model / "training.json")["best_dev_las"] > 0.9
    call("evaluate", "cssl", SEED, *common, *data, *out, "--tasks", "parsing")
    found = store.read_json(tmp_path / "reports" / "metrics" / f"cssl-{SEED}.json")["semantic"]
    assert found["parsing"]["test"]["sentences"] == 12
    assert found["parsing"]["test"]["las"] > 90

    parse = load_all(file).parse.model_copy(update={"backend": "biaffine", "models": {"en": str(model)}})
    register()
    first, second = next(parsers.load(parse, "en").parse(["the fox bit a bird. the dog saw a cat."]))
    assert first.heads == second.heads == (2, 3, 0, 5, 3, 3)
    assert first.deprels == ("det", "nsubj", "root", "det", "obj", "punct")
    assert first.upos == ("DET", "NOUN", "VERB", "DET", "NOUN", "PUNCT")
