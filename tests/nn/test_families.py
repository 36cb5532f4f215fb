"""Encoder families on tiny random configurations: who takes a bias, which positions, equality at step 0."""

import pytest
import torch
import transformers

from pipeline.core.errors import SynsemError
from pipeline.nn.encoder import Encoder
from pipeline.nn.tokenizer import NO_HEAD, NO_WORD, Tokens

SIZES = {
    "vocab_size": 100,
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 32,
    "max_position_embeddings": 40,
}
DISTIL = {
    "vocab_size": 100,
    "dim": 16,
    "n_layers": 2,
    "n_heads": 4,
    "hidden_dim": 32,
    "max_position_embeddings": 40,
}
FAMILIES = {
    "bert": (transformers.BertConfig, SIZES),
    "minilm": (transformers.BertConfig, SIZES | {"num_attention_heads": 8, "hidden_act": "gelu_new"}),
    "roberta": (transformers.RobertaConfig, SIZES),
    "xlm-roberta": (transformers.XLMRobertaConfig, SIZES),
    "camembert": (transformers.CamembertConfig, SIZES),
    "electra": (transformers.ElectraConfig, SIZES | {"embedding_size": 8}),
    "mpnet": (transformers.MPNetConfig, SIZES),
    "distilbert": (transformers.DistilBertConfig, DISTIL),
}
RELATIVE = SIZES | {"relative_attention": True, "pos_att_type": ["p2c", "c2p"]}
WITHOUT_BIAS = {
    "deberta": (transformers.DebertaConfig, RELATIVE),
    "deberta-v2": (transformers.DebertaV2Config, RELATIVE),
    "modernbert": (transformers.ModernBertConfig, SIZES | {"pad_token_id": 0}),
    "convbert": (transformers.ConvBertConfig, SIZES | {"embedding_size": 16}),
}
POSITIONS = ["absolute", "graph", "both", "none"]
# Two sentences, [CLS] w0 w1 w1 w2 [SEP] and [CLS] w0 w1 [SEP]; id 1 is RoBERTa's padding.
TOKENS = Tokens(
    ids=torch.tensor([[3, 10, 11, 12, 13, 4], [3, 20, 21, 4, 1, 1]]),
    mask=torch.tensor([[True] * 6, [True] * 4 + [False] * 2]),
    words=torch.tensor([[NO_WORD, 0, 1, 1, 2, NO_WORD], [NO_WORD, 0, 1, *[NO_WORD] * 3]]),
    heads=torch.tensor([[2, 0, 2], [0, 1, NO_HEAD]]),
)


def model(family: str, attention: str = "sdpa") -> object:
    torch.manual_seed(0)
    config, sizes = (FAMILIES | WITHOUT_BIAS)[family]
    built = transformers.AutoModel.from_config(config(**sizes), attn_implementation=attention)
    for parameter in built.parameters():
        torch.nn.init.normal_(parameter, std=0.2)
    return built.eval()


@pytest.mark.parametrize("attention", ["eager", "sdpa"])
@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_starts_as_itself_and_learns_the_bias(family: str, attention: str) -> None:
    if (family, attention) == ("mpnet", "sdpa"):
        pytest.skip("transformers has no SDPA for MPNet")
    plain = model(family, attention)
    encoder = Encoder(plain, max_distance=3)
    with torch.no_grad():
        expected = plain(input_ids=TOKENS.ids, attention_mask=TOKENS.mask.long()).last_hidden_state  # type: ignore[operator]
    found = encoder.states(TOKENS)
    torch.testing.assert_close(found[TOKENS.mask], expected[TOKENS.mask], rtol=0, atol=2e-6)
    (found[:, 0] * torch.arange(16.0)).sum().backward()
    assert encoder.bias is not None
    assert encoder.bias.table.grad is not None
    assert encoder.bias.table.grad.abs().sum() > 0


@pytest.mark.parametrize("family", [*FAMILIES, *WITHOUT_BIAS])
def test_without_positions_order_is_not_seen_or_the_family_says_so(family: str) -> None:
    plain = model(family, "eager")
    if family == "mpnet" or family in WITHOUT_BIAS:
        with pytest.raises(SynsemError, match=r"sscp\.position"):
            Encoder(plain, position="none")
        return
    order = torch.tensor([0, 3, 1, 4, 2, 5])
    shuffled = Tokens(TOKENS.ids[:1, order], TOKENS.mask[:1], None, None)
    straight = Tokens(TOKENS.ids[:1], TOKENS.mask[:1], None, None)
    with torch.no_grad():
        without, usual = Encoder(plain, position="none"), Encoder(plain)
        torch.testing.assert_close(without(straight), without(shuffled), rtol=0, atol=1e-5)
        assert (usual(straight) - usual(shuffled)).abs().max() > 1e-3


@pytest.mark.parametrize("family", WITHOUT_BIAS)
def test_an_encoder_that_takes_no_bias_says_so(family: str) -> None:
    with pytest.raises(SynsemError, match=r"sscp\.bias: none"):
        Encoder(model(family, "eager"), max_distance=3)
