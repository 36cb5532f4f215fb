"""Where many sentences are read, every system multiplies by weights laid out once, and gives the same."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from pipeline.nn import backbone, prepacked_linear
from pipeline.params import Encoder
from pipeline.systems import registry
from pipeline.systems.ebsim.finetune import Matcher
from tests.systems.cssl import test_cssl as cssl
from tests.systems.ebsim import test_ebsim as ebsim
from tests.systems.synsem import test_synsem_model as synsem
from tests.systems.test_systems import SIDES, create

TEXTS = [side.text for side in SIDES]


def of_pairs(system: Any) -> dict[str, np.ndarray]:
    read = system.read_pairs(cssl.TREES[:2], cssl.TREES[2:])
    return {"scores": read.scores} | read.vectors


def matched(folder: Path) -> dict[str, np.ndarray]:
    torch.manual_seed(0)
    matcher = Matcher(backbone.load(str(folder)), 32, 1)
    return {"scores": matcher.scores(TEXTS[:2], TEXTS[2:])}


READ: dict[str, Callable[[Path], dict[str, np.ndarray]]] = {
    "backbone": lambda folder: dict(
        registry.backbone(Encoder(model=str(folder), max_tokens=32, pooling="mean")).embed(SIDES)
    ),
    "sscp": lambda folder: dict(create("sscp", folder).embed(SIDES)),
    "sscp, late": lambda folder: of_pairs(create("sscp", folder)),
    "synsem": lambda folder: dict(synsem.create(folder).embed(SIDES)),
    "synsem, late": lambda folder: of_pairs(synsem.create(folder)),
    "ebsim, late": lambda folder: {"scores": ebsim.create(folder).late_scores(SIDES[:2], SIDES[2:])},
    "a matcher": matched,
    "cssl of BiLSTMs": lambda folder: dict(cssl.create(folder, encoder="scratch").embed(cssl.TREES)),
}


@pytest.mark.parametrize("name", READ)
def test_it_is_used_and_changes_nothing(
    name: str, tiny_backbone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not prepacked_linear.available():
        pytest.skip("this build of torch has no oneDNN")
    plain = READ[name](tiny_backbone)
    laid_out: list[torch.Size] = []
    product = prepacked_linear._product

    def noted(weight: torch.Tensor, bias: torch.Tensor | None, gelu: bool) -> prepacked_linear.Forward:
        laid_out.append(weight.shape)
        return product(weight, bias, gelu)

    monkeypatch.setattr(prepacked_linear, "_product", noted)
    monkeypatch.setattr(prepacked_linear, "_SMALL", 0)
    monkeypatch.setattr(prepacked_linear, "WORTH_TOKENS", 12)
    quick = READ[name](tiny_backbone)
    assert laid_out
    assert quick.keys() == plain.keys()
    for view, values in plain.items():
        np.testing.assert_allclose(quick[view], values, rtol=0, atol=2e-6)
