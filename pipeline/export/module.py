"""The sentence-transformers module that parses its texts and embeds them with one of a system's views.

``modules.json`` of an exported folder names ``synsem.parsed_encoder.ParsedEncoder``: that name can be
imported wherever SynSem is installed.
"""

from collections.abc import Sequence
from dataclasses import replace
from numbers import Integral
from pathlib import Path
from typing import Any

import torch
from sentence_transformers.models import InputModule

from pipeline.core.errors import SynsemError
from pipeline.core.store import write_json
from pipeline.export.sentence_transformers import CONFIG, MODULE, SUBFOLDER, parser_of_view, require
from pipeline.export.text_encoder import parsed, ready
from pipeline.nn.backbone import Backbone
from pipeline.params import Parse
from pipeline.systems import registry
from pipeline.systems.base import System, check_length


class ParsedEncoder(InputModule):
    """Text -> tree -> unit vector of a view. For inference: no gradient goes through it.

    Raises SynsemError where the system lacks the view or the parser is not installed.
    """

    # sentence-transformers writes this name when it saves the model again.
    __module__ = MODULE.rpartition(".")[0]
    config_file_name = CONFIG
    save_in_root = False

    def __init__(self, system: System, view: str, parse: Parse) -> None:
        super().__init__()
        self.system, self.view, self.parse = system, view, parse
        self.tokenizer = system.tokenizer.hf_tokenizer
        self.width = require(system, view, "model")
        ready(parse)  # a missing parser is an error now, not at the first text

    def get_config_dict(self) -> dict[str, Any]:
        """What ``view.json`` holds."""
        return {"view": self.view, "parse": self.parse.model_dump()}

    @property
    def max_seq_length(self) -> int:
        """Tokens of a text that are read, special tokens included."""
        return self.system.tokenizer.max_tokens

    @max_seq_length.setter
    def max_seq_length(self, tokens: int) -> None:
        backbone = Backbone(getattr(self.system.exported, "model", None), self.system.tokenizer)
        if not isinstance(tokens, Integral):
            raise SynsemError(f"max_seq_length: {tokens!r} is no whole number; give one")
        tokens = int(tokens)
        if tokens < 2:
            raise SynsemError(f"max_seq_length: {tokens} leaves no word; give at least 2")
        check_length(backbone, tokens, "max_seq_length")
        settings = self.system.settings
        encoder = settings.encoder.model_copy(update={"max_tokens": tokens})
        self.system.settings = replace(settings, encoder=encoder)
        self.system.tokenizer.max_tokens = tokens

    def get_embedding_dimension(self) -> int:
        """Dimensions of a vector."""
        return self.width

    get_sentence_embedding_dimension = get_embedding_dimension  # its name before sentence-transformers 6

    def preprocess(self, inputs: Sequence[str], prompt: str | None = None, **_: Any) -> dict[str, Any]:
        """Parse texts, one sentence each, with ``prompt`` in front."""
        for text in inputs:
            if not isinstance(text, str) or any("\ud800" <= each <= "\udfff" for each in text):
                raise SynsemError(f"inputs: {text!r} is no text, or has half a character; give strings")
        texts = [(prompt or "") + text for text in inputs]
        return {"sentences": parsed(texts, self.parse, self.max_seq_length)}

    def tokenize(self, texts: Sequence[str], **options: Any) -> dict[str, Any]:
        """``preprocess`` by its name before sentence-transformers 6."""
        return self.preprocess(texts, **options)

    def forward(self, features: dict[str, Any], **_: Any) -> dict[str, Any]:
        """Add ``sentence_embedding``, float32 [n, D], to what ``preprocess`` gave."""
        vectors = self.system.embed(features["sentences"])[self.view]
        return features | {"sentence_embedding": torch.from_numpy(vectors).to(self.system.device)}

    def save(self, output_path: str, *_: Any, **__: Any) -> None:
        """Write the system, the view's name and the parser's to a folder."""
        folder = Path(output_path)
        registry.save(self.system, folder)
        write_json(folder / CONFIG, self.get_config_dict())

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
        backend: str = "torch",
        **_: Any,
    ) -> "ParsedEncoder":
        """Load from a folder or the Hugging Face hub.

        ``model_kwargs`` of SentenceTransformer may name another ``view`` of the system, or another parser:
        ``{"parse": {"models": {"en": "en_core_web_lg"}}}``. Raises SynsemError for a ``dtype`` but float32,
        which a system that reads trees computes in, and for a ``backend`` but torch.
        """
        if backend != "torch":
            raise SynsemError(f"backend: {backend!r} is not there, for its texts are parsed; take torch")
        source = {
            "subfolder": subfolder,
            "token": token,
            "cache_folder": cache_folder,
            "revision": revision,
            "local_files_only": local_files_only,
        }
        folder = cls.load_dir_path(model_name_or_path, **source)
        config = cls.load_config(model_name_or_path, **source)
        if folder is None or not config:
            raise SynsemError(f"{model_name_or_path}: has no {subfolder}/{CONFIG}; export the model again")
        changes = model_kwargs or {}
        dtype = changes.get("dtype", changes.get("torch_dtype"))
        if dtype not in (None, "auto", "float32", torch.float32):
            raise SynsemError(
                f"dtype: {dtype} is not there, {folder} computes in float32; take it out of model_kwargs"
            )
        if "parse" not in config:
            raise SynsemError(f"{folder}/{CONFIG}: has no 'parse'; export the model again")
        own = changes.get("parse", {})
        parse = parser_of_view(Path(folder) / CONFIG, config["parse"] | own, own.get("models", {}))
        return cls(registry.load(Path(folder)), changes.get("view", config["view"]), parse)
