"""SimCSE (Gao et al. 2021): one encoder; dropout alone tells a sentence from its positive.

Where the examples carry another text as the positive, or hard negatives, this is the supervised variant.
"""

from collections.abc import Sequence

import torch

from pipeline.nn.backbone import Backbone
from pipeline.nn.embedding import embed, vectors
from pipeline.nn.encoder import Encoder
from pipeline.nn.infonce import info_nce
from pipeline.nn.sketch import with_joint
from pipeline.nn.tokens import Tokeniser
from pipeline.params import Simcse
from pipeline.sentences import HasTree
from pipeline.systems import base


class System(base.System):
    """Views: ``semantic``; ``joint`` with a sketch (``encoder.sketch``)."""

    name = "simcse"
    dropout_in_dev = True

    def __init__(self, backbone: Backbone, settings: base.Settings) -> None:
        super().__init__()
        assert isinstance(settings.system, Simcse)
        self.settings, self.tau = settings, settings.train.tau
        self.tokeniser = Tokeniser(backbone.tokenizer, settings.encoder.max_tokens)
        self.semantic = Encoder(backbone.model, settings.encoder.pooling)
        for module in self.semantic.modules():
            if isinstance(module, torch.nn.Dropout):
                module.p = settings.system.dropout

    def represent(self, batch: base.Batch) -> base.Representations:
        """Vectors of anchors, positives and negatives, under different dropout."""
        sentences = [*batch.anchors, *batch.positives, *batch.negatives]
        found = vectors(self.semantic, self.tokeniser, self.tokeniser.encode(sentences, trees=False))
        sizes = [len(batch.anchors), len(batch.positives), len(batch.negatives)]
        return dict(zip(("anchor", "positive", "negative"), found.split(sizes), strict=True))

    def objective(self, representations: base.Representations) -> base.Losses:
        """InfoNCE between two passes under different dropout; one-way, as published."""
        a, b, negatives = (representations[name] for name in ("anchor", "positive", "negative"))
        return {"loss": info_nce(a, b, self.tau, negatives, symmetric=False)}

    def embed(self, sentences: Sequence[HasTree]) -> base.Views:
        """See ``base.Embedder``."""
        views = embed({"semantic": self.semantic}, self.tokeniser, sentences)
        return with_joint(views, sentences, self.settings.encoder.sketch)
