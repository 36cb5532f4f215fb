"""Neural paraphrase with tiny, randomly initialised models saved in a folder."""

from dataclasses import replace

import pytest
from handmade import APPROVED, COMMITTEE, DOGS

from pipeline.augment.paraphrase import align, paraphrase
from pipeline.params import Neural
from pipeline.trees import is_tree

SENTENCES = [COMMITTEE, APPROVED, DOGS]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A T5 of two layers, two heads and 16 dimensions with a word-level tokenizer."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    tokenizers = pytest.importorskip("tokenizers")
    words = sorted({word for sentence in SENTENCES for word in sentence.words})
    vocabulary = {word: i for i, word in enumerate(["<pad>", "</s>", "<unk>", *words])}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    home = tmp_path_factory.mktemp("t5")
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    ).save_pretrained(home)
    torch.manual_seed(0)
    config = transformers.T5Config(
        vocab_size=len(vocabulary), d_model=16, d_kv=8, d_ff=32, num_layers=2, num_heads=2,
        pad_token_id=0, eos_token_id=1, decoder_start_token_id=0,
    )  # fmt: skip
    transformers.T5ForConditionalGeneration(config).save_pretrained(home)
    return str(home)


def neural(folder, **changes):
    values = {
        "back_translation": [folder, folder], "t5": folder, "t5_prefix": "", "batch_size": 2, "beams": 1,
        "max_tokens": 6, "device": "cpu",
    }  # fmt: skip
    return Neural.model_validate(values | changes)


def parser(texts):
    """A stand-in for the parser: every word hangs on the first."""
    trees = []
    for text in texts:
        words = tuple(text.split())
        n = len(words)
        trees.append(
            replace(
                COMMITTEE, words=words, lemmas=words, space_after=(*[True] * (n - 1), False),
                upos=("X",) * n, xpos=("FW",) * n, feats=("",) * n,
                heads=(0, *[1] * (n - 1)), deprels=("root", *["dep"] * (n - 1)),
            )
        )  # fmt: skip
    return trees


@pytest.mark.parametrize("name", ["back_translation", "t5_paraphrase"])
def test_one_candidate_a_sentence_whatever_the_batch(folder, name):
    made = [list(paraphrase(name, SENTENCES, neural(folder, batch_size=size), parser)) for size in (1, 3)]
    texts = [[each and each.variant.sentence.text for each in column] for column in made]
    assert texts[0] == texts[1]
    assert any(texts[0])
    for candidate in made[0]:
        if candidate is not None:
            variant = candidate.realise()
            assert (variant.transformation, variant.meaning) == (name, "same")
            assert is_tree(variant.sentence.heads)
            assert len(variant.alignment) == len(variant.sentence)


def test_alignment_follows_the_lemmas():
    assert align(COMMITTEE, COMMITTEE) == tuple(range(1, len(COMMITTEE) + 1))
    swapped = replace(COMMITTEE, lemmas=("zebra", *COMMITTEE.lemmas[1:]))
    assert align(COMMITTEE, swapped) == (0, *range(2, len(COMMITTEE) + 1))
