"""The trained model that comes with SynSem, in this folder: where it is, and its name."""

from pathlib import Path

HOME = Path(__file__).parent  # a folder that ``registry.load`` reads
_NAME = Path("pretrained")


def named(folder: Path) -> Path:
    """The folder; of this model for ``pretrained``, where nothing in the working folder is called so."""
    return HOME if folder == _NAME and not folder.exists() else folder
