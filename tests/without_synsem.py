"""Programs where SynSem cannot be imported, as for someone who downloads a model.

They have sentence-transformers alone. Importing that takes ten seconds, so one process does it, and forks
another for each program; one that says `import synsem` gets it.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

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
