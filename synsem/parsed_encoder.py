"""The sentence-transformers module that parses its texts and embeds them with one of a system's views.

Exported folders name it in ``modules.json``, so its name is the same in the repository and in a wheel.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from sentence_transformers.models import InputModule

from pipeline.core.errors import SynsemError
from pipeline.core.params import Parse
from pipeline.core.store import write_json
from pipeline.export.sentence_transformers import CONFIG, SUBFOLDER
from pipeline.export.texts import parser, readable
from pipeline.nn.backbone import Backbone
from pipeline.systems.base import System, check_length, registry
from pipeline.systems.views import require


class ParsedEncoder(InputModule):
    """Text -> tree -> unit vector of a view. For inference: no gradient goes through it.

    Raises SynsemError if the system lacks the view or the parser is not installed.
    """

    config_file_name = CONFIG
    save_in_root = False

    def __init__(self, system: System, view: str, parse: Parse) -> None:
        super().__init__()
        self.system, self.view, self.parse = system, view, parse
        self.tokenizer = system.tokenizer.hf_tokenizer
        self.width = require(system, view, "model")
        parser(parse)  # a missing parser is an error now, not at the first text

    def get_config_dict(self) -> dict[str, Any]:
        """Return what ``view.json`` holds."""
        return {"view": self.view, "parse": self.parse.model_dump()}

    @property
    def max_seq_length(self) -> int:
        """Tokens of a text that are read, special tokens included."""
        return self.system.tokenizer.max_tokens

    @max_seq_length.setter
    def max_seq_length(self, tokens: int) -> None:
        backbone = Backbone(getattr(self.system.exported, "model", None), self.system.tokenizer)
        check_length(backbone, tokens, "max_seq_length")
        settings = self.system.settings
        encoder = settings.encoder.model_copy(update={"max_tokens": tokens})
        self.system.settings = replace(settings, encoder=encoder)
        self.system.tokenizer.max_tokens = tokens

    def get_embedding_dimension(self) -> int:
        """Return the dimensions of a vector."""
        return self.width

    get_sentence_embedding_dimension = get_embedding_dimension  # its name before sentence-transformers 6

    def preprocess(self, inputs: Sequence[str], prompt: str | None = None, **_: Any) -> dict[str, Any]:
        """Parse texts, one sentence each, with ``prompt`` in front."""
        texts = [(prompt or "") + text for text in inputs]
        return {"sentences": readable(texts, self.parse, self.max_seq_length)}

    def tokenize(self, texts: Sequence[str], **options: Any) -> dict[str, Any]:
        """Do as ``preprocess``, by its name before sentence-transformers 6."""
        return self.preprocess(texts, **options)

    def forward(self, features: dict[str, Any], **_: Any) -> dict[str, Any]:
        """Add ``sentence_embedding``, float32 [n, D], to what ``preprocess`` gave."""
        vectors = self.system.embed(features["sentences"])[self.view]
        return features | {"sentence_embedding": torch.from_numpy(vectors).to(self.system.device)}

    def save(self, output_path: str, *_: Any, **__: Any) -> None:
        """Write the system, the view's name and the parser's to a folder."""
        registry.save(self.system, Path(output_path))
        write_json(Path(output_path) / CONFIG, self.get_config_dict())

    @classmethod
    def load(
        cls,
        model_name_or_path: str,
        subfolder: str = SUBFOLDER,
        token: bool | str | None = None,
        cache_folder: str | None = None,
        revision: str | None = None,
        local_files_only: bool = False,
        model_kwargs: dict[str, Any] | None = None,
        **_: Any,
    ) -> "ParsedEncoder":
        """Load from a folder or the Hugging Face hub.

        ``model_kwargs`` of SentenceTransformer may name another ``view`` of the system, or another parser:
        ``{"parse": {"models": {"en": "en_core_web_lg"}}}``. It computes in float32 whatever the ``dtype``.
        """
        source = {
            "subfolder": subfolder,
            "token": token,
            "cache_folder": cache_folder,
            "revision": revision,
            "local_files_only": local_files_only,
        }
        folder = cls.load_dir_path(model_name_or_path, **source)
        config = cls.load_config(model_name_or_path, **source)
        if folder is None or "parse" not in config:
            raise SynsemError(f"{model_name_or_path}: has no {subfolder}/{CONFIG}; export the model again")
        changes = model_kwargs or {}
        own = changes.get("parse", {})
        parse = Parse(**config["parse"] | own)
        return cls(registry.load(Path(folder)), changes.get("view", config["view"]), parse)
