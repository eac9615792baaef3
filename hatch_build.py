"""The build hook: compiles the core into the package, for this machine alone."""

from __future__ import annotations

import runpy
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CoreHook(BuildHookInterface[Any]):
    """Compiles the core before a wheel is packed, or an editable install made."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Return what compiling needs: nothing, or a compiler where the machine has none."""
        return [] if self._script()["compiler"]() else ["ziglang>=0.15"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """Compile the core."""
        script = self._script()
        target = script["SOURCES"] / script["FILE"]
        script["compile_core"](target)
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform}"
        build_data["artifacts"].append(f"pcaimage/core/{target.name}")

    def _script(self) -> dict[str, Any]:
        return runpy.run_path(str(Path(self.root) / "scripts" / "compile_core.py"))
