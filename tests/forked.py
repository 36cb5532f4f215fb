"""Run stages as processes without the wait for imports: forked from a process that has done them.

What runs is the function behind ``python -m stages.NAME``, with its arguments parsed and its errors printed
as there; only the seconds that importing takes are saved.
"""

import contextlib
import os
import resource
import signal
import sys
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from tests.forkserver import context


def start(
    project: Path,
    *command: str,
    workers: int = 1,
    largest_file: int | None = None,
    output: Connection | None = None,
) -> BaseProcess:
    """Begin ``synsem COMMAND`` in ``project``, in a process group of its own.

    What it prints goes to ``output``, by default to ``project/log``. ``largest_file``: bytes after which
    every write to a file fails, as on a full disk.
    """
    process = context().Process(target=_work, args=(project, command, workers, largest_file, output))
    process.start()
    return process


def finish(project: Path, *command: str, **settings: Any) -> tuple[int, str]:
    """Run a command to its end; returns its exit code and its output."""
    reader, writer = context().Pipe(duplex=False)
    process = start(project, *command, output=writer, **settings)
    writer.close()
    said = b""
    while some := os.read(reader.fileno(), 65536):
        said += some
    process.join()
    assert process.exitcode is not None
    return process.exitcode, said.decode(errors="replace")


def kill(process: BaseProcess) -> bool:
    """kill -9 the whole group with its workers; returns False where the process had ended by itself."""
    ended = process.exitcode is not None
    assert process.pid is not None
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError):
        os.kill(process.pid, signal.SIGKILL)  # it may have no group of its own yet
    process.join()
    return not ended and process.exitcode == -signal.SIGKILL


def _work(
    project: Path,
    command: tuple[str, ...],
    workers: int,
    largest_file: int | None,
    output: Connection | None,
) -> None:
    os.setsid()
    log = output.fileno() if output else os.open(project / "log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.chdir(project)
    os.environ["SYNSEM_WORKERS"] = str(workers)
    if largest_file is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))
    if workers == 1:  # several workers exchange tasks by pickle, which no file takes part in
        sys.addaudithook(_refuse)
    sys.argv = ["synsem", *command]
    from pipeline.core import scratch

    # The same for all attempts, even if the code is edited meanwhile.
    scratch.code_digest = lambda: "one"  # type: ignore[assignment]
    from stages.cli import main

    try:
        main()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    """Fail where a stage or tool opens a port, runs a shell or unpickles."""
    if event in ("socket.bind", "socket.listen", "pickle.find_class", "os.system", "marshal.load"):
        raise AssertionError(f"{event} {arguments}")
