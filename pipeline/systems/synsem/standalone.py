"""An exported SynSem model for sentence-transformers, which needs neither SynSem nor a parser.

``SentenceTransformer(FOLDER, trust_remote_code=True)`` loads it: the folder has a copy of this file and of
``network.py``. Its vectors are the joint ones, the semantic part first, so ``truncate_dim`` set to the
backbone's width gives the semantic vector.
"""

from pathlib import Path
from typing import Any

import torch
from sentence_transformers.models import InputModule

from .network import Network, restore, save  # both files lie side by side, here and in an exported folder


class SynsemEncoder(InputModule):
    """Text -> unit vector, in one pass of one network."""

    def __init__(self, network: Network, tokenizer: Any, config: dict[str, Any]) -> None:
        super().__init__()
        self.network, self.tokenizer, self.config = network, tokenizer, config

    @property
    def max_seq_length(self) -> int:
        """Tokens of a text that are read, special tokens included."""
        return int(self.config["max_tokens"])

    def get_embedding_dimension(self) -> int:
        """Dimensions of a vector."""
        return int(self.config["width"] + self.config["dimensions"])

    get_sentence_embedding_dimension = get_embedding_dimension  # its name before sentence-transformers 6

    def preprocess(self, inputs: Any, prompt: str | None = None, **_: Any) -> dict[str, torch.Tensor]:
        """Token ids, mask and words of texts, int64 [n, L], with ``prompt`` in front of each."""
        texts = [(prompt or "") + text for text in inputs]
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

    def forward(self, features: dict[str, torch.Tensor], **_: Any) -> dict[str, torch.Tensor]:
        """Add ``sentence_embedding``, float32 [n, D + dimensions], to what ``preprocess`` gave."""
        names = ("input_ids", "attention_mask", "word_ids")
        return features | {"sentence_embedding": self.network(*(features[name] for name in names))}

    def save(self, output_path: str, *_: Any, **__: Any) -> None:
        """Write backbone, heads, tokenizer and settings; sentence-transformers copies the two files."""
        save(self.network, self.tokenizer, self.config, Path(output_path))

    @classmethod
    def load(cls, model_name_or_path: str, **options: Any) -> "SynsemEncoder":
        """Load from a folder or the Hugging Face hub."""
        source = {
            name: options[name]
            for name in ("token", "cache_folder", "revision", "local_files_only")
            if name in options
        }
        folder = cls.load_dir_path(model_name_or_path, subfolder="", **source)
        assert folder is not None
        network, tokenizer, config = restore(Path(folder))
        return cls(network, tokenizer, config)
