"""The semantic view as a plain sentence-transformers folder, which loads without this library."""

from pathlib import Path

from pipeline.nn.backbone import quiet
from pipeline.store import write_json
from pipeline.systems.base import System

_MODULES = ("Transformer", ""), ("Pooling", "1_Pooling"), ("Normalize", "2_Normalize")


def export_sentence_transformer(system: System, folder: Path) -> None:
    """Write what ``SentenceTransformer(folder)`` loads; its vectors equal those of the semantic view.

    The layout (modules.json and a folder a module) is written by hand, so the library need not be installed.
    """
    encoder, tokeniser = system.semantic, system.tokeniser
    with quiet():
        encoder.model.save_pretrained(str(folder))
    tokeniser.tokenizer.save_pretrained(str(folder))
    modules = [
        {"idx": number, "name": str(number), "path": path, "type": f"sentence_transformers.models.{kind}"}
        for number, (kind, path) in enumerate(_MODULES)
    ]
    write_json(folder / "modules.json", modules)
    transformer: dict[str, object] = {"max_seq_length": tokeniser.max_tokens, "do_lower_case": False}
    if hasattr(encoder.model, "pooler"):  # trained without; asking for it would warn of missing weights
        transformer["model_args"] = {"add_pooling_layer": False}
    write_json(folder / "sentence_bert_config.json", transformer)
    write_json(
        folder / "1_Pooling" / "config.json",
        {
            "word_embedding_dimension": encoder.width,
            "pooling_mode_cls_token": encoder.pooling == "cls",
            "pooling_mode_mean_tokens": encoder.pooling == "mean",
        },
    )
    write_json(folder / "2_Normalize" / "config.json", {})  # an empty folder would be lost in a copy
    write_json(folder / "config_sentence_transformers.json", {"similarity_fn_name": "cosine"})
