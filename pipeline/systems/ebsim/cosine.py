"""The cosine of two texts' vectors by the untouched backbone: a baseline by itself, and a matcher's start.

MiniLM and its like were trained as bi-encoders, so their cosine matches well without a labelled pair, and a
cross-encoder fine-tuned on a few thousand pairs ends below it. A matcher that starts from the cosine computes

    logit = sum_i w_i u_i v_i + intercept + the classifier's own logit

where u and v are the unit vectors of the texts. With equal weights the sum is a multiple of the cosine.
Weights and intercept are at first a logistic regression on the training pairs, the bi-encoder is untouched,
and the classifier's own logit is zero. So training starts at the weighted cosine; then all of it is trained.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional as F

from pipeline.core.errors import SynsemError
from pipeline.nn import backbone as backbones
from pipeline.nn.backbone import Backbone, quiet
from pipeline.nn.encoder import Encoder, embed, vectors
from pipeline.nn.precision import full_precision
from pipeline.nn.tokenizer import SentenceTokenizer
from pipeline.syntax.sentence import Side

# Of the penalty on the weights' differences; ten-fold cross-validation on 5 to 100 % of QQP's pairs chose it.
_C = 100.0
_COMMON = 10.0  # times the cosine: the weights' common size is hardly penalised, only their differences are
Floats = NDArray[np.float32]
Vectors = tuple[Floats, Floats]


class BiEncoder:
    """A backbone, and the mean of its token states as a text's vector.

    With ``remember`` it keeps the vector of every text that it has read.
    """

    def __init__(self, backbone: Backbone, max_tokens: int, remember: bool = False) -> None:
        self.encoder = Encoder(backbone.model, "mean")
        self.tokenizer = SentenceTokenizer(backbone.tokenizer, max_tokens)
        self._known: dict[str, Floats] | None = {} if remember else None

    def vectors(self, texts: Sequence[str]) -> Floats:
        """Unit vectors of n >= 1 texts, float32 [n, D], in full precision even under autocast.

        Equal texts are read once.
        """
        known = {} if self._known is None else self._known
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            with full_precision(next(self.encoder.parameters()).device):
                found = embed({"": self.encoder}, self.tokenizer, [Side(text, (), ()) for text in new])[""]
            known.update(zip(new, found, strict=True))
        return np.stack([known[text] for text in texts])

    def pairs(self, a: Sequence[str], b: Sequence[str]) -> Vectors:
        """The vectors of each pair, two of float32 [n, D]; n >= 1."""
        found = self.vectors([*a, *b])
        return found[: len(a)], found[len(a) :]


@lru_cache(maxsize=1)
def untouched(model: str, max_tokens: int) -> BiEncoder:
    """The bi-encoder of a model as it is, one for all calls: runs that are compared read the same texts."""
    return BiEncoder(backbones.load(model), max_tokens, remember=True)


@dataclass(frozen=True)
class Weights:
    """``sum_i w_i u_i v_i + intercept``: the log-odds of a match, from unit vectors."""

    values: Floats  # [D]
    intercept: float

    def logits(self, vectors: Vectors) -> Floats:
        """Log-odds of each pair of vectors, float32 [n]."""
        first, second = vectors
        return np.asarray((first * second) @ self.values + self.intercept, np.float32)


class WeightedCosine(nn.Module):
    """A bi-encoder and the weights of its cosine. All is trained, the bi-encoder's own module, too."""

    def __init__(self, bi_encoder: BiEncoder, weights: Weights) -> None:
        super().__init__()
        self.encoder, self.tokenizer = bi_encoder.encoder, bi_encoder.tokenizer
        self.weights = nn.Parameter(torch.tensor(weights.values, dtype=torch.float32))
        self.intercept = nn.Parameter(torch.tensor(weights.intercept, dtype=torch.float32))

    def forward(self, a: Sequence[str], b: Sequence[str]) -> torch.Tensor:
        """Log-odds of each pair, float32 [n], with their gradient; n >= 1."""
        encoded = self.tokenizer.encode([Side(text, (), ()) for text in (*a, *b)], trees=False)
        found = F.normalize(vectors(self.encoder, self.tokenizer, encoded), dim=-1)
        with full_precision(self.weights.device):
            return (found[: len(a)] * found[len(a) :]) @ self.weights + self.intercept

    def save(self, folder: Path) -> None:
        """Write the bi-encoder, a transformer and its tokenizer, but not ``settings``."""
        with quiet():
            self.encoder.model.save_pretrained(str(folder))
        tokenizer = self.tokenizer.hf_tokenizer
        tokenizer.model_max_length = self.tokenizer.max_tokens
        tokenizer.save_pretrained(str(folder))

    def settings(self) -> dict[str, float | list[float]]:
        """Weights and intercept, for a JSON file."""
        return {"weights": self.weights.tolist(), "intercept": self.intercept.item()}


def calibrate(vectors: Vectors, target: Floats) -> Weights:
    """Logistic regression of targets [n] on u * v; a graded target counts as a share of a match.

    The penalty draws the weights to each other, so that with few pairs they stay near the plain cosine.
    Raises SynsemError where all targets are 0, or all 1.
    """
    from sklearn.linear_model import LogisticRegression

    if not 0 < float(target.sum()) < len(target):
        raise SynsemError(
            "finetune: the training pairs are all of one kind, so the cosine has no threshold; "
            "take a larger --share"
        )
    first, second = vectors
    products = (first * second).astype(np.float64)  # in float32 the solver stops early
    features = np.concatenate([_COMMON * products.sum(axis=1, keepdims=True), products], axis=1)
    # A pair of target t is a match of weight t and a mismatch of weight 1 - t.
    kinds, shares = np.repeat([1, 0], len(target)), np.concatenate([target, 1 - target])
    found = LogisticRegression(C=_C, tol=1e-6, max_iter=3000)
    found.fit(np.concatenate([features, features]), kinds, shares)
    values = _COMMON * found.coef_[0, 0] + found.coef_[0, 1:]
    return Weights(np.asarray(values, np.float32), float(found.intercept_[0]))
