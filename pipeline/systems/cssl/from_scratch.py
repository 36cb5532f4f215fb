"""An encoder for a language without a pretrained one: a small BERT with random weights and its own subwords.

The subwords are SentencePiece's, learnt from the training words. The model is an ordinary one of Hugging
Face's library, so whatever works on a backbone works on it.
"""

from collections.abc import Iterable

from pipeline.nn.backbone import Backbone
from pipeline.nn.sentence_piece import learn_subwords


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
        num_attention_heads=max(1, width // 32),
        intermediate_size=2 * width,
        max_position_embeddings=max_tokens,
        hidden_dropout_prob=dropout,
        attention_probs_dropout_prob=0.0,  # with it, torch has no fast attention on a CPU
        pad_token_id=tokenizer.pad_token_id,
    )
    return Backbone(BertModel(config, add_pooling_layer=False).eval(), tokenizer)
