"""The encoder of an encoder-decoder as a model by itself, which transformers loads from its folder."""

from typing import Any

_POST_NORM = ("bart",)
_T5 = ("t5", "mt5")


def stands_alone(model: Any) -> bool:
    """Whether ``standalone`` has a form for it; every encoder that is no part of another model is one."""
    config = model.config
    known = config.model_type in (*_POST_NORM, *_T5)
    return known or not getattr(config, "is_encoder_decoder", False)


def standalone(model: Any) -> Any:
    """A model with the same states, in evaluation mode; the model itself where it stands alone already.

    AutoModel would give a folder with BART's configuration to a decoder, too. But its encoder is a BERT by
    other names, layer for layer, and becomes one; a T5's has a class of its own in transformers.
    """
    if model.config.model_type in _POST_NORM:
        return _as_bert(model)
    if model.config.model_type in _T5:
        from transformers import T5Config, T5EncoderModel

        whole = T5EncoderModel(T5Config.from_dict(model.config.to_dict()))
        whole.encoder.load_state_dict(model.state_dict())
        return whole.eval()
    return model


def _as_bert(model: Any) -> Any:
    from transformers import BertConfig, BertModel

    config = model.config
    bert = BertModel(
        BertConfig(
            vocab_size=config.vocab_size,
            hidden_size=config.d_model,
            num_hidden_layers=config.encoder_layers,
            num_attention_heads=config.encoder_attention_heads,
            intermediate_size=config.encoder_ffn_dim,
            hidden_act=config.activation_function,
            hidden_dropout_prob=config.dropout,
            attention_probs_dropout_prob=config.attention_dropout,
            max_position_embeddings=config.max_position_embeddings,
            type_vocab_size=1,
            layer_norm_eps=model.layernorm_embedding.eps,
            pad_token_id=config.pad_token_id,
        ),
        add_pooling_layer=False,
    )
    given = model.state_dict()
    weights = {
        "embeddings.word_embeddings.weight": given["embed_tokens.weight"] * model.embed_tokens.embed_scale,
        "embeddings.position_embeddings.weight": given["embed_positions.weight"][_FIRST_POSITION:],
        "embeddings.token_type_embeddings.weight": given["embed_positions.weight"][:1] * 0.0,
    }
    for name in ("weight", "bias"):
        weights[f"embeddings.LayerNorm.{name}"] = given[f"layernorm_embedding.{name}"]
        for layer in range(config.encoder_layers):
            for theirs, ours in _NAMES.items():
                weights[f"encoder.layer.{layer}.{ours}.{name}"] = given[f"layers.{layer}.{theirs}.{name}"]
    bert.load_state_dict(weights)
    return bert.eval()


_FIRST_POSITION = 2  # of BART's table; the rows before it are not used
_NAMES = {
    "self_attn.q_proj": "attention.self.query",
    "self_attn.k_proj": "attention.self.key",
    "self_attn.v_proj": "attention.self.value",
    "self_attn.out_proj": "attention.output.dense",
    "self_attn_layer_norm": "attention.output.LayerNorm",
    "fc1": "intermediate.dense",
    "fc2": "output.dense",
    "final_layer_norm": "output.LayerNorm",
}
