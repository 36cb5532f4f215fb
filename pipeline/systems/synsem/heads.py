"""SynSem's network: which word follows which, and the vector that binds words in that order.

An exported model carries a copy of this file, so it imports nothing of SynSem.

``LinkEncoder`` branches off from one of the backbone's lower layers; the backbone itself is not trained.
``SuccessorHead`` predicts which content word follows each word in role order (a biaffine attention, as in
Dozat & Manning 2017), ``content_head`` whether a word is a content word. ``StructuralPooling`` turns word
features and these links into one vector whose inner products count, softly, which ordered pairs of words two
sentences share (tensor products, Smolensky 1990; distributed tree kernels, Zanzotto & Dell'Arciprete 2012).
"""

import json
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

CONFIG, WEIGHTS = "synsem.json", "heads.safetensors"
VIEWS = ("semantic", "structural", "joint")
# Of two words one link further apart. With 1 the contrast sets lose 4 points. The late score has its own.
DECAY = 0.7
# Two words of similarity x count as exp(SHARPNESS (x - 1)): 1 if equal, little if merely related.
SHARPNESS = 4.0
# Two words of similarity x count as one word repeated by exp(_SAME (x - 1)): near 0 unless they are equal.
_SAME = 16.0
_WEAK = 0.05  # smaller norms of links count as this, so that a word with hardly a link is not blown up
# Content words of a sentence in which the structural vector has just the weight asked for.
TYPICAL_LENGTH = 6.0
# The structural vector's weight grows with this power of the number of content words: the more words a mean
# is of, the less it tells who did what.
GROWTH = 0.25
_ROUNDING = 1e-5  # what is smaller than this, next to the terms that it is the sum of, is rounding


class Links(NamedTuple):
    """Predictions for B sentences of W words."""

    content: Tensor  # float32 [B, W], logit of being a content word; the lowest float at padding
    successors: Tensor  # float32 [B, W, W + 1], logits of the next word; the last column is none


class Reading(NamedTuple):
    """What one pass makes of B sentences of W words."""

    semantic: Tensor  # float32 [B, D], of length 1
    structural: Tensor  # float32 [B, dimensions], of length 1; 0 without two content words
    joint: Tensor  # float32 [B, D + dimensions], both, concatenated and normalised
    links: Links
    features: Tensor  # float32 [B, W, E], what each word is, whatever its place
    states: Tensor  # float32 [B, W, D], of words, in the backbone's last layer


def _gelu(states: Tensor) -> Tensor:
    """GELU by the error function, in training and in use.

    Given ``F.gelu`` itself, torch fuses a layer that needs no gradient, with the tanh approximation on CUDA.
    """
    return F.gelu(states)


class LinkEncoder(nn.Module):
    """Transformer layers over words, which branch off from one of a backbone's lower layers.

    A backbone trained for sentence similarity has what a parser needs in its lower and middle layers. So it
    need not be trained, and its own sentence vector stays as it was.
    """

    def __init__(self, width: int, inner: int, layers: int, heads: int) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(
            width, heads, inner, dropout=0.0, activation=_gelu, layer_norm_eps=1e-12, batch_first=True
        )
        self.body = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)

    def forward(self, states: Tensor, real: Tensor) -> Tensor:
        """Encode word states [B, W, D]; ``real``, bool [B, W], is false at padding."""
        # A text without a word would have nothing to attend to.
        hidden = ~real & real.any(dim=1, keepdim=True)
        return self.body(states, src_key_padding_mask=hidden)


class SuccessorHead(nn.Module):
    """The next content word of each word, or none."""

    def __init__(self, width: int, size: int) -> None:
        super().__init__()
        self.query, self.key = nn.Linear(width, size), nn.Linear(width, size)
        self.none = nn.Parameter(torch.zeros(size))

    def forward(self, states: Tensor, real: Tensor) -> Tensor:
        """Logits, float32 [B, W, W + 1], from word states [B, W, D] and ``real``, bool [B, W]."""
        query, key = F.gelu(self.query(states)), F.gelu(self.key(states))
        # `len` would fix the number of sentences; ONNX export would have to trace Python itself, slowly.
        key = torch.cat([key, self.none.expand(key.shape[0], 1, -1)], dim=1)
        logits: Tensor = query @ key.transpose(1, 2) * query.shape[-1] ** -0.5
        itself = torch.eye(real.shape[1], dtype=torch.bool, device=real.device)
        hidden = F.pad(~real[:, None] | itself, (0, 1))  # no word follows itself, and padding follows none
        return logits.masked_fill(hidden, torch.finfo(logits.dtype).min)


def reached(links: Links, weights: Tensor) -> Tensor:
    """A = sum over k of r_k a^k, float32 [B, W, W]: what follows each word; ``weights`` are r [distance]."""
    step = links.successors.softmax(dim=2)[..., :-1]
    found, power = weights[0] * step, step
    for weight in weights[1:]:
        power = power @ step
        found = found + weight * power
    return found


def shares(features: Tensor, content: Tensor) -> Tensor:
    """1 / how often a word's like occurs among the content words of its sentence, float32 [B, W].

    Without it, a word that a sentence repeats would count many times over.
    """
    alike = (features @ features.transpose(1, 2)).clamp(max=1.0)
    same = torch.exp(_SAME * (alike - 1))
    return 1 / (same @ content[..., None]).squeeze(-1).clamp(min=1.0)


def evened(links: Tensor) -> Tensor:
    """L_ij / (n_i n_j)^(1/4), float32 [B, W, W], n_i the norm of all links to and from word i.

    Words between others have more links than those at the ends of a sentence, and would count for more.
    """
    squares = links.square()
    sizes = (squares.sum(dim=2) + squares.sum(dim=1)).clamp(min=_WEAK**2) ** 0.125
    return links / (sizes[:, :, None] * sizes[:, None])


class StructuralPooling(nn.Module):
    """v = sum over i, j of S_ij p(x_i) * q(x_j), S = evened(L - L^T), L_ij = c_i g_i A_ij g_j c_j.

    x are word features, g probabilities of being a content word, c ``shares``, A = sum over k of r_k a^k with
    a the probabilities of successors (without none). An exchange of two words changes the sign of their part;
    words that two sentences share add nothing but in order.

    p(x) = cos(P x + b) and q likewise are random features of a Gaussian kernel (Rahimi & Recht 2007), until
    they are trained: the inner product of p(x) and p(y) is large if x and y are nearly the same word.
    """

    def __init__(self, width: int, dimensions: int, max_link_distance: int) -> None:
        super().__init__()
        self.first = nn.Parameter(torch.randn(width, dimensions) * SHARPNESS**0.5)
        self.second = nn.Parameter(torch.randn(width, dimensions) * SHARPNESS**0.5)
        self.phases = nn.Parameter(torch.rand(2, dimensions) * 2 * torch.pi)
        # Learnt, it leaves little but the next word: 1 point more on contrast sets, 2.4 less on PAWS-Wiki.
        self.register_buffer("decay", DECAY ** torch.arange(max_link_distance))

    def forward(self, features: Tensor, links: Links) -> Tensor:
        """Vectors, float32 [B, dimensions], of unit length; zero for a sentence without two different words.

        ``features`` float32 [B, W, width].
        """
        content = links.content.sigmoid()
        weights = content * shares(features, content)
        linked = weights[:, :, None] * reached(links, self.decay) * weights[:, None]
        first = torch.cos(features @ self.first + self.phases[0])
        second = torch.cos(features @ self.second + self.phases[1])
        parts = first * (evened(linked - linked.transpose(1, 2)) @ second)
        bound = parts.sum(dim=1)
        # A word repeated cancels but for rounding, which must not be made a vector of length 1.
        rounding = bound.norm(dim=1) < _ROUNDING * parts.norm(dim=2).sum(dim=1)
        return F.normalize(bound.masked_fill(rounding[:, None], 0.0), dim=1)


def _float32(tensor: Tensor) -> AbstractContextManager[Any]:
    """Compute in float32 within, whatever autocast there is around; a graph for export has none."""
    if torch.compiler.is_exporting():
        return nullcontext()
    return torch.autocast(tensor.device.type, enabled=False)


def _places(word_ids: Tensor) -> Tensor:
    """Which token belongs to which of W words, bool [B, W, L], from ``word_ids`` int64 [B, L]."""
    # The number of words, or of tokens if a graph cannot know that or a GPU would have to wait for it.
    known = word_ids.device.type == "cpu" and not torch.compiler.is_exporting()
    size = max(1, int(word_ids.max()) + 1) if known else word_ids.shape[1]
    return word_ids[:, None] == torch.arange(size, device=word_ids.device)[:, None]


def pooled_words(states: Tensor, word_ids: Tensor) -> Tensor:
    """The mean over the tokens of each word, float32 [B, W, D], of states [B, L, D]; 0 for a word without."""
    share = _places(word_ids).float()
    return (share / share.sum(dim=2, keepdim=True).clamp(min=1)) @ states.float()


class WordFeatures(nn.Module):
    """What a word is, whatever its place: its input embedding without what all words have in common.

    The mean and the two main directions of the backbone's table are removed (Mu & Viswanath 2018), and the
    length is 1.
    """

    mean: Tensor
    common: Tensor

    def __init__(self, width: int, directions: int = 2) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(width))
        self.register_buffer("common", torch.zeros(width, directions))

    @torch.no_grad()
    def learn(self, table: Tensor) -> None:
        """Take what all rows of a table [vocabulary, width] have in common."""
        table = table.float()
        self.mean.copy_(table.mean(dim=0))
        centred = table - self.mean
        _, directions = torch.linalg.eigh(centred.T @ centred)
        self.common.copy_(directions[:, -self.common.shape[1] :])

    def forward(self, words: Tensor) -> Tensor:
        """From mean input embeddings of words, float32 [B, W, width], to unit vectors."""
        words = words - self.mean
        return F.normalize(words - (words @ self.common) @ self.common.T, dim=-1)


class Sizes(NamedTuple):
    """What ``Heads`` are made of."""

    width: int  # D, of a backbone's states
    embedding: int  # E, of its input embeddings
    successor_size: int
    dimensions: int  # of the structural vector
    max_link_distance: int  # of bound words, in content words
    input_layer: int  # the backbone's layer whose states the link encoder reads; 0: the embeddings
    layers: int  # of the link encoder
    attention_heads: int  # of the link encoder
    inner: int  # width of its feed-forward parts


class Heads(nn.Module):
    """From the states of a backbone's words to links and a structural vector."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.sizes = sizes
        self.features = WordFeatures(sizes.embedding)
        self.link_encoder = LinkEncoder(sizes.width, sizes.inner, sizes.layers, sizes.attention_heads)
        self.successor_head = SuccessorHead(sizes.width, sizes.successor_size)
        self.content_head = nn.Linear(sizes.width, 1)
        pooled = (sizes.embedding, sizes.dimensions, sizes.max_link_distance)
        self.structural_pooling = StructuralPooling(*pooled)

    def links(self, states: Tensor, word_ids: Tensor) -> Links:
        """Predict links from token states of layer ``sizes.input_layer``, [B, L, D].

        ``word_ids`` int64 [B, L] is the 0-based word of each token, -1 for none.
        """
        with _float32(states):
            words = pooled_words(states, word_ids)
            real = _places(word_ids).any(dim=2)
        encoded = self.link_encoder(words, real)
        with _float32(states):
            successors = self.successor_head(encoded.float(), real)
            content = self.content_head(encoded.float()).squeeze(-1)
            return Links(content.masked_fill(~real, torch.finfo(content.dtype).min), successors)

    def bind(self, embedded: Tensor, word_ids: Tensor, links: Links) -> tuple[Tensor, Tensor]:
        """Structural vectors, float32 [B, dimensions], and word features [B, W, E].

        ``embedded`` [B, L, E] are the input embeddings of the tokens.
        """
        with _float32(embedded):
            features = self.features(pooled_words(embedded, word_ids))
            return self.structural_pooling(features, links), features

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> "Heads":
        """Stay in float32 when a model is converted to 16 bits."""

        def in_float32(tensor: Tensor) -> Tensor:
            found = fn(tensor)
            return found.float() if found.dtype in (torch.float16, torch.bfloat16) else found

        return super()._apply(in_float32, recurse)


class Network(nn.Module):
    """Token ids to vectors of a view, one of ``VIEWS``: backbone and heads."""

    def __init__(self, backbone: Any, heads: Heads, pooling: str, weight: float, view: str = "joint") -> None:
        super().__init__()
        self.backbone, self.heads, self.pooling = backbone, heads, pooling
        self.weight, self.view = weight, view

    def forward(self, input_ids: Tensor, attention_mask: Tensor, word_ids: Tensor, view: str = "") -> Tensor:
        """Return vectors of ``view``, by default the network's own; float32 [B, D + dimensions] if joint.

        They have length 1; a ``structural`` vector is zero for a text without two content words. Tensors
        given are int64 [B, L]; ``word_ids`` is the 0-based word of each token, -1 for none.
        """
        view = view or self.view
        if view == "semantic":
            states = self.backbone(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
            return self._semantic(states, attention_mask)
        return getattr(self.read(input_ids, attention_mask, word_ids), view)

    def read(self, input_ids: Tensor, attention_mask: Tensor, word_ids: Tensor) -> Reading:
        """Return all that one pass makes of a batch; see ``forward``.

        The structural vector's weight in the joint one is ``weight`` * (n / TYPICAL_LENGTH)^GROWTH, with n
        the number of content words: the sum of their probabilities. A text without two words that are more
        likely content words than not has no structure: the joint vector is the semantic one.
        """
        found = self.backbone(input_ids=input_ids, attention_mask=attention_mask, output_hidden_states=True)
        links = self.heads.links(found.hidden_states[self.heads.sizes.input_layer], word_ids)
        embedded = self.backbone.get_input_embeddings()(input_ids)
        structural, features = self.heads.bind(embedded, word_ids, links)
        structural = structural * ((links.content > 0).sum(dim=1, keepdim=True) > 1)
        states = found.last_hidden_state
        with _float32(states):
            semantic, words = self._semantic(states, attention_mask), pooled_words(states, word_ids)
            length = links.content.sigmoid().sum(dim=1, keepdim=True).clamp(min=1.0)
            weights = self.weight * (length / TYPICAL_LENGTH) ** GROWTH
            joint = F.normalize(torch.cat([semantic, weights * structural], dim=1), dim=1)
        return Reading(semantic, structural, joint, links, features, words)

    def _semantic(self, states: Tensor, mask: Tensor) -> Tensor:
        """Unit vectors [B, D] of token states [B, L, D]."""
        states, real = states.float(), mask[..., None].float()
        if self.pooling == "cls":
            pooled = states[:, 0]
        elif self.pooling == "max":
            pooled = states.masked_fill(real == 0, torch.finfo(states.dtype).min).amax(dim=1)
        else:
            pooled = (states * real).sum(dim=1) / real.sum(dim=1)
        return F.normalize(pooled, dim=1)

    def __getstate__(self) -> dict[str, Any]:
        """Replace the backbone by its configuration and weights: its hooks belong to one process."""
        modules = {name: module for name, module in self._modules.items() if name != "backbone"}
        own = self.backbone
        pack = (type(own), own.config, own.state_dict(), own.dtype, own.device, own.training)
        return self.__dict__ | {"_modules": modules, "backbone": pack}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Make the backbone anew, as in a worker of ``encode`` with several processes."""
        kind, config, weights, dtype, device, training = state.pop("backbone")
        backbone = kind(config).to(device=device, dtype=dtype).train(training)
        backbone.load_state_dict(weights, strict=False)  # it may lack a pooler, which is not read
        super().__setstate__(state | {"_modules": {"backbone": backbone} | state["_modules"]})


def save(network: Network, tokenizer: Any, config: dict[str, Any], folder: Path) -> None:
    """Write what ``restore`` reads."""
    from safetensors.torch import save_file

    network.backbone.save_pretrained(str(folder))
    tokenizer.save_pretrained(str(folder))
    weights = {name: value.contiguous() for name, value in network.heads.state_dict().items()}
    save_file(weights, str(folder / WEIGHTS))
    (folder / CONFIG).write_text(json.dumps(config, indent=2, sort_keys=True) + "\n", encoding="utf-8")
