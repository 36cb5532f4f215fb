"""SentencePiece as a tokenizer here: what is learnt, saved, read again and given to other libraries."""

import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoTokenizer, XLMRobertaConfig, XLMRobertaModel

from pipeline.core.errors import SynsemError
from pipeline.nn import backbone
from pipeline.nn.sentence_piece import FILE, SentencePieceTokenizer, learn_subwords
from pipeline.nn.tokenizer import NO_WORD, SentenceTokenizer
from pipeline.params import load_all
from pipeline.syntax.sentence import Side
from pipeline.systems import registry

TEXTS = [
    "The cat sat on the mat.", "The cats sat on the mats!", "Die Katze sass auf der Matte.",
    "Le chat est assis.", "the  cat", "Was für ein schöner Tag!", "那只猫坐在垫子上。", "Quel beau jour !",
] * 3  # fmt: skip
KEY = "upos.bilstm.vocabulary"


@pytest.fixture(scope="module")
def tokenizer() -> SentencePieceTokenizer:
    return learn_subwords(TEXTS, 200, KEY)


def written(tokenizer: SentencePieceTokenizer, ids: list[int]) -> str:
    """The subwords before the end, put together."""
    subwords = list(tokenizer.get_vocab())
    return "".join(subwords[number] for number in ids[:-1]).replace("▁", " ").removeprefix(" ")


def test_the_text_comes_back_from_its_subwords_as_normalised(tokenizer: SentencePieceTokenizer) -> None:
    rows = tokenizer(TEXTS)["input_ids"]
    for text, ids in zip(TEXTS, rows, strict=True):
        assert ids == tokenizer(text)["input_ids"]
        assert ids[-1] == tokenizer.eos_token_id
        assert written(tokenizer, ids) == " ".join(text.split())
    assert written(tokenizer, tokenizer("ｃａｔ")["input_ids"]) == "cat"  # NFKC


def test_subwords_hold_at_most_one_space_and_that_in_front_and_are_as_many_as_allowed() -> None:
    tokenizer = learn_subwords(TEXTS, 120, KEY)
    assert len(tokenizer) == 120
    assert [tokenizer.get_vocab()[name] for name in ("<pad>", "<unk>", "</s>")] == [0, 1, 2]
    assert all("▁" not in subword[1:] for subword in tokenizer.get_vocab())
    assert "▁cat" in tokenizer.get_vocab()


def test_there_are_fewer_subwords_where_the_text_has_no_more_to_merge() -> None:
    found = learn_subwords(TEXTS, 40_000, KEY).get_vocab()
    assert len(found) < 300
    assert {"▁Katze", "▁schöner"} <= found.keys()


def test_order_of_texts_number_of_threads_and_the_process_make_no_difference() -> None:
    # At the larger size the last merges occur once each, so there are many ties.
    script = (
        "import sys; from hashlib import sha256; from pipeline.nn.sentence_piece import learn_subwords; "
        "texts = eval(sys.stdin.read()); "
        "print([sha256(learn_subwords(texts, size, 'k').model).hexdigest() for size in (60, 40_000)])"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", script], input=repr(texts), capture_output=True, text=True, check=True,
            env=os.environ | {"OMP_NUM_THREADS": threads, "PYTHONHASHSEED": threads},
        ).stdout
        for texts, threads in ((TEXTS, "1"), (TEXTS[::-1], "4"))
    }  # fmt: skip
    assert len(found) == 1
    assert len(found.pop()) > 128


def test_two_threads_learn_what_one_does(monkeypatch: pytest.MonkeyPatch) -> None:
    import sentencepiece

    one = learn_subwords(TEXTS, 200, KEY)
    train = sentencepiece.SentencePieceTrainer.train
    monkeypatch.setattr(
        sentencepiece.SentencePieceTrainer, "train", lambda **given: train(**given | {"num_threads": 2})
    )
    two = learn_subwords(TEXTS, 200, KEY)
    assert two.get_vocab() == one.get_vocab()
    assert two.model != one.model  # the number itself is in the file, so it is a fixed one


def test_unknown_characters_are_one_unknown_subword_and_names_of_special_ones_are_text(
    tokenizer: SentencePieceTokenizer,
) -> None:
    assert tokenizer("жж")["input_ids"].count(tokenizer.unk_token_id) == 1
    assert tokenizer("</s> <pad>")["input_ids"].count(tokenizer.eos_token_id) == 1
    assert tokenizer.pad_token_id not in tokenizer("</s> <pad>")["input_ids"]


@pytest.mark.parametrize("text", ["", "   "])
def test_an_empty_text_is_its_end_alone(text: str, tokenizer: SentencePieceTokenizer) -> None:
    assert tokenizer(text)["input_ids"] == [tokenizer.eos_token_id]


def test_subwords_know_their_words_and_a_cut_keeps_the_end() -> None:
    subwords = learn_subwords(TEXTS, 200, KEY, begin=True)
    side = Side("The  cat sat.", ["The", "cat", "sat", "."], [2, 3, 0, 3])
    [whole] = SentenceTokenizer(subwords, 32).encode([side])
    assert whole.words is not None
    assert whole.words.tolist() == [NO_WORD, 0, 1, 2, 3, NO_WORD]
    [cut] = SentenceTokenizer(subwords, 4).encode([side])
    assert list(cut.ids) == [*whole.ids[:3], subwords.eos_token_id]


def test_saved_and_read_again_it_is_the_same_bytes(tokenizer: SentencePieceTokenizer, tmp_path: Path) -> None:
    tokenizer.save_pretrained(str(tmp_path / "new"))
    assert [path.name for path in (tmp_path / "new").iterdir()] == [FILE]
    again = backbone.restore(None, tmp_path / "new").tokenizer
    assert again.model == tokenizer.model == pickle.loads(pickle.dumps(tokenizer)).model
    assert again(TEXTS) == tokenizer(TEXTS)


@pytest.mark.parametrize("begin", [False, True])
def test_as_a_fast_tokenizer_it_gives_the_same_ids_and_places(begin: bool, tmp_path: Path) -> None:
    own = learn_subwords(TEXTS, 200, KEY, begin)
    own.fast.save_pretrained(str(tmp_path))
    fast = AutoTokenizer.from_pretrained(str(tmp_path))
    texts = [*TEXTS, "", "  a cat\tsat\n", "ｃａｔｓ sat", "жж the жcat", "x² Tages 猫猫 mattes catsat"]
    assert fast(texts)["input_ids"] == own(texts)["input_ids"]
    given = own(texts, return_offsets_mapping=True, return_special_tokens_mask=True)
    assert given["input_ids"] == own(texts)["input_ids"]
    assert given["special_tokens_mask"] == fast(texts, return_special_tokens_mask=True)["special_tokens_mask"]
    ends = [[end for _, end in row] for row in given["offset_mapping"]]
    assert ends[0] == [end for _, end in fast(texts[0], return_offsets_mapping=True)["offset_mapping"]]
    assert len(fast) == len(own)
    if begin:
        pair = fast("the cat", "the mat")["input_ids"]
        assert pair == own("the cat")["input_ids"] + own("the mat")["input_ids"][1:]
        assert fast.mask_token_id == own.get_vocab()["<mask>"]


@pytest.mark.parametrize("texts", [[], ["", "  "]])
def test_without_text_there_is_nothing_to_learn(texts: list[str]) -> None:
    with pytest.raises(SynsemError, match=r"^upos\.bilstm\.vocabulary: there is no text to learn subwords"):
        learn_subwords(texts, 100, KEY)


def test_a_vocabulary_that_cannot_hold_the_characters_is_named_with_the_least_that_can() -> None:
    with pytest.raises(
        SynsemError, match=r"vocabulary: 20 subwords cannot hold .*; give at least 43"
    ) as found:
        learn_subwords(TEXTS, 20, KEY)
    assert "\n" not in str(found.value)
    assert len(learn_subwords(TEXTS, 43, KEY)) == 43


@pytest.mark.parametrize("kept", [0, 1, 1000, -1, "all but the rules of normalisation"])
def test_a_damaged_model_file_is_named(
    kept: int | str, tokenizer: SentencePieceTokenizer, tmp_path: Path
) -> None:
    from sentencepiece.sentencepiece_model_pb2 import ModelProto

    if isinstance(kept, str):  # a valid protobuf still
        proto = ModelProto.FromString(tokenizer.model)
        proto.ClearField("normalizer_spec")
        kept = len(proto.SerializeToString())
    (tmp_path / FILE).write_bytes(tokenizer.model[:kept])
    with pytest.raises(SynsemError, match=r"sentencepiece\.model: damaged or cut short .*; run the pretrain"):
        backbone.restore(None, tmp_path)


def test_a_folder_without_a_tokenizer_is_named(tmp_path: Path) -> None:
    with pytest.raises(SynsemError, match=r"has neither tokenizer\.json nor sentencepiece\.model"):
        backbone.restore(None, tmp_path)


def test_where_the_library_is_missing_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    with pytest.raises(SynsemError, match=r"sentencepiece is not installed.*`pip install sentencepiece`"):
        learn_subwords(TEXTS, 100, KEY)


def test_a_model_of_the_xlm_r_family_with_nothing_but_a_sentencepiece_model_is_an_encoder(
    tmp_path: Path,
) -> None:
    """As on the hub: Unigram subwords in ``sentencepiece.bpe.model``, ids shifted by fairseq's own."""
    import sentencepiece

    folder = tmp_path / "xlm-r"
    folder.mkdir()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(TEXTS), model_prefix=str(folder / "sentencepiece.bpe"), vocab_size=80,
        hard_vocab_limit=False, num_threads=1, minloglevel=2,
    )  # fmt: skip
    (folder / "sentencepiece.bpe.vocab").unlink()
    processor = sentencepiece.SentencePieceProcessor(model_file=str(folder / "sentencepiece.bpe.model"))
    torch.manual_seed(0)
    config = XLMRobertaConfig(
        vocab_size=len(processor) + 2, hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=64, max_position_embeddings=66, pad_token_id=1,
    )  # fmt: skip
    XLMRobertaModel(config).save_pretrained(folder)
    subwords = SentenceTokenizer(backbone.load(str(folder)).tokenizer, 64)
    side = Side("The cat sat.", ["The", "cat", "sat", "."], [2, 3, 0, 3])
    [encoded] = subwords.encode([side])
    # <s> is 0 and </s> 2; what SentencePiece numbers from 3 on is one higher, for <pad> is 1.
    assert list(encoded.ids) == [0, *(number + 1 for number in processor.encode(side.text)), 2]
    assert encoded.words is not None
    assert set(encoded.words.tolist()) == {NO_WORD, 0, 1, 2, 3}
    params = load_all(Path(__file__).parents[2] / "params.yaml")
    encoder = params.encoder.model_copy(update={"model": str(folder), "max_tokens": 32, "sketch": None})
    system = registry.create("simcse", encoder, params.train, params.simcse).eval()
    registry.save(system, tmp_path / "model")
    loaded = registry.load(tmp_path / "model")
    np.testing.assert_array_equal(system.embed([side])["semantic"], loaded.embed([side])["semantic"])


def test_no_room_for_the_special_subwords_is_told_as_that() -> None:
    with pytest.raises(SynsemError, match="2 subwords have no room for start, end and unknown; give more"):
        learn_subwords(TEXTS, 2, KEY, begin=True)
