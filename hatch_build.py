"""The build hook: compiles the core into the package, for this machine or a named platform, and translations.

The variable ``PCAIMAGE_PLATFORM`` names one of those that ``scripts/compile_core.py`` lists.
"""

from __future__ import annotations

import os
import runpy
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

VARIABLE = "PCAIMAGE_PLATFORM"


class CoreHook(BuildHookInterface[Any]):
    """Compiles the core before a wheel is packed, or an editable install is made."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Return the requirements for compiling: none, or a compiler if the machine has none."""
        script = self._script()
        needless = not os.environ.get(VARIABLE) and (
            script["is_current"](script["library"]()) or script["compiler"]()
        )
        return [] if needless else [script["ZIG"]]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the core: into the tree for an editable install, otherwise beside it."""
        script = self._script()
        inside = script["library"]()
        try:
            wanted = self._platform(script)
            platform = wanted or script["this_platform"]()
            current = not wanted and script["is_current"](inside)
            built = (
                inside if current or version == "editable" else script["BUILD"] / platform.tag / platform.file
            )
            if not current:
                script["compile_core"](built, wanted)
        except script["CompileError"] as error:
            sys.exit(str(error))
        runpy.run_path(str(Path(self.root) / "scripts" / "compile_languages.py"))["main"]()
        if version != "editable":
            build_data["force_include"][str(built)] = f"pcaimage/core/{platform.file}"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform.tag}"

    def _platform(self, script: dict[str, Any]) -> Any:
        """Return the named platform, or None for this machine."""
        name = os.environ.get(VARIABLE)
        if name and name not in script["PLATFORMS"]:
            known = ", ".join(script["PLATFORMS"])
            raise script["CompileError"](f"{VARIABLE} is {name}, which is none of {known}.")
        return script["PLATFORMS"][name] if name else None

    def _script(self) -> dict[str, Any]:
        return runpy.run_path(str(Path(self.root) / "scripts" / "compile_core.py"))
