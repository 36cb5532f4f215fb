"""The trained model that comes with SynSem, in this folder: where it is, and its name."""

from pathlib import Path

HOME = Path(__file__).parent  # a folder that ``registry.load`` reads
SCORER = HOME / "same.json"  # constants of ``Model.same``
_NAME = Path("pretrained")


def named(folder: Path) -> Path:
    """Return the folder, or this model's for ``pretrained`` unless there is a folder of that name."""
    return HOME if folder == _NAME and not folder.exists() else folder
