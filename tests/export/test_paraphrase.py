"""Paraphrases by a model: a tiny T5 that has learnt a few sentences by heart."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from pipeline.core import schemas, store
from pipeline.core.errors import SynsemError
from pipeline.core.params import DEFAULTS, load_all
from pipeline.corpora.download import download
from pipeline.export import paraphrase as module
from pipeline.export.paraphrase import Paraphraser, paraphrase

ACTIVE, PASSIVE = "the small dog followed the old king.", "the old king was followed by the small dog."
NEAR = "the house on the hill was sold to a young woman last year."
LEARNT = {
    "paraphrase: ": {
        ACTIVE: PASSIVE,
        NEAR: NEAR.replace("last", "that"),
        "rain fell in the night.": "Rain fell in the night!",
        "he never said why.": "",
        "she went home.": "home " * 20,
    },
    "translate: ": {ACTIVE: "le petit chien suivait le vieux roi.", NEAR: ""},
    "back: ": {"le petit chien suivait le vieux roi.": PASSIVE},
}
TOKENS = 18  # of a text at most


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A T5 of one layer each way, trained in a second or two."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast, T5Config, T5ForConditionalGeneration

    folder = tmp_path_factory.mktemp("t5")
    given = [prompt + text for prompt, learnt in LEARNT.items() for text in learnt]
    written = [text for learnt in LEARNT.values() for text in learnt.values()]
    words = ["<pad>", "</s>", "<unk>", *sorted(set(" ".join([*given, *written]).split()))]
    split = Tokenizer(models.WordLevel({word: number for number, word in enumerate(words)}, "<unk>"))
    split.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    split.post_processor = processors.TemplateProcessing("$A </s>", special_tokens=[("</s>", 1)])
    special = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=split, **special)
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = T5Config(
        vocab_size=len(words), d_model=64, d_kv=16, d_ff=64, num_layers=1, num_heads=4, dropout_rate=0.0,
        decoder_start_token_id=0,
    )  # fmt: skip
    t5 = T5ForConditionalGeneration(config)
    inputs = tokenizer(given, padding=True, return_tensors="pt")
    labels = tokenizer(written, padding=True, return_tensors="pt").input_ids
    optimiser = torch.optim.Adam(t5.parameters(), 0.01)
    for _ in range(60):
        loss = t5(**inputs, labels=labels.masked_fill(labels == 0, -100)).loss
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    t5.save_pretrained(folder)
    return str(folder)


@pytest.fixture
def text(tmp_path: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(module, "MAX_TOKENS", TOKENS)
    path = tmp_path / "sentences.txt"
    path.write_text("\n".join([*LEARNT["paraphrase: "], "", ACTIVE]))
    return path


def prompted(model: str, count: int = 1) -> Paraphraser:
    return Paraphraser(((model, "paraphrase: "),), count, 3, "en")


def pairs(path: Path) -> list[tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for row in map(json.loads, path.read_text().splitlines()):
        found.setdefault(row["pair_id"], []).append(row["text"])
    return [tuple(texts) for texts in found.values()]


def test_paraphrases_become_pairs_of_the_corpus(model: str, text: Path, tmp_path: Path) -> None:
    out = tmp_path / "paraphrases.jsonl"
    assert paraphrase(prompted(model), text, out, 1) == {
        "kept.sentences": 1,
        "kept.paraphrases": 1,
        "dropped.near copy": 1,
        "dropped.copy": 1,
        "dropped.empty": 1,
        f"dropped.longer than {TOKENS} tokens": 1,
        "dropped.no words": 1,
        "dropped.repeated sentence": 1,
    }
    assert pairs(out) == [(ACTIVE, PASSIVE)]
    more = tmp_path / "more.txt"
    more.write_text("\n\n".join(f"A farmer counted {n} sheep and {n * n} stars." for n in range(20)))
    own = {"sources": [str(out), str(more)], "documents": "all", "benchmarks": [], "near_duplicate": None}
    download(load_all(DEFAULTS).download.model_copy(update=own), tmp_path / "corpus", tmp_path / "benchmarks")
    one, other = [row for row in store.rows(tmp_path / "corpus") if row["pair_id"]]
    assert (one["text"], other["text"]) == (ACTIVE, PASSIVE)
    assert (one["pair_id"], one["split"]) == (other["pair_id"], other["split"])


def test_two_models_translate_and_translate_back(model: str, text: Path, tmp_path: Path) -> None:
    text.write_text(f"{ACTIVE}\n{NEAR}\n")
    make = Paraphraser(((model, "translate: "), (model, "back: ")), 1, 3, "en")
    counts = paraphrase(make, text, tmp_path / "out.jsonl", 1)
    assert counts == {"kept.sentences": 1, "kept.paraphrases": 1, "dropped.empty": 1}
    assert pairs(tmp_path / "out.jsonl") == [(ACTIVE, PASSIVE)]


def test_a_stopped_run_goes_on_with_the_same_bytes(
    model: str, text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    generate: Callable[..., object] = module._generate
    calls, fails_at = list[int](), 1

    def counted(*arguments: object) -> object:
        if len(calls) == fails_at:
            raise KeyboardInterrupt
        calls.append(1)
        return generate(*arguments)

    monkeypatch.setattr(module, "_SENTENCES_PER_SHARD", 2)
    monkeypatch.setattr(module, "_generate", counted)
    out = tmp_path / "out.jsonl"
    with pytest.raises(KeyboardInterrupt):
        paraphrase(prompted(model, 2), text, out, 1)
    assert not out.exists()
    fails_at = -1
    paraphrase(prompted(model, 2), text, out, 1)
    assert len(calls) == 3  # shards of five sentences: the first was kept
    paraphrase(prompted(model, 2), text, tmp_path / "whole.jsonl", 1)
    assert len(calls) == 6
    assert (tmp_path / "whole.jsonl").read_bytes() == out.read_bytes()


def test_only_training_sentences_of_the_language_are_read(model: str, text: Path, tmp_path: Path) -> None:
    sentences = [(ACTIVE, "en", "train", "a:1"), (NEAR, "en", "test", "a:2"), (NEAR, "fr", "train", "a:3"),
                 (PASSIVE, "en", "train", "out:4")]  # fmt: skip
    rows = [dict(zip(("text", "lang", "split", "doc_id"), each, strict=True)) for each in sentences]
    store.write_rows(tmp_path / "parsed" / "corpus" / "part-00000.arrow", rows, schemas.SENTENCE)
    counts = paraphrase(prompted(model), tmp_path / "parsed", tmp_path / "out.jsonl", 1)
    reasons = ("held-out sentence", "another language", "paraphrase of an earlier run")
    assert [counts[f"dropped.{reason}"] for reason in reasons] == [1, 1, 1]
    assert pairs(tmp_path / "out.jsonl") == [(ACTIVE, PASSIVE)]


def test_a_second_paraphrase_differs_from_the_first() -> None:
    other = "it was the old king that the small dog followed."
    assert module._unfit(PASSIVE, [ACTIVE, other]) == ""
    assert module._unfit(f"{PASSIVE[:-1]} !", [ACTIVE, PASSIVE]) == "like another paraphrase"


@pytest.mark.parametrize(
    ("name", "count", "out", "message"),
    [
        ("bert", 1, "out.jsonl", "cannot be loaded"),
        ("/nowhere/t5", 1, "out.jsonl", "give a folder or a reachable"),
        ("bert", 4, "out.jsonl", "at most --beams, 3"),
        ("bert", 1, "sentences.txt", "is the input itself"),
    ],
)
def test_what_cannot_work_is_one_sentence(
    name: str, count: int, out: str, message: str, text: Path, tiny_backbone: Path
) -> None:
    with pytest.raises(SynsemError, match=message):
        paraphrase(prompted(name.replace("bert", str(tiny_backbone)), count), text, text.parent / out, 1)
