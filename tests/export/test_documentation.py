"""Every command and snippet of docs/using-models.md runs, in order, in a project's folder."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "using-models.md").read_text()
COMMANDS = re.findall(r"^    (synsem .+)$", PAGE, flags=re.MULTILINE)
SNIPPETS = re.findall(r"^```python\n(.+?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)


DRIVER = """
import json, shlex, sys
from stages.cli import main

commands, snippets = json.load(sys.stdin)
out = sys.stdout
for command in commands:
    words = shlex.split(command)
    for sign, name, mode in (("<", "stdin", "r"), (">", "stdout", "w")):
        if sign in words:
            at = words.index(sign)
            setattr(sys, name, open(words[at + 1], mode))
            del words[at : at + 2]
    sys.argv = words
    try:
        main()
    except SystemExit as done:
        assert not done.code, command
    sys.stdout.flush()
    sys.stdout = out
for snippet in snippets:
    exec(snippet)
"""


@pytest.mark.slow
@pytest.mark.usefixtures("text_model")
def test_what_the_page_says_works(model: Path) -> None:
    for library in ("onnx", "onnxscript", "onnxruntime"):
        pytest.importorskip(library, reason="pip install '.[onnx]'")
    project = model.parents[2]
    (project / "sentences.txt").write_text("The dog chased the boy.\n\nRain fell.\n")
    (project / "pairs.tsv").write_text("The dog chased the boy.\tRain fell.\n")
    assert (len(COMMANDS), len(SNIPPETS)) == (16, 5)
    done = subprocess.run(
        [sys.executable, "-c", DRIVER],
        input=json.dumps([COMMANDS, SNIPPETS]),
        cwd=project,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    written = {"embeddings.parquet", "joint.npy", "shared-model", "semantic.onnx", "semantic.int8.onnx"}
    written |= {"joint.onnx", "structural.npy", "scores.tsv"}
    assert written <= {path.name for path in project.iterdir()}
