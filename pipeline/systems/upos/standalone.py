"""An exported ``upos`` model for sentence-transformers, which needs neither SynSem nor a parser.

``SentenceTransformer(FOLDER, trust_remote_code=True)`` loads it: the folder has a copy of this file, the
BiLSTM's weights and the tokenizer.
"""

import json
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from sentence_transformers.models import InputModule
from torch import nn
from torch.nn import functional as F

CONFIG, WEIGHTS = "bilstm.json", "bilstm.safetensors"
_LOWEST = -2.0  # below every output of an LSTM


class SyntacticEncoder(InputModule):
    """Text -> unit vector: the outputs of a BiLSTM over subwords, max-pooled (Liu et al. 2019, section 3.1).

    ``config`` has ``subwords``, ``embedding``, ``width`` (of one direction), ``layers`` and ``max_tokens``.
    """

    def __init__(self, tokenizer: Any, config: dict[str, int]) -> None:
        super().__init__()
        self.tokenizer, self.config = tokenizer, config
        self.embedding = nn.Embedding(config["subwords"], config["embedding"])
        self.lstm = nn.LSTM(
            config["embedding"], config["width"], config["layers"], batch_first=True, bidirectional=True
        )

    @property
    def max_seq_length(self) -> int:
        """Tokens of a text that are read, special tokens included."""
        return self.config["max_tokens"]

    @max_seq_length.setter
    def max_seq_length(self, tokens: int) -> None:
        self.config = self.config | {"max_tokens": int(tokens)}

    def get_embedding_dimension(self) -> int:
        """Dimensions of a vector."""
        return 2 * self.config["width"]

    get_sentence_embedding_dimension = get_embedding_dimension  # its name before sentence-transformers 6

    def preprocess(self, inputs: Any, prompt: str | None = None, **_: Any) -> dict[str, torch.Tensor]:
        """Token ids and mask of texts, int64 [n, L], with ``prompt`` in front of each."""
        texts = [(prompt or "") + text for text in inputs]
        options = {"padding": True, "truncation": True, "max_length": self.max_seq_length}
        encoding = self.tokenizer(texts, return_tensors="pt", **options)
        return {name: encoding[name] for name in ("input_ids", "attention_mask")}

    def tokenize(self, texts: Any, **options: Any) -> dict[str, torch.Tensor]:
        """``preprocess`` by its name before sentence-transformers 6."""
        return self.preprocess(texts, **options)

    def forward(self, features: dict[str, torch.Tensor], **_: Any) -> dict[str, torch.Tensor]:
        """Add ``sentence_embedding``, float [n, 2 * width] of length 1, to what ``preprocess`` gave."""
        lengths = features["attention_mask"].sum(dim=1).cpu()
        packed = nn.utils.rnn.pack_padded_sequence(
            self.embedding(features["input_ids"]), lengths, batch_first=True, enforce_sorted=False
        )
        states, _ = nn.utils.rnn.pad_packed_sequence(
            self.lstm(packed)[0], batch_first=True, padding_value=_LOWEST
        )
        return features | {"sentence_embedding": F.normalize(states.amax(dim=1), dim=1)}

    def save(self, output_path: str, *_: Any, **__: Any) -> None:
        """Write weights, tokenizer and settings; sentence-transformers copies this file."""
        folder = Path(output_path)
        self.tokenizer.save_pretrained(str(folder))
        save_file(self.state_dict(), folder / WEIGHTS)
        (folder / CONFIG).write_text(json.dumps(self.config, indent=2) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, model_name_or_path: str, **options: Any) -> "SyntacticEncoder":
        """Load from a folder or the Hugging Face hub."""
        from transformers import AutoTokenizer

        names = ("token", "cache_folder", "revision", "local_files_only")
        source = {name: options[name] for name in names if name in options}
        folder = Path(str(cls.load_dir_path(model_name_or_path, subfolder="", **source)))
        config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
        module = cls(AutoTokenizer.from_pretrained(str(folder), trust_remote_code=False), config)
        module.load_state_dict(load_file(folder / WEIGHTS))
        return module.eval()
