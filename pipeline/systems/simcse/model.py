"""SimCSE (Gao et al. 2021): one encoder; a sentence is its own positive, under other dropout.

If the examples have another text as the positive, or hard negatives, this is supervised SimCSE.
"""

import torch

from pipeline.core.params import Simcse
from pipeline.nn.backbone import Backbone
from pipeline.nn.encoder import Encoder, vectors
from pipeline.nn.losses import info_nce
from pipeline.nn.tokenizer import EncodedSentence, SentenceTokenizer
from pipeline.systems import base

DROPOUT = 0.1  # as published; the only difference between a sentence and its positive


class System(base.System):
    """View: ``semantic``."""

    name = "simcse"
    reads_text_alone = True
    dropout_in_dev = True

    def __init__(self, backbone: Backbone, settings: base.Settings) -> None:
        super().__init__()
        assert isinstance(settings.system, Simcse)
        self.settings, self.tau = settings, settings.train.tau
        self.tokenizer = SentenceTokenizer(backbone.tokenizer, settings.encoder.max_tokens)
        self.semantic = Encoder(backbone.model, settings.encoder.pooling)
        _set_dropout(self.semantic, DROPOUT)

    def read(self, batch: base.Batch, step: int | None) -> list[EncodedSentence]:
        """See ``base.System``: anchors, positives and negatives, one after another."""
        sentences = [*batch.anchors, *batch.positives, *batch.negatives]
        return self.tokenizer.encode(sentences, trees=False)

    def encode(self, batch: base.Batch) -> base.Embeddings:
        """Vectors of anchors, positives and negatives, under different dropout."""
        embeddings = vectors(self.semantic, self.tokenizer, self.reading(batch))
        sizes = [len(batch.anchors), len(batch.positives), len(batch.negatives)]
        return dict(zip(("anchor", "positive", "negative"), embeddings.split(sizes), strict=True))

    def loss_from_embeddings(self, embeddings: base.Embeddings) -> base.Losses:
        """InfoNCE of anchors against positives and hard negatives; in one direction, as published."""
        a, b, negatives = (embeddings[name] for name in ("anchor", "positive", "negative"))
        return {"loss": info_nce(a, b, self.tau, negatives, symmetric=False)}


def _set_dropout(network: torch.nn.Module, rate: float) -> None:
    for module in network.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = rate
        # Layers of a BART, and a ModernBERT's attention, have a number in place of a module.
        for name, value in list(vars(module).items()):
            if name.endswith("dropout") and type(value) is float:
                setattr(module, name, rate)
