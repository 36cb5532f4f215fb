"""The semantic view as a plain sentence-transformers folder, which loads without this library."""

from pathlib import Path

from pipeline.errors import SynsemError
from pipeline.export.standalone import standalone, stands_alone
from pipeline.nn.backbone import quiet
from pipeline.nn.encoder import Encoder
from pipeline.store import write_json
from pipeline.systems.base import System

_MODULES = ("Transformer", ""), ("Pooling", "1_Pooling"), ("Normalize", "2_Normalize")
_POOLINGS = {"cls": "cls_token", "max": "max_tokens", "mean": "mean_tokens"}


def is_plain(encoder: Encoder | None) -> bool:
    """Whether sentence-transformers has all that a system's ``exported`` encoder does."""
    if encoder is None or encoder.needs_trees or not stands_alone(encoder.model):
        return False
    return encoder.pooling in _POOLINGS and encoder.position.position == "absolute"


def export_plain(system: System, folder: Path) -> None:
    """Write what ``SentenceTransformer(folder)`` loads; its vectors equal those of the semantic view.

    The layout (modules.json and a folder a module) is written by hand, so the library need not be installed.
    Raises SynsemError where the view is not plain.
    """
    encoder, tokeniser = system.exported, system.tokeniser
    if encoder is None or not is_plain(encoder):
        raise SynsemError(
            f"{folder}: {system.name} has no semantic view that sentence-transformers alone can run"
        )
    model = standalone(encoder.model)
    with quiet():
        model.save_pretrained(str(folder))
    tokeniser.tokenizer.save_pretrained(str(folder))
    modules = [
        {"idx": number, "name": str(number), "path": path, "type": f"sentence_transformers.models.{kind}"}
        for number, (kind, path) in enumerate(_MODULES)
    ]
    write_json(folder / "modules.json", modules)
    transformer: dict[str, object] = {"max_seq_length": tokeniser.max_tokens, "do_lower_case": False}
    if hasattr(model, "pooler"):  # trained without; asking for it would warn of missing weights
        transformer["model_args"] = {"add_pooling_layer": False}
    write_json(folder / "sentence_bert_config.json", transformer)
    write_json(
        folder / "1_Pooling" / "config.json",
        {
            "word_embedding_dimension": encoder.width,
            **{f"pooling_mode_{theirs}": encoder.pooling == ours for ours, theirs in _POOLINGS.items()},
        },
    )
    write_json(folder / "2_Normalize" / "config.json", {})  # an empty folder would be lost in a copy
    write_json(folder / "config_sentence_transformers.json", {"similarity_fn_name": "cosine"})
