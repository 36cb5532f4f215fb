"""``python -m pipeline.params``: read all of params.yaml, or say in one sentence what is wrong with it.

In dvc.yaml it stands before every command line into which DVC puts values of params.yaml. DVC hands such a
line to a shell, and runs the stages above only where something of theirs has changed; so the values would
otherwise be seen by a shell before anything has checked them.
"""

import sys
from pathlib import Path

from pipeline.core.errors import SynsemError
from pipeline.params import load_all


def main() -> None:
    """Exit with code 1 and one sentence where params.yaml of this folder is not valid."""
    try:
        load_all(Path("params.yaml"))
    except SynsemError as error:
        print(f"synsem: {' '.join(str(error).split())}", file=sys.stderr)
        raise SystemExit(1) from None


if __name__ == "__main__":
    main()
