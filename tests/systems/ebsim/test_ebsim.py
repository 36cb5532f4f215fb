from pathlib import Path

import numpy as np
import pytest
import torch

from pipeline.core.params import Encoder, load_all
from pipeline.syntax.sentence import Sentence
from pipeline.systems.base import Batch, registry
from pipeline.systems.ebsim.model import RelationAspect, System, align

NEEDS_GPU = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
DEFAULTS = load_all(Path(__file__).parents[3] / "params.yaml")
TRAIN = DEFAULTS.train.model_copy(update={"precision": "fp32"})
TITLES = [Sentence(text) for text in ("cats", "rain", "dogs")]
FIRST = [Sentence(text) for text in ("The cat is an animal.", "Rain is water that falls.", "Dogs bark.")]
OTHER = [Sentence(text) for text in ("It eats mice.", "[MASK] is water that falls.", "Snow is colder.")]
BATCH = Batch(TITLES, FIRST, OTHER, [0, 1, 1])


def create(folder: Path, **changed: object) -> System:
    params = DEFAULTS.ebsim.model_copy(update=changed)
    torch.manual_seed(0)
    encoder = Encoder(model=str(folder), max_tokens=32, pooling="mean")
    system = registry.create("ebsim", encoder, TRAIN, params)
    assert isinstance(system, System)
    return system.eval()


@pytest.mark.parametrize("aspects", [["relation", "alignment"], ["relation"], ["alignment"]])
def test_the_loss_is_the_hinge_of_each_aspect(aspects: list[str], tiny_backbone: Path) -> None:
    """Oracle: eq. 5 for every triplet by itself, one pair at a time."""
    system = create(tiny_backbone, aspects=aspects)
    losses = system.loss(BATCH)
    expected = {"relation": [], "alignment": []}
    for number, owner in enumerate(BATCH.owners):
        pairs = [system._pairs([TITLES[owner]], [side]) for side in (FIRST[owner], OTHER[number])]
        states = [system.semantic.model(**pair.inputs).last_hidden_state for pair in pairs]
        for name, aspect in system.aspects.items():
            near, far = (
                aspect(each, pair.first, pair.second) for each, pair in zip(states, pairs, strict=True)
            )
            expected[name].append(max(0.0, (far - near).item() + 1.0))
    wanted = {name: np.mean(values) for name, values in expected.items() if values}
    assert {name for name in losses if name not in ("loss", "ordered")} == set(wanted)
    for name, value in wanted.items():
        assert losses[name].item() == pytest.approx(value, abs=1e-5)
    assert losses["loss"].item() == pytest.approx(sum(wanted.values()), abs=1e-5)


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=NEEDS_GPU)])
def test_aspects_compare_in_float32_although_the_encoder_runs_in_bf16(device: str) -> None:
    """Oracle: eq. 7 and 12 in float64, from the same states; near and far lie close together."""
    torch.manual_seed(0)
    states = torch.randn(1, 6, 32) + 0.01 * torch.randn(16, 6, 32)
    first = torch.tensor([False, True, True, False, False, False]).expand(16, -1)
    second = torch.tensor([False, False, False, False, True, True]).expand(16, -1)
    relation = RelationAspect(32)
    torch.nn.init.normal_(relation.distance.weight)
    weight, bias = relation.distance.weight.detach().double(), relation.distance.bias.detach().double()
    expected = -torch.sigmoid(states[:, 0].double() @ weight[0] + bias)
    _, soft = align(states.double(), first, second)
    with torch.no_grad(), torch.autocast(device, dtype=torch.bfloat16):
        found = relation.to(device)(states.to(device), first, second).cpu()
        _, weights = align(states.to(device), first.to(device), second.to(device))
    torch.testing.assert_close(found.double(), expected, atol=1e-6, rtol=1e-5)
    torch.testing.assert_close(weights.cpu().double(), soft.double(), atol=1e-5, rtol=1e-4)


def test_it_learns_the_order(tiny_backbone: Path) -> None:
    system = create(tiny_backbone).train()
    optimizer = torch.optim.Adam(system.parameters(), lr=1e-3)
    before = system.eval().loss(BATCH)["loss"].item()
    for _ in range(60):
        optimizer.zero_grad()
        system.train().loss(BATCH)["loss"].backward()
        optimizer.step()
    with torch.no_grad():
        after = system.eval().loss(BATCH)
    assert after["ordered"] == 1
    assert after["loss"] < 0.5 * before
    near = system.late_scores([TITLES[owner] for owner in BATCH.owners], [FIRST[o] for o in BATCH.owners])
    far = system.late_scores([TITLES[owner] for owner in BATCH.owners], OTHER)
    assert (near > far).all()


def test_a_saved_system_gives_the_same_vectors_and_scores(tiny_backbone: Path, tmp_path: Path) -> None:
    system = create(tiny_backbone)
    registry.save(system, tmp_path / "model")
    loaded = registry.load(tmp_path / "model")
    assert isinstance(loaded, System)
    np.testing.assert_array_equal(system.embed(FIRST)["semantic"], loaded.embed(FIRST)["semantic"])
    np.testing.assert_array_equal(system.late_scores(TITLES, FIRST), loaded.late_scores(TITLES, FIRST))


def test_parts_of_a_batch_put_end_to_end_are_the_batch(tiny_backbone: Path) -> None:
    system = create(tiny_backbone)
    parts = [
        system.encode(Batch(TITLES[:1], FIRST[:1], OTHER[:1], [0])),
        system.encode(Batch(TITLES[1:2], FIRST[1:2], OTHER[1:], [0, 0])),
        system.encode(Batch(TITLES[2:], FIRST[2:], [])),
    ]
    whole = system.encode(BATCH)["gap"]
    torch.testing.assert_close(torch.cat([part["gap"] for part in parts]), whole, atol=1e-5, rtol=1e-4)


def test_the_share_in_the_right_order_is_by_the_sum_of_the_aspects(tiny_backbone: Path) -> None:
    system = create(tiny_backbone)
    gap = torch.tensor([[-0.2, 0.5], [-0.1, 0.4], [0.1, -0.4], [0.3, -0.2], [-0.3, -0.1]])
    assert system.loss_from_embeddings({"gap": gap})["ordered"].item() == pytest.approx(3 / 5)
    assert "ordered" not in system.train().loss_from_embeddings({"gap": gap})
