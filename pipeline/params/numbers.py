"""YAML whose numbers are those that DVC writes.

PyYAML takes 2e-05 for a text, by the letter of YAML 1.1; DVC, by YAML 1.2, writes a small rate just so.
"""

import re
from typing import Any

import yaml


class _SafeLoader(yaml.SafeLoader):
    pass


_SafeLoader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d+$"), list("-+.0123456789")
)


def read_yaml(text: str) -> Any:
    """What the text says: mappings, lists, numbers, texts. Raises yaml.YAMLError where it is no YAML."""
    return yaml.load(text, _SafeLoader)
