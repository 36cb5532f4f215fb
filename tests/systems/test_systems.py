import contextlib
import json
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers

from pipeline.core.errors import SynsemError
from pipeline.core.params import Encoder, load_all
from pipeline.export.sentence_transformers import export_plain
from pipeline.nn.backbone import Backbone
from pipeline.nn.encoder import embed
from pipeline.syntax.sentence import Sentence
from pipeline.systems.base import Batch, System, check_length, registry

DEFAULTS = load_all(Path(__file__).parents[2] / "params.yaml")
TRAIN = DEFAULTS.train.model_copy(update={"precision": "fp32"})
SIDES = [
    Sentence("The cat sat.", ["The", "cat", "sat", "."], [2, 3, 0, 3]),
    Sentence("Old dogs bark loudly.", ["Old", "dogs", "bark", "loudly", "."], [2, 3, 0, 3, 3]),
    Sentence("Rain fell.", ["Rain", "fell", "."], [2, 0, 2]),
    Sentence("She wrote it.", ["She", "wrote", "it", "."], [2, 0, 2, 2]),
]
BATCH = Batch(SIDES[:3], [SIDES[1], SIDES[2], SIDES[0]], SIDES[3:])


def create(name: str, folder: Path, **changed: object) -> System:
    params = getattr(DEFAULTS, name).model_copy(update=changed)
    torch.manual_seed(0)
    return registry.create(name, Encoder(model=str(folder), max_tokens=32, pooling="mean"), TRAIN, params)


@pytest.mark.parametrize(("name", "views"), [("sscp", 3), ("simcse", 1)])
def test_a_saved_system_gives_the_same_vectors(
    name: str, views: int, tiny_backbone: Path, tmp_path: Path
) -> None:
    system = create(name, tiny_backbone)
    with torch.no_grad():
        for parameter in system.parameters():
            parameter += 0.02 * torch.randn_like(parameter)
    registry.save(system, tmp_path / "model")
    loaded = registry.load(tmp_path / "model")
    before, after = system.embed(SIDES), loaded.embed(SIDES)
    assert len(before) == views
    for view, vectors in before.items():
        assert vectors.dtype == np.float32
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
        np.testing.assert_array_equal(vectors, after[view])
    assert not loaded.training


def test_of_an_encoder_decoder_the_encoder_is_read(tiny_bart: Path, tmp_path: Path) -> None:
    whole = transformers.AutoModel.from_pretrained(str(tiny_bart))
    tokens = transformers.AutoTokenizer.from_pretrained(str(tiny_bart))(SIDES[0].text, return_tensors="pt")
    with torch.no_grad():
        states = whole.get_encoder()(tokens["input_ids"]).last_hidden_state[0]
    expected = torch.nn.functional.normalize(states.mean(dim=0), dim=0)
    registry.save(create("simcse", tiny_bart), tmp_path)
    vectors = registry.load(tmp_path).embed(SIDES)
    np.testing.assert_allclose(vectors["semantic"][0], expected, atol=1e-6)
    export_plain(registry.load(tmp_path), tmp_path / "plain")
    exported = transformers.AutoModel.from_pretrained(str(tmp_path / "plain"), add_pooling_layer=False)
    with torch.no_grad():
        again = exported(tokens["input_ids"]).last_hidden_state[0]
    torch.testing.assert_close(again, states)


def test_the_dropout_of_simcse_reaches_layers_without_a_module_for_it(
    tiny_bart: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipeline.systems.simcse.model.DROPOUT", 0.5)
    system = create("simcse", tiny_bart)
    assert {module.dropout for module in system.modules() if hasattr(module, "dropout")} == {0.5}


def test_the_dropout_of_simcse_reaches_the_attention_of_a_modern_bert(
    tiny_backbone: Path, tmp_path: Path
) -> None:
    transformers.AutoTokenizer.from_pretrained(str(tiny_backbone)).save_pretrained(str(tmp_path))
    config = transformers.ModernBertConfig(
        vocab_size=6000, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64,
        max_position_embeddings=80, pad_token_id=0, cls_token_id=1, sep_token_id=2,
    )  # fmt: skip
    transformers.AutoModel.from_config(config).save_pretrained(str(tmp_path))
    system = create("simcse", tmp_path)
    attention = [module for module in system.modules() if hasattr(module, "attention_dropout")]
    assert [module.attention_dropout for module in attention] == [0.1, 0.1]


def test_before_training_both_views_are_the_backbone(tiny_backbone: Path) -> None:
    views = create("sscp", tiny_backbone, position="absolute").embed(SIDES)
    backbone = registry.Baseline(Encoder(model=str(tiny_backbone), max_tokens=32, pooling="mean"))
    untouched = embed({"semantic": backbone.encoder}, backbone.tokenizer, SIDES)
    np.testing.assert_allclose(views["semantic"], untouched["semantic"], atol=1e-6)
    np.testing.assert_allclose(views["syntactic"], untouched["semantic"], atol=1e-6)
    np.testing.assert_allclose(
        views["joint"] @ views["joint"].T, untouched["semantic"] @ untouched["semantic"].T, atol=1e-5
    )


def test_the_syntactic_view_hears_of_the_tree_and_the_semantic_does_not(tiny_backbone: Path) -> None:
    system = create("sscp", tiny_backbone)
    torch.nn.init.normal_(system.get_parameter("syntactic.bias.table"), std=9)
    other = [Sentence(SIDES[1].text, SIDES[1].words, [0, 1, 2, 3, 4])]
    before, after = system.embed(SIDES[1:2]), system.embed(other)
    np.testing.assert_array_equal(before["semantic"], after["semantic"])
    assert np.abs(before["syntactic"] - after["syntactic"]).max() > 1e-4


@pytest.mark.parametrize("bias", ["tree", "linear", "mismatched", "shuffled", "none"])
@pytest.mark.parametrize("position", ["absolute", "none"])
def test_every_control_gives_a_loss_with_a_gradient(bias: str, position: str, tiny_backbone: Path) -> None:
    system = create("sscp", tiny_backbone, bias=bias, position=position)
    system.begin_training()
    losses = system.loss(BATCH)
    losses["loss"].backward()
    names = {name for name, p in system.named_parameters() if p.grad is not None and p.grad.abs().sum() > 0}
    assert ("syntactic.bias.table" in names) == (bias != "none")
    assert any(name.startswith("semantic.") for name in names)


def test_hard_negatives_count_only_where_asked_for(tiny_backbone: Path) -> None:
    system = create("sscp", tiny_backbone, hard_negatives=False).eval()
    with torch.no_grad():
        without = system.loss(BATCH)["loss"]
        assert system.loss(Batch(BATCH.anchors, BATCH.positives, []))["loss"] == without
        assert create("sscp", tiny_backbone, hard_negatives=True).eval().loss(BATCH)["loss"] > without


def test_what_cannot_be_built_or_loaded_is_named(tiny_backbone: Path, tmp_path: Path) -> None:
    encoder = Encoder(model=str(tiny_backbone), max_tokens=32, pooling="mean")
    with pytest.raises(SynsemError, match=r"systems: 'nonsense' is unknown"):
        registry.create("nonsense", encoder, TRAIN, DEFAULTS.sscp)
    for model, said in (
        ("package:no_such", "the package 'no_such' is not installed"),
        (str(tmp_path), "cannot be loaded"),
    ):
        with pytest.raises(SynsemError, match=rf"{said}"):
            registry.Baseline(encoder.model_copy(update={"model": model}))
    with pytest.raises(SynsemError, match=r"encoder.max_tokens: 65 is beyond the encoder's 64 positions"):
        registry.Baseline(encoder.model_copy(update={"max_tokens": 65}))
    model = tmp_path / "model"
    registry.save(create("simcse", tiny_backbone), model)
    path = model / "config.json"
    config = json.loads(path.read_text())
    # A key that is no longer known is ignored.
    for params, loads in (({"gone": 1}, True), ({"steps": "many"}, False)):
        path.write_text(json.dumps(config | {"params": config["params"] | params}))
        if loads:
            registry.load(model)
            continue
        with pytest.raises(SynsemError, match=r"was saved by another version .*steps"):
            registry.load(model)
    path.write_text(json.dumps(config))
    weights = model / "model.safetensors"
    for damage in (lambda: weights.write_bytes(weights.read_bytes()[:-9]), weights.unlink):
        damage()
        with pytest.raises(SynsemError, match=r"model\.safetensors: missing, damaged"):
            registry.load(model)


@pytest.mark.parametrize("family", ["Bert", "Roberta", "MPNet", "Data2VecText", "RobertaPreLayerNorm"])
def test_the_room_of_an_encoder_is_what_it_can_read(family: str) -> None:
    """Oracle: the encoder itself. RoBERTa's relatives keep their first positions for padding."""
    sizes = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8}
    config = getattr(transformers, f"{family}Config")(vocab_size=9, max_position_embeddings=20, **sizes)
    model = getattr(transformers, f"{family}Model")(config).eval()
    fits = []
    for length in range(15, 23):
        with contextlib.suppress(IndexError, RuntimeError), torch.no_grad():
            model(input_ids=torch.full((1, length), 5))
            fits.append(length)
    check_length(Backbone(model, None), max(fits))
    with pytest.raises(SynsemError, match=f"is beyond the encoder's {max(fits)} positions; lower it"):
        check_length(Backbone(model, None), max(fits) + 1)


def test_a_folder_without_a_saved_system_names_one_nearby(tiny_backbone: Path, tmp_path: Path) -> None:
    model = tmp_path / "simcse" / "13"
    plain = model / "sentence-transformer"
    registry.save(create("simcse", tiny_backbone), model)
    plain.mkdir()
    (plain / "modules.json").write_text("[]")
    for folder, advice in {
        plain: f"name {model}",
        model.parent: f"name {model}",
        model / "config.json": f"name {model}",
        tmp_path / "none": "name a trained model's folder",
    }.items():
        with pytest.raises(SynsemError, match=f"^{folder}: .*{advice}"):
            registry.load(folder)


@pytest.mark.parametrize(("name", "first"), [("synsem", 10), ("parabart", 8)])
def test_phases_are_shares_of_all_steps_that_the_system_takes(
    name: str, first: int, tiny_backbone: Path
) -> None:
    own = {"parabart": {"freeze_encoder": 0.4}}.get(name, {})
    params = getattr(DEFAULTS, name).model_copy(update={"steps": 20} | own)
    encoder = Encoder(model=str(tiny_backbone), max_tokens=32, pooling="mean")
    system = registry.create(name, encoder, DEFAULTS.train, params)
    assert [system.phase(step) for step in range(20)] == [0] * first + [1] * (20 - first)
