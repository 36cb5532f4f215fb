"""What pyproject.toml cannot say of the build: a wheel has one top-level name, ``synsem``.

In the repository the library is ``pipeline`` and the commands are ``stages``: dvc.yaml names these folders,
and an editable install leaves them there. Other projects have folders of these names, too. So in a wheel they
are ``synsem._pipeline`` and ``synsem._stages``, and their imports are rewritten, as pip does for the packages
that it brings along. The default parameters and the contrast sets lie beside them (see docs/contributing.md).
"""

import re
import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.egg_info import egg_info

MOVED = ("pipeline", "stages")
# ``from pipeline.nn import x``, and strings that name modules, as f"pipeline.systems.{name}.model".
_NAMES = re.compile(
    rf"""^(\s*from\s+)(?={"|".join(MOVED)}\b)|(["'])(?=(?:{"|".join(MOVED)})\.[a-z{{])""", re.M
)


def renamed(source: str) -> str:
    """A file's source with the names that its modules have in a wheel."""
    return _NAMES.sub(lambda match: f"{match[1] or match[2]}synsem._", source)


class BuildPackage(build_py):
    """Move the library and the commands into ``synsem``, unless the install is editable."""

    def run(self) -> None:
        """Build as ever, then move and rewrite."""
        super().run()
        if self.editable_mode:
            return
        built = Path(self.build_lib)
        package = built / "synsem"
        for name in MOVED:
            shutil.rmtree(package / f"_{name}", ignore_errors=True)
            (built / name).rename(package / f"_{name}")
        for path in package.rglob("*.py"):
            path.write_text(renamed(path.read_text(encoding="utf-8")), encoding="utf-8")
        shutil.copyfile("params.yaml", package / "params.yaml")
        shutil.copytree("data/contrast", package / "data" / "contrast", dirs_exist_ok=True)


class WheelNames(egg_info):
    """Write the top-level name of the wheel, not those of the repository."""

    def run(self) -> None:
        """Write what setuptools does, and that."""
        super().run()
        Path(self.egg_info, "top_level.txt").write_text("synsem\n", encoding="utf-8")


setup(cmdclass={"build_py": BuildPackage, "egg_info": WheelNames})
