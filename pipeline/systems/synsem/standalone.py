"""An exported SynSem model for sentence-transformers, which needs neither SynSem nor a parser.

``SentenceTransformer(FOLDER, trust_remote_code=True)`` loads it: the folder has a copy of this file, of
``heads.py`` and of ``similarity.py``. Its vectors are those of the view that it was exported with, ``joint``
unless another was named; ``model_kwargs={"view": "structural"}`` of SentenceTransformer chooses another for
good, and ``encode(texts, view="structural")`` for one call. The semantic part of a joint vector comes first,
so that ``truncate_dim`` set to the backbone's width gives its direction.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file
from sentence_transformers.models import InputModule
from transformers import AutoModel, AutoTokenizer

# The files are in one folder, here and in an exported model.
from .heads import CONFIG, VIEWS, WEIGHTS, Heads, Network, Sizes, save
from .similarity import check_weight, similarity


class SynsemEncoder(InputModule):
    """Text -> unit vector of a view, in one pass of one network."""

    forward_kwargs = {"view"}  # noqa: RUF012 - further arguments of ``encode``, as the library asks

    def __init__(self, network: Network, tokenizer: Any, config: dict[str, Any]) -> None:
        super().__init__()
        self.network, self.tokenizer, self.config = network, tokenizer, config
        self.max_seq_length = int(config["max_tokens"])  # special tokens included

    def get_embedding_dimension(self) -> int:
        """Dimensions of a vector of the chosen view."""
        semantic, structural = int(self.config["width"]), int(self.config["dimensions"])
        return {"semantic": semantic, "structural": structural}.get(self.network.view, semantic + structural)

    get_sentence_embedding_dimension = get_embedding_dimension  # its name before sentence-transformers 6

    def preprocess(self, inputs: Any, prompt: str | None = None, **_: Any) -> dict[str, torch.Tensor]:
        """Token ids, mask and words of texts, int64 [n, L], with ``prompt`` in front of each."""
        texts = [(prompt or "") + text for text in inputs]
        options = {"padding": True, "truncation": True, "max_length": self.max_seq_length}
        encoding = self.tokenizer(texts, return_tensors="pt", **options)
        words = [
            [-1 if word is None else word for word in encoding.word_ids(row)] for row in range(len(texts))
        ]
        return {**encoding, "word_ids": torch.tensor(words, dtype=torch.int64)}

    tokenize = preprocess  # its name before sentence-transformers 6

    def forward(
        self, features: dict[str, torch.Tensor], view: str | None = None, **_: Any
    ) -> dict[str, torch.Tensor]:
        """Add ``sentence_embedding``, float32 [n, dimensions of the view], to what ``preprocess`` gave.

        Raises ValueError for a view that does not exist.
        """
        names = ("input_ids", "attention_mask", "word_ids")
        vectors = self.network(*(features[name] for name in names), view=_known(view or self.network.view))
        return features | {"sentence_embedding": vectors}

    def similarity_pairwise(self, a: Any, b: Any) -> torch.Tensor:
        """How alike joint vectors [n, D] are row by row, float32 [n]: about one topic, structure decides.

        ``model[0].similarity_pairwise`` of a SentenceTransformer, whose own has the cosine.
        """
        return torch.from_numpy(similarity(np.asarray(a), np.asarray(b), int(self.config["width"]))).float()

    def similarity(self, a: Any, b: Any) -> torch.Tensor:
        """As ``similarity_pairwise``, of each of n vectors with each of m: float32 [n, m]."""
        return torch.stack([self.similarity_pairwise(row, b) for row in np.asarray(a)])

    def save(self, output_path: str, *_: Any, **__: Any) -> None:
        """Write backbone, heads, tokenizer and settings; sentence-transformers copies both files."""
        network = self.network
        chosen = {"max_tokens": self.max_seq_length, "view": network.view, "weight": network.weight}
        save(network, self.tokenizer, self.config | chosen, Path(output_path))

    @classmethod
    def load(cls, model_name_or_path: str, **options: Any) -> "SynsemEncoder":
        """Load from a folder or the Hugging Face hub.

        ``model_kwargs`` may name a ``view``, the ``weight`` of the structural vector in the joint one, and a
        ``dtype`` of torch, which is the backbone's: the heads stay in float32. Raises ValueError for a
        view or ``backend`` that does not exist, and for a weight out of range.
        """
        if (backend := options.get("backend") or "torch") != "torch":
            raise ValueError(f"backend: {backend!r} is not there; take torch, or `synsem export --onnx`")
        names = {"token", "cache_folder", "revision", "local_files_only"} & options.keys()
        source = {name: options[name] for name in names}
        network, tokenizer, config = restore(cls.load_dir_path(model_name_or_path, subfolder="", **source))
        chosen = options.get("model_kwargs") or {}
        network.view = _known(chosen.get("view", network.view))
        network.weight = check_weight(chosen.get("weight", network.weight))
        dtype = chosen.get("dtype", chosen.get("torch_dtype"))
        if dtype not in (None, "auto"):
            network.to(getattr(torch, dtype) if isinstance(dtype, str) else dtype)
        return cls(network, tokenizer, config)


def restore(folder: str | Path) -> tuple[Network, Any, dict[str, Any]]:
    """Load network, tokenizer and settings from a folder, in evaluation mode."""
    config = json.loads(Path(folder, CONFIG).read_text(encoding="utf-8"))
    try:
        backbone = AutoModel.from_pretrained(folder, trust_remote_code=False, add_pooling_layer=False)
    except TypeError:  # a family that has no pooler to leave out
        backbone = AutoModel.from_pretrained(folder, trust_remote_code=False)
    heads = Heads(Sizes(*(config[name] for name in Sizes._fields)))
    heads.load_state_dict(load_file(Path(folder, WEIGHTS)))
    network = Network(backbone.float(), heads, config["pooling"], config["weight"], config["view"])
    return network.eval(), AutoTokenizer.from_pretrained(folder, trust_remote_code=False), config


def _known(view: str) -> str:
    if view not in VIEWS:
        raise ValueError(f"view: {view!r} is not there; choose from {', '.join(VIEWS)}")
    return view
