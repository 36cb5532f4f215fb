"""With sentence-transformers and without SynSem, as for someone who downloads a model.

The programs of docs/integrations.md print what the page says, each with the real libraries; an exported model
gives its vectors, and can be trained. Importing sentence-transformers takes ten seconds, so one process does
it and forks another for each program; a program that says `import synsem` gets it.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import numpy as np
import pytest
import torch

from pipeline.export.sentence_transformers import export_alone
from pipeline.syntax.sentence import Sentence
from pipeline.systems.base import registry
from pipeline.systems.synsem.model import System
from pipeline.systems.synsem.similarity import similarity
from tests.systems.synsem.test_synsem_model import create

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[1]
_FORKING = """
import json, os, sys, traceback

ABSENT = "synsem", "pipeline", "stages", "spacy"
sys.modules |= dict.fromkeys(ABSENT)  # importing them fails
import sentence_transformers
import transformers.models.bert.modeling_bert

for line in sys.stdin:
    program, arguments, folder = json.loads(line)
    child = os.fork()
    if not child:
        os.chdir(folder)
        for number, name in ((1, "said"), (2, "complaint")):
            os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        sys.argv = ["program", *arguments]
        for name in ABSENT if "import synsem" in program else ():
            del sys.modules[name]
        code = 1
        try:
            exec(compile(program, "program", "exec"), {"__name__": "__main__"})
            code = 0
        except BaseException:
            traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


class WithoutSynSem:
    """The process that forks; ``end`` ends it."""

    def __init__(self, hub: Path) -> None:
        """``hub``: a folder for what the Hugging Face libraries keep."""
        self._process = subprocess.Popen(
            [sys.executable, "-c", _FORKING], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env=os.environ | {"HF_HOME": str(hub), "HF_HUB_OFFLINE": "1"},
        )  # fmt: skip

    def run(self, program: str, *arguments: str, folder: Path) -> str:
        """What a program that must end well prints, run in a folder of its own."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps([program, arguments, str(folder)]), file=self._process.stdin, flush=True)
        code = int(self._process.stdout.readline())
        assert code == 0, (folder / "complaint").read_text()[-4000:]
        return (folder / "said").read_text()

    def end(self) -> None:
        self._process.communicate()


@pytest.fixture(scope="module")
def without_synsem(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WithoutSynSem]:
    pytest.importorskip("sentence_transformers")
    process = WithoutSynSem(tmp_path_factory.mktemp("hub"))
    yield process
    process.end()


NUMBER = r"-?\d+\.\d+"


def programs() -> list[tuple[str, str]]:
    """The programs, each with the output that its section shows."""
    page = (ROOT / "docs" / "integrations.md").read_text()
    found = []
    for section in page.split("\n## ")[1:]:
        blocks = re.findall(r"^```(\w+)\n(.*?)^```", section, flags=re.MULTILINE | re.DOTALL)
        [output] = [text for language, text in blocks if language == "text"]
        found += [(text, output) for language, text in blocks if language == "python"]
    return found


def installs(program: str) -> list[str]:
    """What the program's first line installs."""
    return program.splitlines()[0].removeprefix("# pip install ").split()


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundled model as the page exports it."""
    from stages.tools import export

    folder = tmp_path_factory.mktemp("exported") / "my-model"
    export(Path("pretrained"), folder)
    return folder


@pytest.mark.parametrize(("program", "output"), programs(), ids=[installs(each[0])[0] for each in programs()])
def test_it_prints_what_the_page_says(
    program: str, output: str, exported: Path, without_synsem: WithoutSynSem, tmp_path: Path
) -> None:
    packages = installs(program)
    for name in packages:
        try:
            distribution(name)
        except PackageNotFoundError:
            pytest.skip(f"{name} is not installed: pip install {' '.join(packages)}")
    (tmp_path / "my-model").symlink_to(exported)
    printed = without_synsem.run(program, folder=tmp_path)
    assert re.sub(NUMBER, "", printed) == re.sub(NUMBER, "", output)
    shown, expected = (list(map(float, re.findall(NUMBER, text))) for text in (printed, output))
    assert shown == pytest.approx(expected, abs=0.02)


TEXTS = [
    "The cat saw the dog.",
    "Rain fell.",
    "In May, the old ship left the river - at last, they said!",
    "no no",
]

ENCODING = """
import json, sys
from sentence_transformers import SentenceTransformer

texts, width = json.loads(sys.argv[2]), int(sys.argv[3])

def load(folder=sys.argv[1], **options):
    return SentenceTransformer(folder, trust_remote_code=True, device="cpu", **options)

model = load()
found = {"joint": model.encode(texts)}
for view in ("semantic", "structural"):
    chosen = load(model_kwargs={"view": view})
    chosen.save("saved")
    found[view] = [model.encode(texts, view=view), chosen.encode(texts), load("saved").encode(texts)]
    found[view + " size"] = chosen.get_embedding_dimension()
found["similar"] = model[0].similarity(found["joint"], found["joint"][:2])
found["truncated"] = model.encode(texts, truncate_dim=width, normalize_embeddings=True)
load(model_kwargs={"weight": 0.9}).save("heavier")
found["heavier"] = load("heavier").encode(texts)
for options in ({"model_kwargs": {"view": "?"}}, {"model_kwargs": {"weight": -1}}, {"backend": "onnx"}):
    try:
        load(**options)
    except ValueError as error:
        found.setdefault("errors", []).append(str(error).partition(":")[0])
found["halved"] = load(model_kwargs={"dtype": "float16"}).encode(texts)
model.max_seq_length = 5  # of the long text, [CLS] and three tokens and [SEP] are left
model.save("shorter")
long, short = "In May the old ship left the river.", "In May the"
found["cut"] = [model.encode(long), load("shorter").encode(long), model.encode(short)]
print(json.dumps(found, default=lambda matrix: matrix.tolist()))
"""


def with_noise(system: System) -> System:
    with torch.no_grad():
        for parameter in system.heads.parameters():
            parameter += 0.1 * torch.randn_like(parameter)
    return system


def test_an_export_gives_the_same_vectors(
    tiny_backbone: Path, tmp_path: Path, without_synsem: WithoutSynSem
) -> None:
    system = with_noise(create(tiny_backbone).eval())
    sides = [Sentence(text) for text in TEXTS]
    expected = system.embed(sides)
    registry.save(system, tmp_path / "model")
    again = registry.load(tmp_path / "model").embed(sides)["joint"]
    np.testing.assert_allclose(again, expected["joint"], atol=1e-6)

    assert export_alone(system, tmp_path / "exported", "joint")
    width = system.semantic.width
    given = (str(tmp_path / "exported"), json.dumps(TEXTS), str(width))
    found = json.loads(without_synsem.run(ENCODING, *given, folder=tmp_path).splitlines()[-1])
    np.testing.assert_allclose(found["joint"], expected["joint"], atol=1e-5)
    for view in ("semantic", "structural"):
        for vectors in found[view]:
            np.testing.assert_allclose(vectors, expected[view], atol=1e-5)
        assert found[f"{view} size"] == expected[view].shape[1]
    similar = similarity(expected["joint"][:, None], expected["joint"][None, :2], width)
    np.testing.assert_allclose(found["similar"], similar, atol=1e-5)
    heavier = expected["joint"] * np.where(np.arange(expected["joint"].shape[1]) < width, 1, 0.9 / 0.4)
    heavier /= np.linalg.norm(heavier, axis=1, keepdims=True)
    np.testing.assert_allclose(found["heavier"], heavier, atol=1e-5)
    # Cut to the width of the backbone, a joint vector has the direction of the semantic one.
    np.testing.assert_allclose(found["truncated"], expected["semantic"], atol=1e-5)
    assert found["errors"] == ["view", "weight", "backend"]
    assert (np.array(found["halved"]) != found["joint"]).any()
    np.testing.assert_allclose(found["halved"], expected["joint"], atol=5e-3)
    for vector in found["cut"][:2]:
        np.testing.assert_allclose(vector, found["cut"][2], atol=1e-5)


# "Rain" has no structural vector: its gradient must be a number all the same.
TUNING = """
import json, sys
import numpy as np
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.losses import MultipleNegativesRankingLoss

folder, *texts = sys.argv[1:]
torch.manual_seed(0)
model = SentenceTransformer(folder, trust_remote_code=True, device="cpu")
loss = MultipleNegativesRankingLoss(model)
optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
model.train()
losses = []
for _ in range(8):
    value = loss([model.preprocess(column) for column in (texts, texts[::-1])], None)
    value.backward()
    still = [name for name, each in model.named_parameters() if each.grad is None]
    optimizer.step()
    optimizer.zero_grad()
    losses.append(value.item())
model.eval()
after = model.encode(texts)
model.save_pretrained("tuned")
again = SentenceTransformer("tuned", trust_remote_code=True, device="cpu").encode(texts)
print(json.dumps({"losses": losses, "still": still, "lost": float(np.abs(after - again).max())}))
"""


def test_an_export_can_be_trained_further_by_sentence_transformers(
    tiny_backbone: Path, tmp_path: Path, without_synsem: WithoutSynSem
) -> None:
    export_alone(with_noise(create(tiny_backbone).eval()), tmp_path / "exported", "joint")
    texts = ["The cat saw the dog.", "Rain", "The queen saw the ship."]
    said = without_synsem.run(TUNING, str(tmp_path / "exported"), *texts, folder=tmp_path)
    found = json.loads(said.splitlines()[-1])
    assert found["still"] == []  # backbone and heads both learn
    assert found["losses"][-1] < found["losses"][0]
    assert found["lost"] < 1e-6
