"""The parser: what it learns, what it refuses, and that its trees are trees."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import (
    AutoModel,
    AutoTokenizer,
    DebertaV2Config,
    ElectraConfig,
    LongformerConfig,
    ModernBertConfig,
    MPNetConfig,
    PretrainedConfig,
    T5Config,
    XLNetConfig,
    XmodConfig,
)

from pipeline.core.errors import SynsemError
from pipeline.nn import precision as amp
from pipeline.nn.encoder import pool
from pipeline.params import Encoder, load_all
from pipeline.syntax.attachment_scores import compare
from pipeline.syntax.sentence import Side
from pipeline.syntax.tree import is_tree
from pipeline.systems import registry
from pipeline.systems.base import Batch
from pipeline.systems.cssl import model
from pipeline.systems.cssl.from_scratch import first_layers
from pipeline.systems.cssl.model import System
from pipeline.systems.cssl.spanning_tree import are_trees, decode

NEEDS_GPU = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
DEFAULTS = load_all(Path(__file__).parents[3] / "params.yaml")
TRAIN = DEFAULTS.train.model_copy(update={"precision": "fp32"})
SMALL = DEFAULTS.cssl.model_copy(
    update={
        "arc_size": 24,
        "label_size": 16,
        "max_tokens": 48,
        "dropout": 0.0,
        "scratch": DEFAULTS.cssl.scratch.model_copy(update={"vocabulary": 120, "width": 32, "layers": 1}),
    }
)


def side(words: str, heads: list[int], deprels: str, upos: str) -> Side:
    return Side(words, words.split(), heads, deprels.split(), upos.split())


TREES = [
    side("the cat sat .", [2, 3, 0, 3], "det nsubj root punct", "DET NOUN VERB PUNCT"),
    side(
        "old dogs bark loudly .", [2, 3, 0, 3, 3], "amod nsubj root advmod punct", "ADJ NOUN VERB ADV PUNCT"
    ),
    side("rain fell .", [2, 0, 2], "nsubj root punct", "NOUN VERB PUNCT"),
    side("she wrote the letter .", [2, 0, 4, 2, 2], "nsubj root det obj punct", "PRON VERB DET NOUN PUNCT"),
]
PERMUTED = [
    side("sat the cat .", [0, 3, 1, 1], "root det nsubj punct", "VERB DET NOUN PUNCT"),
    side(
        "bark loudly old dogs .", [0, 1, 4, 1, 1], "root advmod amod nsubj punct", "VERB ADV ADJ NOUN PUNCT"
    ),
    side("fell rain .", [0, 1, 1], "root nsubj punct", "VERB NOUN PUNCT"),
    side("the letter wrote she .", [2, 3, 0, 3, 3], "det obj root nsubj punct", "DET NOUN VERB PRON PUNCT"),
]
BATCH = Batch(TREES, PERMUTED, [PERMUTED[0]], [0])


def create(folder: Path, prepared: bool = True, **changed: object) -> System:
    torch.manual_seed(0)
    encoder = Encoder(model=str(folder), max_tokens=32, pooling="mean")
    system = registry.create("cssl", encoder, TRAIN, SMALL.model_copy(update=changed))
    assert isinstance(system, System)
    if prepared:
        system.prepare(TREES)
    return system


def of_family(folder: Path, tokens: Path, config: PretrainedConfig) -> Path:
    """A folder with a random encoder of that configuration and the tokenizer of another folder."""
    AutoTokenizer.from_pretrained(str(tokens)).save_pretrained(str(folder))
    AutoModel.from_config(config).save_pretrained(str(folder))
    return folder


TINY = {
    "vocab_size": 6000, "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 4,
    "intermediate_size": 32, "max_position_embeddings": 80,
}  # fmt: skip


def test_a_second_pass_needs_an_encoder_that_takes_its_bias(tmp_path: Path, tiny_backbone: Path) -> None:
    """A bias in place of the family's own mask would show words beyond its window."""
    config = ModernBertConfig(**TINY, pad_token_id=0, local_attention=8, cls_token_id=1, sep_token_id=2)
    folder = of_family(tmp_path / "modern", tiny_backbone, config)
    with pytest.raises(SynsemError, match=r"cssl\.max_tokens: the modernbert encoder attends locally, to 4"):
        create(folder, refinements=1).loss(BATCH)
    assert create(folder).loss(BATCH)["loss"].isfinite()


@pytest.mark.parametrize("subwords", ["mean", "embeddings"])
def test_inputs_may_be_narrower_than_states(tmp_path: Path, tiny_backbone: Path, subwords: str) -> None:
    folder = of_family(tmp_path / "electra", tiny_backbone, ElectraConfig(**TINY, embedding_size=8))
    assert create(folder, subwords=subwords).loss(BATCH)["loss"].isfinite()


def learn(system: System, steps: int, batch: Batch = BATCH) -> dict[str, float]:
    optimizer = torch.optim.AdamW(system.parameters(), lr=5e-3)
    system.train()
    for _ in range(steps):
        loss = system.loss(batch)["loss"]
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    system.eval()
    with torch.no_grad():
        return {name: value.item() for name, value in system.loss(batch).items()}


def las(gold: Sequence[Side], found: Sequence[Side]) -> float:
    return compare(gold, found).score().las


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"encoder": "scratch", "lstm_layers": 1},
        {"refinements": 1},
        {"contrast": 0.0, "subwords": "first"},
        {"refinements": 2, "encoder": "scratch"},
        {"refinements": 1, "layers": "mix"},
        {"subwords": "embeddings"},
        {"subwords": "embeddings", "refinements": 1, "lstm_layers": 1},
    ],
)
def test_it_learns_the_trees_it_is_shown(changed: dict[str, object], tiny_backbone: Path) -> None:
    system = create(tiny_backbone, **changed)
    values = learn(system, 60)
    assert values["las"] == values["uas"] == 1
    found = system.parse(TREES)
    assert las(TREES, found) == 100
    assert [tree.upos for tree in found] == [tree.upos for tree in TREES]
    assert ("contrast" in values) == (changed.get("contrast") != 0.0)


def test_the_tree_is_that_of_the_last_refinement(tiny_backbone: Path) -> None:
    """As ``loss`` counts it: with a strong bias, the trees of the passes differ."""
    system = create(tiny_backbone, refinements=1).eval()
    assert system.bias is not None
    torch.nn.init.normal_(system.scorers.arc.weight, std=9)
    torch.nn.init.normal_(system.bias.table, std=9)
    for layer in system.semantic.model.encoder.layer:
        torch.nn.init.normal_(layer.attention.self.value.weight, std=1)
        torch.nn.init.normal_(layer.attention.output.dense.weight, std=1)
    tokens, real = system._tokens(TREES)
    with torch.no_grad():
        first = system._scored(system._word_states(system._states(tokens), tokens, real), real)
        last = system._refine(first, tokens, real)
    lengths = np.array([len(tree.words) for tree in TREES])
    passes = [decode(each.arcs.numpy(), lengths) for each in (first, last)]
    found = [tree.heads for tree in system.parse(TREES)]
    assert found == [row[:n].tolist() for row, n in zip(passes[1], lengths, strict=True)]
    assert found != [row[:n].tolist() for row, n in zip(passes[0], lengths, strict=True)]


def test_the_given_tree_is_not_read_and_order_of_sentences_does_not_matter(tiny_backbone: Path) -> None:
    system = create(tiny_backbone, refinements=1)
    learn(system, 10)
    bare = [Side(tree.text, tree.words, ()) for tree in TREES]
    assert system.parse(TREES) == system.parse(bare) == system.parse(bare[::-1])[::-1]
    assert [system.parse([tree])[0].heads for tree in bare] == [tree.heads for tree in system.parse(bare)]


def test_mixed_precision_finds_the_same_trees(tiny_backbone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In float16 where that is native; else in bfloat16 where that is, and asked for; else in float32."""
    system = create(tiny_backbone, layers="mix", encoder="scratch", lstm_layers=1, bf16=True)
    learn(system, 60)
    used: list[torch.dtype | None] = []
    states = system._states

    def spying(*args: Any) -> torch.Tensor:
        used.append(torch.get_autocast_dtype("cpu") if torch.is_autocast_enabled("cpu") else None)
        return states(*args)

    monkeypatch.setattr(system, "_states", spying)
    found = []
    for fp16, training in ((False, "fp32"), (False, "bf16"), (True, "bf16"), (True, "fp32")):
        monkeypatch.setattr(amp, "has_native_fp16", lambda device, fp16=fp16: fp16)
        monkeypatch.setattr(amp, "effective_precision", lambda device, kind, training=training: training)
        found.append(system.parse(TREES))
    assert used == [None, torch.bfloat16, torch.float16, torch.float16]
    monkeypatch.setattr(amp, "has_native_fp16", lambda device: False)
    system.params = system.params.model_copy(update={"bf16": False})
    monkeypatch.setattr(amp, "effective_precision", lambda device, kind: "bf16")
    found.append(system.parse(TREES))
    assert used[4:] == [None]
    assert found == [found[0]] * 5
    assert las(TREES, found[1]) == 100


def test_a_refinement_reads_a_tree_even_where_the_best_heads_are_none(
    tiny_backbone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = create(tiny_backbone, refinements=1)
    torch.nn.init.normal_(system.scorers.arc.weight, std=9)
    read: list[torch.Tensor] = []
    distance = model.tree_distance

    def spying(heads: torch.Tensor) -> Any:
        read.append(heads)
        return distance(heads)

    monkeypatch.setattr(model, "tree_distance", spying)
    system.parse(TREES)
    system.train()
    system.loss(Batch(TREES, TREES, ()))
    assert len(read) >= 2
    for heads in read:
        lengths = (heads >= 0).sum(dim=1).numpy()
        assert are_trees(heads.clamp(min=0).numpy(), lengths).all()


def test_every_tree_is_a_tree_with_one_root_that_alone_is_called_root(tiny_backbone: Path) -> None:
    system = create(tiny_backbone)
    torch.nn.init.normal_(system.scorers.arc.weight, std=9)
    torch.nn.init.normal_(system.scorers.label.weight, std=9)
    rng = np.random.default_rng(0)
    vocabulary = [word for tree in TREES for word in tree.words]
    sentences = [Side("", rng.choice(vocabulary, n).tolist(), ()) for n in (1, 2, 3, 9, 40, 90)]
    for given, tree in zip(sentences, system.parse(sentences), strict=True):
        assert tree.words == given.words
        assert is_tree(tree.heads)
        roots = [head == 0 for head in tree.heads]
        assert [relation == "root" for relation in tree.deprels] == roots
    assert system.parse([Side("", (), ())]) == [Side("", (), ())]
    assert system.parse([]) == []


def test_a_run_may_start_from_a_trained_parser(tiny_backbone: Path, tmp_path: Path) -> None:
    """Whatever its labels and subwords are, which are those of other trees."""
    for encoder in ("backbone", "scratch"):
        trained = create(tiny_backbone, encoder=encoder)
        learn(trained, 5)
        registry.save(trained, tmp_path / encoder)
        again = create(tiny_backbone, prepared=False, encoder=encoder, start=str(tmp_path / encoder))
        again.prepare(TREES[:1])
        assert again.labels == trained.labels
        assert again.eval().parse(TREES) == trained.eval().parse(TREES)
    with pytest.raises(SynsemError, match=r"^cssl\.start: .*scratch is of another shape; set cssl and enc"):
        create(tiny_backbone, encoder="scratch", arc_size=5, start=str(tmp_path / "scratch"))


LAYERS = [
    {},
    {"layers": "mix"},
    {"subwords": "embeddings"},
    {"lstm_layers": 1},
    {"layers": "mix", "lstm_layers": 2, "encoder": "scratch"},
]


def test_the_first_layers_of_a_backbone_parse_as_the_whole_one_would_at_that_layer(
    tiny_backbone: Path, tmp_path: Path
) -> None:
    whole, cut = create(tiny_backbone), create(tiny_backbone, depth=1)
    with torch.no_grad():
        tokens, _ = cut._tokens(TREES)
        ids, mask = tokens.ids, tokens.mask.long()
        expected = whole.semantic.model(ids, mask, output_hidden_states=True).hidden_states
        assert len(expected) > 2
        torch.testing.assert_close(cut._states(tokens), expected[1])
    learn(cut, 40)
    registry.save(cut, tmp_path)
    loaded = registry.load(tmp_path)
    assert loaded.parse(TREES) == cut.parse(TREES)
    assert las(TREES, cut.parse(TREES)) == 100
    assert loaded.semantic.model.config.num_hidden_layers == 1
    with pytest.raises(SynsemError, match=r"cssl\.depth: is 9, but the encoder has"):
        create(tiny_backbone, depth=9)
    model = whole.semantic.model
    model.adapters = torch.nn.ModuleList(torch.nn.Identity() for _ in range(model.config.num_hidden_layers))
    with pytest.raises(SynsemError, match=r"cssl\.depth: the layers of BertModel were not found"):
        first_layers(model, cut.params)


TWO = TINY | {"num_hidden_layers": 2}
T5 = {"vocab_size": 6000, "d_model": 16, "d_kv": 4, "d_ff": 32, "num_heads": 4, "num_layers": 2}
CUT = {
    "modernbert": ModernBertConfig(**TWO, pad_token_id=0, cls_token_id=1, sep_token_id=2),
    "longformer": LongformerConfig(**TWO, pad_token_id=0, attention_window=16),
    "deberta-v2": DebertaV2Config(**TWO, relative_attention=True, pos_att_type=["p2c", "c2p"]),
    "t5": T5Config(**T5, pad_token_id=0),
    "xmod": XmodConfig(**TWO, pad_token_id=0, languages=["en_XX", "de_DE"], default_language="en_XX"),
}


@pytest.mark.parametrize("family", [*CUT, "bart"])
def test_an_encoder_that_was_cut_is_loaded_again(
    family: str, tiny_backbone: Path, tiny_bart: Path, tmp_path: Path
) -> None:
    folder = tiny_bart if family == "bart" else of_family(tmp_path / "whole", tiny_backbone, CUT[family])
    cut = create(folder, depth=1).eval()
    registry.save(cut, tmp_path / "cut")
    loaded = registry.load(tmp_path / "cut")
    assert loaded.semantic.depth == 1
    assert getattr(loaded.semantic.model.config, "languages", None) in (None, ["en_XX", "de_DE"])
    np.testing.assert_array_equal(loaded.embed(TREES)["semantic"], cut.embed(TREES)["semantic"])


def test_an_encoder_that_counts_distances_reads_as_many_tokens_as_are_asked_for(
    tiny_backbone: Path, tmp_path: Path
) -> None:
    """An XLNet says that it has -1 positions."""
    config = XLNetConfig(vocab_size=6000, d_model=16, n_layer=1, n_head=4, d_inner=32, pad_token_id=0)
    system = create(of_family(tmp_path, tiny_backbone, config))
    assert system.words.max_tokens == SMALL.max_tokens


def test_order_that_cannot_be_hidden_is_told_by_the_key(tiny_backbone: Path, tmp_path: Path) -> None:
    folder = of_family(tmp_path, tiny_backbone, MPNetConfig(**TINY))
    with pytest.raises(
        SynsemError, match=r"^cssl\.position: 'none' .* from mpnet, .*; set it to absolute, or name"
    ):
        create(folder, position="none")


@pytest.mark.parametrize("layers", LAYERS)
def test_the_contrast_is_info_nce_of_the_vectors_that_embed_gives(
    layers: dict[str, object], tiny_backbone: Path
) -> None:
    """Oracle: the loss in float64, of the view of the sentences and of their mined permutations."""
    system = create(tiny_backbone, contrast=0.5, **layers).eval()
    with torch.no_grad():
        losses = system.loss(BATCH)
    a, b = (system.embed(trees)["semantic"].astype(np.float64) for trees in (TREES, PERMUTED))
    logits = a @ b.T / TRAIN.tau
    expected = np.mean(np.log(np.exp(logits).sum(axis=1)) - np.diag(logits))
    assert losses["contrast"].item() == pytest.approx(expected, rel=1e-3, abs=1e-5)
    whole = losses["arc"] + losses["relation"] + losses["upos"] + 0.5 * losses["contrast"]
    torch.testing.assert_close(losses["loss"], whole)


@pytest.mark.parametrize("layers", LAYERS)
def test_the_contrast_alone_trains_all_that_the_scorers_read(
    layers: dict[str, object], tiny_backbone: Path
) -> None:
    system = create(tiny_backbone, **layers).train()
    system.loss(BATCH)["contrast"].backward()
    for part in (system.semantic, system.mix, system.lstm):
        for parameter in part.parameters() if part is not None else ():
            assert parameter.grad is not None
            assert parameter.grad.abs().sum() > 0
    assert (system.exported is None) == bool(layers)


def test_a_view_does_not_depend_on_a_sentence_s_company(tiny_backbone: Path) -> None:
    system = create(tiny_backbone, layers="mix", lstm_layers=1)
    together = system.embed(TREES)["semantic"]
    alone = np.concatenate([system.embed([tree])["semantic"] for tree in TREES])
    np.testing.assert_allclose(together, alone, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)


def read(system: System, monkeypatch: pytest.MonkeyPatch, seed: int) -> list[list[str]]:
    """The words of the positives that one loss reads."""
    seen: list[list[str]] = []
    words = system.words

    def spy(sentences: Sequence[Sequence[str]], device: torch.device) -> object:
        seen.extend(list(each) for each in sentences)
        return words(sentences, device)

    monkeypatch.setattr(system, "words", spy)
    torch.manual_seed(seed)
    system.loss(BATCH)
    monkeypatch.undo()
    return seen[len(TREES) :]


def test_training_draws_a_permutation_each_time_and_development_keeps_the_mined_one(
    tiny_backbone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = create(tiny_backbone).train()
    drawn = [read(system, monkeypatch, seed) for seed in range(8)]
    for positives in drawn:
        assert [sorted(words) for words in positives] == [sorted(tree.words) for tree in TREES]
        assert all(words != tree.words for words, tree in zip(positives, TREES, strict=True))
    assert len({" ".join(positives[3]) for positives in drawn}) > 3
    assert read(system, monkeypatch, 3) == drawn[3]
    mined = [list(tree.words) for tree in PERMUTED]
    assert [read(system.eval(), monkeypatch, seed) for seed in (0, 1)] == [mined, mined]


def test_dropout_as_the_positive_reads_the_sentence_twice(
    tiny_backbone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = create(tiny_backbone, positives="dropout")
    own = [list(tree.words) for tree in TREES]
    assert read(system.train(), monkeypatch, 0) == own
    assert read(system.eval(), monkeypatch, 0) == own


def test_the_loss_is_the_sum_of_its_parts_with_tags_and_contrast_by_their_weights(
    tiny_backbone: Path,
) -> None:
    found: dict[float, dict[str, float]] = {}
    for weight in (1.0, 0.25):
        system = create(tiny_backbone, tag_weight=weight, contrast=0.5).eval()
        with torch.no_grad():
            found[weight] = {name: loss.item() for name, loss in system.loss(BATCH).items()}
        parts = found[weight]
        total = parts["arc"] + parts["relation"] + parts["upos"] + 0.5 * parts["contrast"]
        assert parts["loss"] == pytest.approx(total, rel=1e-5)
    assert found[0.25]["upos"] == pytest.approx(found[1.0]["upos"] / 4, rel=1e-5)
    assert found[0.25]["arc"] == found[1.0]["arc"]


def test_what_taggers_read_has_dropout_in_training_alone(tiny_backbone: Path) -> None:
    system = create(tiny_backbone, dropout=0.5, contrast=0.0)

    @torch.no_grad()
    def losses() -> dict[str, float]:
        found = system.loss(BATCH)
        return {name: found[name].item() for name in ("arc", "upos")}

    assert system.eval().dropout.p == 0.5
    assert losses() == losses()
    system.dropout.train()  # of all dropout this alone
    first, second = losses(), losses()
    assert first["arc"] == second["arc"]
    assert first["upos"] != second["upos"]


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=NEEDS_GPU)])
def test_the_losses_are_float32_although_the_encoder_runs_in_bf16(device: str, tiny_backbone: Path) -> None:
    """Cosines near 1, as of a sentence and its permutation, lie on a grid of 0.0039 in bf16."""
    system = create(tiny_backbone, layers="mix").to(device).eval()
    torch.manual_seed(0)
    states = torch.randn(1, 1, system.semantic.width) + 0.02 * torch.randn(8, 6, system.semantic.width)
    system._states = lambda tokens, bias=None: states.to(device)[:, : tokens.ids.shape[1]]  # type: ignore[method-assign]
    mask = system.words([tree.words for tree in (*TREES, *PERMUTED)]).mask
    states = states.repeat(1, 9, 1)[:, : mask.shape[1]]
    with torch.no_grad(), torch.autocast(device, dtype=torch.bfloat16):
        found = system.loss(BATCH)["contrast"]
    weight = mask[..., None].double()
    pooled = (states.double() * weight).sum(dim=1) / weight.sum(dim=1)
    unit = torch.nn.functional.normalize(pooled, dim=1)
    expected = torch.nn.functional.cross_entropy(unit[:4] @ unit[4:].T / TRAIN.tau, torch.arange(4))
    assert found.dtype == torch.float32
    assert found.item() == pytest.approx(expected.item(), abs=1e-5)


def test_a_loss_is_the_same_whatever_a_sentence_is_padded_to(tiny_backbone: Path) -> None:
    system = create(tiny_backbone, contrast=0.0).eval()
    torch.nn.init.normal_(system.scorers.arc.weight)
    together = system.loss(Batch(TREES, PERMUTED, []))
    alone = [system.loss(Batch([tree], [tree], [])) for tree in TREES]
    words = torch.tensor([float(len(tree.words)) for tree in TREES])
    for name in ("arc", "relation"):
        each = torch.stack([losses[name] for losses in alone])
        torch.testing.assert_close(together[name], (each * words).sum() / words.sum())


@pytest.mark.parametrize("lstm_layers", [0, 2])
def test_without_positions_only_a_bilstm_sees_the_order(lstm_layers: int, tiny_backbone: Path) -> None:
    """The paper's NoPos takes the position embeddings away, and nothing else."""
    system = create(tiny_backbone, position="none", lstm_layers=lstm_layers).eval()
    assert (system.lstm is not None) == bool(lstm_layers)
    tokens = system.words([tree.words for tree in (TREES[0], PERMUTED[0])])
    pooled = pool(system.semantic.states(tokens), tokens.mask, "mean")
    torch.testing.assert_close(pooled[0], pooled[1], rtol=1e-4, atol=1e-5)
    a, b = system.embed([TREES[0], PERMUTED[0]])["semantic"]
    assert np.allclose(a, b, atol=1e-5) == (lstm_layers == 0)


def test_the_first_pass_of_a_refining_parser_feeds_the_second(tiny_backbone: Path) -> None:
    system = create(tiny_backbone, refinements=1).eval()
    assert system.bias is not None
    before = system.loss(BATCH)["arc"]
    torch.nn.init.normal_(system.bias.table, std=5)
    torch.nn.init.normal_(system.scorers.arc.weight)
    changed = system.loss(BATCH)["arc"]
    torch.nn.init.zeros_(system.bias.table)
    assert not torch.allclose(system.loss(BATCH)["arc"], changed)
    assert torch.isfinite(before)


def test_a_refining_parser_learns_from_the_mean_over_its_passes(
    tiny_backbone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system, passes = create(tiny_backbone, refinements=1, contrast=0.0).eval(), list[float]()
    assert system.bias is not None
    torch.nn.init.normal_(system.bias.table, std=9)  # else both passes are equal
    torch.nn.init.normal_(system.scorers.arc.weight)
    real = system._cross_entropy

    def kept(*arguments: Any) -> dict[str, torch.Tensor]:
        found = real(*arguments)
        passes.append(found["arc"].item())
        return found

    monkeypatch.setattr(system, "_cross_entropy", kept)
    with torch.no_grad():
        loss = system.loss(BATCH)["arc"].item()
    first, second = passes
    assert abs(first - second) > 1e-3
    assert loss == pytest.approx((first + second) / 2, rel=1e-5)


@pytest.mark.parametrize("encoder", ["backbone", "scratch"])
def test_a_saved_parser_is_the_same_parser(encoder: str, tiny_backbone: Path, tmp_path: Path) -> None:
    system = create(tiny_backbone, encoder=encoder, refinements=1, lstm_layers=1)
    learn(system, 5)
    registry.save(system, tmp_path / "model")
    loaded = registry.load(tmp_path / "model")
    assert isinstance(loaded, System)
    assert loaded.labels == system.labels
    assert loaded.parse(TREES) == system.parse(TREES)
    np.testing.assert_array_equal(loaded.embed(TREES)["semantic"], system.embed(TREES)["semantic"])


def test_a_resumed_run_keeps_the_parameters_that_the_optimiser_holds(tiny_backbone: Path) -> None:
    system = create(tiny_backbone)
    held = [id(parameter) for parameter in system.parameters()]
    system.load_state_dict(system.state_dict())
    assert [id(parameter) for parameter in system.parameters()] == held


def test_every_parameter_is_in_one_group_and_gets_a_gradient(tiny_backbone: Path) -> None:
    system = create(tiny_backbone, refinements=1, lstm_layers=1)
    learn(system, 1)
    groups = system.parameter_groups()
    grouped = [id(parameter) for group in groups for parameter in group["params"]]
    assert sorted(grouped) == sorted(id(parameter) for parameter in system.parameters())
    assert [group["lr"] for group in groups] == [SMALL.learning_rate, SMALL.parser_learning_rate]
    system.loss(BATCH)["loss"].backward()
    assert [name for name, parameter in system.named_parameters() if parameter.grad is None] == []


def test_examples_without_relations_are_refused(tiny_backbone: Path) -> None:
    system = create(tiny_backbone, prepared=False)
    with pytest.raises(SynsemError, match="relations"):
        system.prepare([Side("a b", ["a", "b"], [0, 1])])
