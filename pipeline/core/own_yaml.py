"""Tables of this project that are YAML files beside the code that reads them."""

from importlib.resources.abc import Traversable
from typing import Any

import yaml

# libyaml's, where PyYAML was built with it: ten times as fast.
Loader: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_own(file: Traversable) -> Any:
    """What the file says, as mappings, lists, numbers and strings; a file that the user writes is for
    ``pipeline.params``."""
    return yaml.load(file.read_text(encoding="utf-8"), Loader)
