"""An exported SynSem model for sentence-transformers, which needs neither SynSem nor a parser.

``SentenceTransformer(FOLDER, trust_remote_code=True)`` loads it: the folder has a copy of this file and of
``heads.py``. Its vectors are those of the view that it was exported with, ``joint`` unless another was named;
``model_kwargs={"view": "structural"}`` of SentenceTransformer chooses another for good, and
``encode(texts, view="structural")`` for one call. The semantic part of a joint vector comes first, so that
``truncate_dim`` set to the backbone's width gives its direction.
"""

import json
from numbers import Integral
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from sentence_transformers.models import InputModule
from transformers import AutoModel, AutoTokenizer

# Both files lie side by side, here and in an exported folder.
from .heads import CONFIG, VIEWS, WEIGHTS, Heads, Network, Sizes, check_weight, save


class SynsemEncoder(InputModule):
    """Text -> unit vector of a view, in one pass of one network."""

    forward_kwargs = {"view"}  # noqa: RUF012 - further arguments of ``encode``, as the library asks

    def __init__(self, network: Network, tokenizer: Any, config: dict[str, Any]) -> None:
        super().__init__()
        self.network, self.tokenizer, self.config = network, tokenizer, config

    @property
    def max_seq_length(self) -> int:
        """Tokens of a text that are read, special tokens included."""
        return int(self.config["max_tokens"])

    @max_seq_length.setter
    def max_seq_length(self, tokens: int) -> None:
        if not isinstance(tokens, Integral):
            raise ValueError(f"max_seq_length: {tokens!r} is no whole number")
        room = _room(self.network.backbone, int(tokens))
        if not 2 <= tokens <= room:
            raise ValueError(f"max_seq_length: {tokens} is not between 2 and the encoder's {room} positions")
        self.config = self.config | {"max_tokens": int(tokens)}

    def get_embedding_dimension(self) -> int:
        """Dimensions of a vector of the chosen view."""
        semantic, structural = int(self.config["width"]), int(self.config["dimensions"])
        return {"semantic": semantic, "structural": structural}.get(self.network.view, semantic + structural)

    get_sentence_embedding_dimension = get_embedding_dimension  # its name before sentence-transformers 6

    def preprocess(self, inputs: Any, prompt: str | None = None, **_: Any) -> dict[str, torch.Tensor]:
        """Token ids, mask and words of texts, int64 [n, L], with ``prompt`` in front of each.

        Raises ValueError for what is no text.
        """
        texts = [(prompt or "") + _text(text) for text in inputs]
        encoding = self.tokenizer(
            texts, padding=True, truncation=True, max_length=self.max_seq_length, return_tensors="pt"
        )
        words = [
            [-1 if word is None else word for word in encoding.word_ids(row)] for row in range(len(texts))
        ]
        return {
            "input_ids": encoding["input_ids"],
            "attention_mask": encoding["attention_mask"],
            "word_ids": torch.tensor(words, dtype=torch.int64),
        }

    def tokenize(self, texts: Any, **options: Any) -> dict[str, torch.Tensor]:
        """``preprocess`` by its name before sentence-transformers 6."""
        return self.preprocess(texts, **options)

    def forward(
        self, features: dict[str, torch.Tensor], view: str | None = None, **_: Any
    ) -> dict[str, torch.Tensor]:
        """Add ``sentence_embedding``, float32 [n, dimensions of the view], to what ``preprocess`` gave.

        Raises ValueError for a view that is not there.
        """
        names = ("input_ids", "attention_mask", "word_ids")
        vectors = self.network(*(features[name] for name in names), view=_known(view or self.network.view))
        return features | {"sentence_embedding": vectors}

    def save(self, output_path: str, *_: Any, **__: Any) -> None:
        """Write backbone, heads, tokenizer and settings; sentence-transformers copies both files."""
        save(self.network, self.tokenizer, self.config, Path(output_path))

    @classmethod
    def load(cls, model_name_or_path: str, **options: Any) -> "SynsemEncoder":
        """Load from a folder or the Hugging Face hub.

        ``model_kwargs`` may name a ``view``, the ``weight`` of the structural vector in the joint one, and a
        ``dtype``, such as ``torch.float16`` or "float16". The dtype is the backbone's: the heads stay in
        float32. Raises ValueError for a view, a dtype or a ``backend`` that is not there, and for what is no
        weight.
        """
        backend = options.get("backend") or "torch"
        if backend != "torch":
            raise ValueError(f"backend: {backend!r} is not there; take torch, or `synsem export --onnx`")
        source = {
            name: options[name]
            for name in ("token", "cache_folder", "revision", "local_files_only")
            if name in options
        }
        folder = cls.load_dir_path(model_name_or_path, subfolder="", **source)
        assert folder is not None
        network, tokenizer, config = restore(Path(folder))
        chosen = options.get("model_kwargs") or {}
        network.view = _known(chosen.get("view", network.view))
        network.weight = check_weight(chosen.get("weight", network.weight))
        dtype = chosen.get("dtype", chosen.get("torch_dtype"))
        if dtype not in (None, "auto"):
            network.to(_dtype(dtype))
        return cls(network, tokenizer, config | {"view": network.view, "weight": network.weight})


def restore(folder: Path) -> tuple[Network, Any, dict[str, Any]]:
    """Load network, tokenizer and settings from a folder, in evaluation mode."""
    config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    try:
        backbone = AutoModel.from_pretrained(str(folder), trust_remote_code=False, add_pooling_layer=False)
    except TypeError:  # a family that has no pooler to leave out
        backbone = AutoModel.from_pretrained(str(folder), trust_remote_code=False)
    heads = Heads(Sizes(*(config[name] for name in Sizes._fields)))
    heads.load_state_dict(load_file(str(folder / WEIGHTS)))
    settings = (config[name] for name in ("pooling", "weight", "view"))
    network = Network(backbone.float(), heads, *settings)
    tokenizer = AutoTokenizer.from_pretrained(str(folder), trust_remote_code=False)
    return network.eval(), tokenizer, config


def _room(encoder: Any, otherwise: int) -> int:
    """Positions of a sentence's tokens; RoBERTa and its relatives count them from padding + 1."""
    positions = getattr(encoder.config, "max_position_embeddings", None) or 0
    if positions <= 0:  # distances are counted: a T5 has no such number, an XLNet says -1
        return otherwise
    table = getattr(getattr(encoder, "embeddings", None), "position_embeddings", None)
    padding = getattr(table, "padding_idx", None)
    return int(positions) - (0 if padding is None else padding + 1)


def _text(text: Any) -> str:
    if not isinstance(text, str) or any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError(f"inputs: {text!r} is no text, or has half a character; give strings")
    return text


def _dtype(name: Any) -> torch.dtype:
    found = getattr(torch, name, None) if isinstance(name, str) else name
    if not isinstance(found, torch.dtype) or not found.is_floating_point:
        raise ValueError(f"dtype: {name!r} is not there; choose from float32, float16, bfloat16")
    return found


def _known(view: str) -> str:
    if view not in VIEWS:
        raise ValueError(f"view: {view!r} is not there; choose from {', '.join(VIEWS)}")
    return view
