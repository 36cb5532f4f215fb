"""The Stanza backend with a tagger and a parser that Stanza trains here on a part of EWT."""

import gzip
from contextlib import chdir
from importlib import import_module
from pathlib import Path

import pytest

from pipeline.core.errors import SynsemError
from pipeline.params import Parse
from pipeline.parsing import registry
from pipeline.parsing.conllu import read
from pipeline.parsing.registry import Passage
from pipeline.parsing.repair import repair
from pipeline.syntax.tree import is_tree

pytest.importorskip("stanza", reason="stanza is an optional extra and not installed")
pytestmark = [pytest.mark.slow, pytest.mark.mirror]
EWT = "raw.githubusercontent.com/UniversalDependencies/UD_English-EWT/*/en_ewt-ud-{}.conllu.gz"
# fmt: off
TINY = ["--no_pretrain", "--no_char", "--cpu", "--lang=en", "--shorthand=en_tiny", "--mode=train",
        "--batch_size=200",
        "--hidden_dim=20", "--num_layers=1", "--deep_biaff_hidden_dim=20", "--save_dir=."]
# fmt: on


@pytest.fixture(scope="module")
def models(mirror: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stanza")
    for part, count in (("train", 40), ("dev", 8)):
        path = next(mirror.glob(EWT.format(part)))
        blocks = gzip.decompress(path.read_bytes()).decode("utf-8").split("\n\n")[:count]
        (folder / f"{part}.conllu").write_text("\n\n".join(blocks) + "\n\n", encoding="utf-8")
    for module, name, extra in (
        ("tagger", "pos", ["--max_steps=4", "--eval_interval=4"]),
        ("parser", "depparse", ["--max_steps=4", "--eval_interval=4", "--deep_biaff_output_dim=20"]),
    ):
        command = ["--train_file=train.conllu", "--eval_file=dev.conllu", f"--save_name={name}.pt"]
        with chdir(folder):
            import_module(f"stanza.models.{module}").main([*command, *TINY, *extra])
    return folder


def test_given_words_come_back_as_trees_whatever_the_batches(models: Path, params: Parse) -> None:
    gold = read((models / "dev.conllu").read_text(encoding="utf-8"), "dev")
    passages = [Passage(g.text, "en", True, g.words, g.space_after) for g in gold]
    found = {}
    for tokens in (20, 10_000):
        changed = {"backend": "stanza", "models": {"en": str(models)}, "tokens_per_batch": tokens}
        backend = registry.load(params.model_copy(update=changed), "en")
        found[tokens] = [repair(sentences[0])[0] for sentences in backend.parse(passages)]
    assert found[20] == found[10_000]
    assert [sentence.words for sentence in found[20]] == [g.words for g in gold]
    assert [sentence.text for sentence in found[20]] == [g.text for g in gold]
    assert all(is_tree(sentence.heads) for sentence in found[20])


def test_raw_text_without_a_tokenizer_is_an_error_that_names_the_file(models: Path, params: Parse) -> None:
    changed = params.model_copy(update={"backend": "stanza", "models": {"en": str(models)}})
    with pytest.raises(SynsemError, match=r"tokenize\.pt"):
        list(registry.load(changed, "en").parse([Passage("The boy runs.", "en")]))
