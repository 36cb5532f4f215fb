"""An encoder for a language without a pretrained one: a small BERT with random weights and its own subwords.

The subwords are byte-pair merges learnt from the training text (Sennrich et al. 2016). The result is an
ordinary Hugging Face model, so whatever works on a backbone works on it.
"""

from collections.abc import Iterable
from typing import Any

from pipeline.nn.backbone import Backbone

_SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def backbone_from_scratch(
    words: Iterable[str], vocabulary: int, width: int, layers: int, max_tokens: int, dropout: float
) -> Backbone:
    """A BERT of ``layers`` layers over at most ``vocabulary`` subwords learnt from ``words``.

    Case and accents stay: they carry grammar in many scripts. Weights are drawn from torch's generator.
    """
    from transformers import BertConfig, BertModel

    tokenizer = _tokenizer(words, vocabulary)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=max(1, width // 32),
        intermediate_size=2 * width,
        max_position_embeddings=max_tokens,
        hidden_dropout_prob=dropout,
        attention_probs_dropout_prob=0.0,  # with it, torch has no fast attention on a CPU
        pad_token_id=0,
    )
    return Backbone(BertModel(config, add_pooling_layer=False).eval(), tokenizer)


def _tokenizer(words: Iterable[str], vocabulary: int) -> Any:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    subwords = Tokenizer(models.BPE(unk_token="[UNK]"))
    subwords.normalizer = normalizers.NFC()
    # A mark before each word, not one inside words: the trainer numbers the latter differently at every run.
    subwords.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary, special_tokens=_SPECIAL, min_frequency=2, show_progress=False
    )
    subwords.train_from_iterator(words, trainer)
    cls, sep = (subwords.token_to_id(name) for name in ("[CLS]", "[SEP]"))
    subwords.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B [SEP]",
        special_tokens=[("[CLS]", cls), ("[SEP]", sep)],
    )
    names = dict(zip(("pad", "unk", "cls", "sep", "mask"), _SPECIAL, strict=True))
    return PreTrainedTokenizerFast(
        tokenizer_object=subwords, **{f"{kind}_token": name for kind, name in names.items()}
    )
