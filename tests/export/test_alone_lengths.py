"""What an exported folder's own code refuses, by the encoder that it holds."""

from types import SimpleNamespace
from typing import Any

import pytest
import transformers

from pipeline.systems.ebsim.standalone import CosineMatcher
from pipeline.systems.synsem.standalone import SynsemEncoder

SMALL = {
    "vocab_size": 50, "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2,
    "intermediate_size": 24, "max_position_embeddings": 20,
}  # fmt: skip


def reader(encoder: Any) -> Any:
    network = SimpleNamespace(backbone=encoder)
    return SynsemEncoder.__new__(SynsemEncoder), {"network": network, "config": {"max_tokens": 8}}


def matcher(encoder: Any) -> Any:
    tokenizer = SimpleNamespace(model_max_length=8)
    return CosineMatcher.__new__(CosineMatcher), {
        "encoder": encoder, "tokenizer": None, "text_tokenizer": tokenizer
    }  # fmt: skip


@pytest.mark.parametrize("made", [reader, matcher])
@pytest.mark.parametrize(("family", "room"), [("Bert", 20), ("Roberta", 18), ("MPNet", 18)])
def test_a_length_beyond_the_positions_is_refused_whatever_they_count_from(
    family: str, room: int, made: Any
) -> None:
    """RoBERTa's first position is 2, so two of its positions are never a token's."""
    config = getattr(transformers, f"{family}Config")(pad_token_id=1, **SMALL)
    module, parts = made(getattr(transformers, f"{family}Model")(config))
    vars(module).update(parts)
    module.max_seq_length = room
    assert module.max_seq_length == room
    with pytest.raises(ValueError, match=f"{room + 1} is not between 2 and the encoder's {room} positions"):
        module.max_seq_length = room + 1


@pytest.mark.parametrize("made", [reader, matcher])
def test_a_model_that_counts_distances_takes_any_length(made: Any) -> None:
    """An XLNet says that it has -1 positions, a T5 says nothing."""
    for config in (transformers.XLNetConfig(), transformers.T5Config()):
        module, parts = made(SimpleNamespace(config=config))
        vars(module).update(parts)
        module.max_seq_length = 10_000
        assert module.max_seq_length == 10_000
