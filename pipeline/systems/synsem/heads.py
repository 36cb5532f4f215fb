"""The heads of SynSem's network: which word follows which, and the vector that binds words in that order.

An exported model carries a copy of this file, so it imports nothing of SynSem.

``Reader`` branches off from one of the backbone's lower layers; the backbone itself is not trained.
``Pointers`` predicts for each word whether it is a content word and which content word follows it in role
order (a biaffine attention, as in Dozat & Manning 2017). ``Binding`` turns word features, gates and pointers
into one vector whose inner products count, softly, which ordered pairs of words two sentences share
(tensor products, Smolensky 1990; distributed tree kernels, Zanzotto & Dell'Arciprete 2012).
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import nn
from torch.nn import functional as F

# Of two words one link further apart. With 1 the contrast sets lose 4 points. The late score has its own.
DECAY = 0.7
# Two words of similarity x count as exp(SHARPNESS (x - 1)): 1 if equal, little if merely related.
SHARPNESS = 4.0
# Two words of similarity x count as one word repeated by exp(_SAME (x - 1)): near 0 unless they are equal.
_SAME = 16.0
_WEAK = 0.05  # smaller norms of links count as this, so that a word with hardly a link is not blown up
# Content words of a sentence in which the structural vector has just the weight asked for.
TYPICAL_LENGTH = 6.0
_ROUNDING = 1e-5  # what is smaller than this, beside the terms that it is the sum of, is rounding


class Pointed(NamedTuple):
    """Of B sentences of W words."""

    gates: torch.Tensor  # float32 [B, W], logit of being a content word; the lowest float at padding
    successors: torch.Tensor  # float32 [B, W, W + 1], logits of the next word; the last column is none


class Repeats(NamedTuple):
    """Which words of B sentences of W words are the same: what depends on the word alone is computed once."""

    first: torch.Tensor  # int64 [U], where each different word stands first, among the B * W places
    numbers: torch.Tensor  # int64 [B, W], which of the U words stands at each place; any of them at padding


def _gelu(states: torch.Tensor) -> torch.Tensor:
    """GELU by the error function, in training and in use.

    Given ``F.gelu`` itself, torch fuses a layer that needs no gradient, with the tanh approximation on CUDA.
    """
    return F.gelu(states)


class Reader(nn.Module):
    """Transformer layers over words, which branch off from one of a backbone's lower layers.

    A backbone trained for sentence similarity has what a parser needs in its lower and middle layers. So
    it need not be trained, and its own sentence vector stays as it was.
    """

    def __init__(self, width: int, inner: int, layers: int, heads: int) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(
            width, heads, inner, dropout=0.0, activation=_gelu, layer_norm_eps=1e-12, batch_first=True
        )
        self.body = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)

    def forward(self, states: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
        """Word states [B, W, D] to others; ``real``, bool [B, W], is false at padding."""
        # A text without a word would have nothing to attend to.
        hidden = ~real & real.any(dim=1, keepdim=True)
        read: torch.Tensor = self.body(states, src_key_padding_mask=hidden)
        return read


class Pointers(nn.Module):
    """Gates and pointers from word states."""

    def __init__(self, width: int, size: int) -> None:
        super().__init__()
        self.query, self.key = nn.Linear(width, size), nn.Linear(width, size)
        self.none = nn.Parameter(torch.zeros(size))
        self.gate = nn.Linear(width, 1)

    def forward(self, states: torch.Tensor, real: torch.Tensor) -> Pointed:
        """From word states, float32 [B, W, D], and ``real``, bool [B, W], false at padding."""
        query, key = F.gelu(self.query(states)), F.gelu(self.key(states))
        # `len` would fix the number of sentences; ONNX export would have to trace Python itself, slowly.
        key = torch.cat([key, self.none.expand(key.shape[0], 1, -1)], dim=1)
        logits = query @ key.transpose(1, 2) * query.shape[-1] ** -0.5
        # No word follows itself, and none follows padding.
        hidden = F.pad(~real, (0, 1))[:, None] | F.pad(
            torch.eye(real.shape[1], dtype=torch.bool, device=real.device), (0, 1)
        )
        lowest = torch.finfo(logits.dtype).min
        gates = self.gate(states).squeeze(-1).masked_fill(~real, lowest)
        return Pointed(gates, logits.masked_fill(hidden, lowest))


def reached(pointed: Pointed, weights: torch.Tensor) -> torch.Tensor:
    """A = sum over k of r_k a^k, float32 [B, W, W]: what follows each word; ``weights`` are r [reach]."""
    step = pointed.successors.softmax(dim=2)[..., :-1]
    found, power = weights[0] * step, step
    for weight in weights[1:]:
        power = power @ step
        found = found + weight * power
    return found


def shares(features: torch.Tensor, gates: torch.Tensor) -> torch.Tensor:
    """1 / how often a word's like occurs among the content words of its sentence, float32 [B, W].

    Without it, a word that a sentence repeats would count many times over.
    """
    alike = (features @ features.transpose(1, 2)).clamp(max=1.0)
    same = torch.exp(_SAME * (alike - 1))
    return 1 / (same @ gates[..., None]).squeeze(-1).clamp(min=1.0)


def evened(links: torch.Tensor) -> torch.Tensor:
    """L_ij / (n_i n_j)^(1/4), float32 [B, W, W], n_i the norm of all links to and from word i.

    Words between others have more links than those at the ends of a sentence, and would count for more.
    """
    squares = links.square()
    sizes = (squares.sum(dim=2) + squares.sum(dim=1)).clamp(min=_WEAK**2) ** 0.125
    return links / (sizes[:, :, None] * sizes[:, None])


class Binding(nn.Module):
    """v = sum over i, j of S_ij p(x_i) * q(x_j), S = evened(L - L^T), L_ij = c_i g_i A_ij g_j c_j.

    x are word features, g gates (probabilities), c ``shares``, A = sum over k of r_k a^k with a the pointers
    (a softmax, without none). An exchange of two words changes the sign of their part; words that two
    sentences share add nothing but in order.

    p(x) = cos(P x + b) and q likewise are random features of a Gaussian kernel (Rahimi & Recht 2007), until
    they are trained: the inner product of p(x) and p(y) is large where x and y are nearly the same word.
    """

    def __init__(self, width: int, dimensions: int, reach: int) -> None:
        super().__init__()
        self.first = nn.Parameter(torch.randn(width, dimensions) * SHARPNESS**0.5)
        self.second = nn.Parameter(torch.randn(width, dimensions) * SHARPNESS**0.5)
        self.phases = nn.Parameter(torch.rand(2, dimensions) * 2 * torch.pi)
        # Learnt, it leaves little but the next word: 1 point more on contrast sets, 2.4 less on PAWS-Wiki.
        self.register_buffer("reach", DECAY ** torch.arange(reach))

    def forward(
        self, features: torch.Tensor, pointed: Pointed, repeats: Repeats | None = None
    ) -> torch.Tensor:
        """Vectors, float32 [B, dimensions], of unit length; zero for a sentence without two different words.

        ``features`` float32 [B, W, width]; ``repeats`` changes nothing but the work.
        """
        links = self.links(features, pointed)
        words = features if repeats is None else features.flatten(0, 1)[repeats.first]
        first = torch.cos(words @ self.first + self.phases[0])
        second = torch.cos(words @ self.second + self.phases[1])
        if repeats is not None:
            first, second = F.embedding(repeats.numbers, first), F.embedding(repeats.numbers, second)
        parts = first * (evened(links - links.transpose(1, 2)) @ second)
        bound = parts.sum(dim=1)
        # A word repeated cancels but for rounding, which must not be made a vector of length 1.
        rounding = bound.norm(dim=1) < _ROUNDING * parts.norm(dim=2).sum(dim=1)
        return F.normalize(bound.masked_fill(rounding[:, None], 0.0), dim=1)

    def links(self, features: torch.Tensor, pointed: Pointed) -> torch.Tensor:
        """L, float32 [B, W, W], of ``features`` float32 [B, W, width]."""
        gates = pointed.gates.sigmoid()
        weights = gates * shares(features, gates)
        return weights[:, :, None] * reached(pointed, self.reach) * weights[:, None]


def structural_weights(pointed: Pointed, weight: float, growth: float) -> torch.Tensor:
    """The weights of structural vectors in joint ones, float32 [B]: weight * (n / TYPICAL_LENGTH)^growth.

    n is the number of content words, the sum of the gates. The more words a mean is of, the less it tells
    who did what, so the structural vector is to count more in a long sentence.
    """
    words = pointed.gates.sigmoid().sum(dim=1)
    return weight * (words.clamp(min=1.0) / TYPICAL_LENGTH) ** growth


class WordFeatures(nn.Module):
    """What a word is, whatever its place: its input embedding without what all words have in common.

    The mean and the two main directions of the backbone's table are removed (Mu & Viswanath 2018), and the
    length is 1.
    """

    mean: torch.Tensor
    common: torch.Tensor

    def __init__(self, width: int, directions: int = 2) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(width))
        self.register_buffer("common", torch.zeros(width, directions))

    @torch.no_grad()
    def learn(self, table: torch.Tensor) -> None:
        """Take what all rows of a table [vocabulary, width] have in common."""
        table = table.float()
        self.mean.copy_(table.mean(dim=0))
        centred = table - self.mean
        _, directions = torch.linalg.eigh(centred.T @ centred)
        self.common.copy_(directions[:, -self.common.shape[1] :])

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        """From mean input embeddings of words, float32 [B, W, width], to unit vectors."""
        words = words - self.mean
        return F.normalize(words - (words @ self.common) @ self.common.T, dim=-1)


class Sizes(NamedTuple):
    """What ``Heads`` are made of."""

    width: int  # D, of a backbone's states
    embedding: int  # E, of its input embeddings
    pointer_size: int
    dimensions: int  # of the structural vector
    reach: int
    reads: int  # the backbone's layer whose states the reader reads; 0: the embeddings
    layers: int  # of the reader
    heads: int  # of its attention
    inner: int  # width of its feed-forward parts


class Heads(nn.Module):
    """From the states of a backbone's words to pointers and a structural vector."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.sizes = sizes
        self.features = WordFeatures(sizes.embedding)
        self.reader = Reader(sizes.width, sizes.inner, sizes.layers, sizes.heads)
        self.pointers = Pointers(sizes.width, sizes.pointer_size)
        self.binding = Binding(sizes.embedding, sizes.dimensions, sizes.reach)

    def forward(
        self, states: torch.Tensor, features: torch.Tensor, real: torch.Tensor
    ) -> tuple[Pointed, torch.Tensor]:
        """Pointers, and structural vectors, float32 [B, dimensions], of length 1 or, without a pair, 0.

        Of B sentences of W words: the mean over a word's subwords of the states of layer ``sizes.reads``,
        [B, W, width], float32; word features [B, W, embedding] as ``self.features`` gives them; ``real``
        bool [B, W] is false at padding.
        """
        pointed = self.pointers(self.reader(states, real), real)
        return pointed, self.binding(features, pointed)

    def _apply(self, fn: Callable[[torch.Tensor], torch.Tensor], recurse: bool = True) -> "Heads":
        """They stay in float32, under a megabyte, where a model is made one of 16 bits."""

        def in_float32(tensor: torch.Tensor) -> torch.Tensor:
            found = fn(tensor)
            return found.float() if found.dtype in (torch.float16, torch.bfloat16) else found

        return super()._apply(in_float32, recurse)
