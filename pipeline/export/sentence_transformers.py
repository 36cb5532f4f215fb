"""A trained model as folders for sentence-transformers, written by ``pretrain`` and ``synsem export``.

A view that is a plain transformer becomes a plain folder, which loads without this library. So does another
view that reads text alone, with its code in the folder. A view that reads trees becomes a folder that names
``synsem.parsed_encoder``, and loads if SynSem is installed. The files are written by hand, so training needs
no sentence-transformers.
"""

import inspect
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from pipeline.core.params import Parse, load, or_defaults
from pipeline.core.store import atomic_folder, read_json, write_json
from pipeline.export.card import NOTHING_KNOWN, About, Runs, about_model, card
from pipeline.nn.backbone import quiet
from pipeline.nn.encoder import Encoder
from pipeline.systems.base import System, registry, saved_paths
from pipeline.systems.views import require, usual_view, views

PLAIN, JOINT = "sentence-transformer", "sentence-transformer-joint"  # folders in a system's own
# The joint folder: its module, which is named and not imported, for training needs no sentence-transformers.
MODULE = "synsem.parsed_encoder.ParsedEncoder"
SUBFOLDER = "0_ParsedEncoder"
CONFIG = "view.json"
# The plain folder: its modules, and its names of our poolings.
_MODULES = ("Transformer", ""), ("Pooling", "1_Pooling"), ("Normalize", "2_Normalize")
_POOLINGS = {"cls": "cls_token", "max": "max_tokens", "mean": "mean_tokens"}
_T5 = ("t5", "mt5")


def export(
    system: System, folder: Path, facts: Mapping[str, Any], parse: Parse | None, about: About = NOTHING_KNOWN
) -> None:
    """Write ``folder/sentence-transformer`` and ``-joint`` after training, and a card into each folder.

    The first is of a view that is a plain transformer or the only one of a system that reads text alone; the
    second needs a joint view, and a parser if that reads trees. ``folder`` is the saved system's own;
    ``facts`` are its ``training.json``, and ``parse`` names the parser. The cards, a ``README.md`` each, have
    what is known before evaluation, and ``about``.
    """
    names = views(system)
    cards = {folder: card(system.settings, facts, None, about, Runs(parses=not system.reads_text_alone))}
    for place, view in ((PLAIN, system.exported_view), (JOINT, "joint")):
        if view not in names:
            continue
        runs = export_alone(system, folder / place, view)
        if runs is None and place == JOINT and parse is not None:
            runs = export_with_parser(folder, folder / place, view, parse)
        if runs is not None:
            cards[folder / place] = card(system.settings, facts, view, about, runs)
    for target, text in cards.items():
        (target / "README.md").write_text(text, encoding="utf-8")


def export_folder(
    model: Path, folder: Path, view: str | None, params: Path | None, data: Path, reports: Path
) -> str:
    """Write a sentence-transformers folder of one view, with the full card, to be shared or uploaded.

    Without a ``view`` it is joint, or the first of a system that has no joint one; returns the view. Raises
    SynsemError if the folder has something in it already or the system lacks the view.
    """
    system = registry.load(model)
    view = view or usual_view(views(system))
    require(system, view, model)
    with atomic_folder(folder) as partial:
        runs = export_alone(system, partial, view)
        runs = runs or export_with_parser(model, partial, view, parser_of(model, params))
        facts, about = read_json(model / "training.json"), about_model(model, data, reports)
        text = card(system.settings, facts, view, about, runs)
        (partial / "README.md").write_text(text, encoding="utf-8")
    return view


def parser_of(model: Path, params: Path | None) -> Parse:
    """Return the parser for a saved system's views that read trees.

    It is that of a parameter file if one is named, otherwise what the model was exported with, otherwise that
    of ./params.yaml or of the defaults.
    """
    exported = model / JOINT / SUBFOLDER / CONFIG
    if params is None and exported.exists():
        return Parse(**read_json(exported, "parse")["parse"])
    return load(or_defaults(params or Path("params.yaml")), "parse").parse


def is_plain(encoder: Encoder | None) -> bool:
    """Return whether sentence-transformers has all that a system's ``exported`` encoder does."""
    if encoder is None or encoder.needs_trees or encoder.position != "absolute":
        return False
    config = encoder.model.config
    whole = config.model_type in ("bart", *_T5) or not getattr(config, "is_encoder_decoder", False)
    return whole and encoder.pooling in _POOLINGS


def export_plain(system: System, folder: Path) -> None:
    """Write what ``SentenceTransformer(folder)`` loads; ``system.exported`` must be plain."""
    encoder, tokenizer = system.exported, system.tokenizer
    assert encoder is not None
    model = standalone(encoder.model)
    with quiet():
        model.save_pretrained(str(folder))
    tokenizer.hf_tokenizer.save_pretrained(str(folder))
    transformer: dict[str, object] = {"max_seq_length": tokenizer.max_tokens, "do_lower_case": False}
    if hasattr(model, "pooler"):  # trained without; asking for it would warn of missing weights
        transformer["model_args"] = {"add_pooling_layer": False}
    write_json(folder / "sentence_bert_config.json", transformer)
    pooling = {f"pooling_mode_{theirs}": encoder.pooling == ours for ours, theirs in _POOLINGS.items()}
    write_json(folder / "1_Pooling" / "config.json", {"word_embedding_dimension": encoder.width, **pooling})
    write_json(folder / "2_Normalize" / "config.json", {})  # an empty folder would be lost in a copy
    _write_modules(folder, *((path, f"sentence_transformers.models.{kind}") for kind, path in _MODULES))


def export_alone(system: System, folder: Path, view: str) -> Runs | None:
    """Write what ``SentenceTransformer`` loads without SynSem; its vectors are those of ``view``.

    Returns how it runs, or None, with nothing written, for a view that has no such form.
    """
    if view == system.exported_view and is_plain(system.exported):
        export_plain(system, folder)
        return Runs()
    with quiet():
        module = system.export_alone(folder, view)
    if module is None:
        return None
    for name in system.alone_code:
        shutil.copyfile(Path(inspect.getfile(type(system))).with_name(name), folder / name)
    _write_modules(folder, ("", module))
    return Runs(system.alone_code, system.alone_note)


def export_with_parser(model: Path, folder: Path, view: str, parse: Parse) -> Runs:
    """Write what ``SentenceTransformer(folder, trust_remote_code=True)`` loads; its vectors are the view's.

    ``model`` is the folder of a saved system, whose files are copied. ``parse`` names the parser.
    """
    inner = folder / SUBFOLDER
    inner.mkdir(parents=True, exist_ok=True)
    weights, config, tokenizer = saved_paths(model)
    shutil.copyfile(weights, inner / weights.name)
    shutil.copyfile(config, inner / config.name)
    shutil.copytree(tokenizer, inner / tokenizer.name, dirs_exist_ok=True)
    write_json(inner / CONFIG, {"view": view, "parse": parse.model_dump()})
    _write_modules(folder, (SUBFOLDER, MODULE))
    return Runs(parses=True)


def _write_modules(folder: Path, *modules: tuple[str, str]) -> None:
    """Name the modules, each by its folder and type."""
    rows = [
        {"idx": number, "name": str(number), "path": path, "type": kind}
        for number, (path, kind) in enumerate(modules)
    ]
    write_json(folder / "modules.json", rows)
    write_json(folder / "config_sentence_transformers.json", {"similarity_fn_name": "cosine"})


def standalone(model: Any) -> Any:
    """Return a model with the same states that transformers loads by itself, in evaluation mode.

    AutoModel would give a folder with BART's configuration to a decoder as well. But its encoder is a BERT by
    other names, layer for layer, and becomes one; a T5's has a class of its own in transformers.
    """
    kind = model.config.model_type
    if kind == "bart":
        return _as_bert(model)
    if kind in _T5:
        from transformers import T5Config, T5EncoderModel

        whole = T5EncoderModel(T5Config.from_dict(model.config.to_dict()))
        whole.encoder.load_state_dict(model.state_dict())
        return whole.eval()
    return model


_FIRST_POSITION = 2  # of BART's table; the rows before it are not used
# Parts of the names of BART's weights and of BERT's.
_NAMES = {
    "embed_tokens": "embeddings.word_embeddings",
    "embed_positions": "embeddings.position_embeddings",
    "layernorm_embedding": "embeddings.LayerNorm",
    "layers": "encoder.layer",
    "self_attn.q_proj": "attention.self.query",
    "self_attn.k_proj": "attention.self.key",
    "self_attn.v_proj": "attention.self.value",
    "self_attn.out_proj": "attention.output.dense",
    "self_attn_layer_norm": "attention.output.LayerNorm",
    "fc1": "intermediate.dense",
    "fc2": "output.dense",
    "final_layer_norm": "output.LayerNorm",
}


def _as_bert(model: Any) -> Any:
    from transformers import BertConfig, BertModel

    config = model.config
    bert = BertModel(
        BertConfig(
            vocab_size=config.vocab_size,
            hidden_size=config.d_model,
            num_hidden_layers=config.encoder_layers,
            num_attention_heads=config.encoder_attention_heads,
            intermediate_size=config.encoder_ffn_dim,
            hidden_act=config.activation_function,
            hidden_dropout_prob=config.dropout,
            attention_probs_dropout_prob=config.attention_dropout,
            max_position_embeddings=config.max_position_embeddings,
            type_vocab_size=1,
            layer_norm_eps=model.layernorm_embedding.eps,
            pad_token_id=config.pad_token_id,
        ),
        add_pooling_layer=False,
    )
    weights = {}
    for name, value in model.state_dict().items():
        for theirs, ours in _NAMES.items():
            name = name.replace(theirs, ours)
        weights[name] = value
    weights["embeddings.word_embeddings.weight"] = model.embed_tokens.weight * model.embed_tokens.embed_scale
    positions = model.embed_positions.weight
    weights["embeddings.position_embeddings.weight"] = positions[_FIRST_POSITION:]
    weights["embeddings.token_type_embeddings.weight"] = torch.zeros_like(positions[:1])
    bert.load_state_dict(weights)
    return bert.eval()
