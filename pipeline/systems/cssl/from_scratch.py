"""Encoders of the parser besides the whole backbone: its first layers, or a small BERT from scratch.

The latter is for a language without a pretrained one. It has random weights and its own subwords.
The subwords are learnt from the training words. The model is an ordinary one of Hugging
Face's library, so whatever works on a backbone works on it.
"""

from collections.abc import Iterable

from transformers import PreTrainedModel

from pipeline.core.errors import SynsemError
from pipeline.nn.backbone import Backbone, keep_first
from pipeline.nn.encoder import has_decoder
from pipeline.nn.tokenizer import learn_subwords
from pipeline.params import Cssl


def backbone_from_scratch(
    words: Iterable[str], vocabulary: int, width: int, layers: int, max_tokens: int, dropout: float
) -> Backbone:
    """A BERT of ``layers`` layers over at most ``vocabulary`` subwords learnt from ``words``.

    Case and accents stay: they carry grammar in many scripts. Weights are drawn from torch's generator.
    Raises SynsemError where there is no word, or where ``vocabulary`` cannot hold the words' characters.
    """
    from transformers import BertConfig, BertModel

    tokenizer = learn_subwords(words, vocabulary, "cssl.scratch.vocabulary", begin=True)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=next(n for n in range(max(1, width // 32), 0, -1) if width % n == 0),
        intermediate_size=2 * width,
        max_position_embeddings=max_tokens,
        hidden_dropout_prob=dropout,
        attention_probs_dropout_prob=0.0,  # with it, torch has no fast attention on a CPU
        pad_token_id=tokenizer.pad_token_id,
    )
    model = BertModel(config, add_pooling_layer=False)
    return Backbone(model.eval(), tokenizer)


def first_layers(model: PreTrainedModel, params: Cssl) -> PreTrainedModel:
    """The model, of a pretrained one only the first ``cssl.depth`` layers, which are cut in place.

    Of an encoder-decoder it is the encoder. What a parser needs is in the lower and middle layers, and its
    time is nearly all the encoder's. Raises SynsemError where the model has fewer layers than that, or not
    one list of them.
    """
    if has_decoder(model):
        model = model.get_encoder()
    layers = model.config.num_hidden_layers
    if params.encoder == "scratch" or params.depth in (None, layers):
        return model
    if params.depth > layers:
        raise SynsemError(
            f"cssl.depth: is {params.depth}, but the encoder has {layers} layers; give fewer or null"
        )
    if not keep_first(model, params.depth):
        raise SynsemError(f"cssl.depth: the layers of {type(model).__name__} were not found; set it to null")
    return model
