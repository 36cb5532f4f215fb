"""Tables of this project that are YAML files beside the code that reads them."""

from importlib.resources.abc import Traversable
from typing import Any

import yaml

# libyaml's, where PyYAML was built with it: ten times as fast.
SafeLoader: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_own(file: Traversable) -> Any:
    """What the file says, as mappings, lists, numbers and strings.

    A file that the user writes is read by ``pipeline.params``, which says what is wrong with it.
    """
    return yaml.load(file.read_text(encoding="utf-8"), SafeLoader)
