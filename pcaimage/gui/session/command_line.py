"""The command line that makes the same file as the present settings. No Qt here."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from pathlib import Path

from pcaimage import api
from pcaimage.codec import Effort
from pcaimage.gui.session.choice import Choice, Setting
from pcaimage.gui.session.document import Document
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.state import SessionState

PROGRAM = "pcaimage"

_PLAIN = re.compile(r"[\w.:\\/+,-]+")  # text without characters that the shells of Windows treat specially
_WHOLE = 1e15  # integers below this are written without a fraction


def command_for(
    state: SessionState, target: Path | None = None, *, windows: bool | None = None
) -> str | None:
    """Return the command line that writes the same file as saving does; None if there is none.

    There is none for images that come from no file or from several, nor before the components are known. By
    default the `target` is beside the open file, and the quoting is that of the platform (`windows`).
    """
    arguments = _arguments(state, target)
    return None if arguments is None else _joined(arguments, windows=windows)


def table_command(path: Path, *, windows: bool | None = None) -> str:
    """Return the command line that does the PCA of a table of numbers, quoted for the platform."""
    return _joined([PROGRAM, "table", str(path.absolute())], windows=windows)


def _joined(arguments: list[str], *, windows: bool | None) -> str:
    if windows if windows is not None else os.name == "nt":
        return " ".join(map(_quoted_for_windows, arguments))
    return shlex.join(arguments)


def has_command(state: SessionState) -> bool:
    """Return whether a command line can write the same file as saving does."""
    return state.ready and state.document is not None and state.document.path is not None


def _arguments(state: SessionState, target: Path | None) -> list[str] | None:
    document, fit, setting = state.document, state.fit, state.setting
    if document is None or document.path is None or fit is None or not has_command(state):
        return None
    source = document.path.absolute()
    if document.image is None:
        output = target or source.with_name(f"{source.stem}-{setting.k}{api.SUFFIX}")
        return [PROGRAM, "trim", str(source), str(output), "--k", str(setting.k)]
    output = target or _beside(document, source)
    arguments = [PROGRAM, "encode", str(source), str(output), "--method", state.choice.method]
    arguments += ["--array", document.member] if document.member else []
    if document.images_in_file > 1:
        arguments += ["--frame", str(document.image_in_file + 1)]
    if document.damaged:
        arguments += ["--salvage"]
    if document.is_stack:
        arguments += ["--pages", "images"]  # a file may be ambiguous
    return arguments + _of_choice(state.choice, setting) + _of_setting(state.choice, setting, fit)


def _of_choice(choice: Choice, setting: Setting) -> list[str]:
    """Return the arguments for everything that components depend on, except the method."""
    if choice.method == "photo":
        arguments = ["--basis", choice.basis.value, "--tune", choice.tune_of(setting).value]
        if choice.effort is not Effort.STANDARD:
            arguments += ["--effort", choice.effort.value]
        return arguments
    arguments = ["--block", str(choice.block)] if choice.method == "blocks" else []
    if choice.whitens:
        arguments += ["--mnf"]
    elif choice.standardize:
        arguments += ["--standardize"]
    if choice.model is not None:
        arguments += ["--model", str(choice.model.path.absolute())]
    told = choice.settings
    if told.all_measured or told.nodata is not None:
        arguments += ["--nodata", "none" if told.nodata is None else _number(told.nodata)]
    return arguments


def _of_setting(choice: Choice, setting: Setting, fit: Fit) -> list[str]:
    """Return the arguments for how much is kept."""
    if setting.lossless:
        return ["--lossless"]
    arguments = [] if choice.bound is None else ["--max-error", _number(choice.bound)]
    arguments += ["--k", str(setting.k)]
    if setting.chosen_step is not None:
        arguments += ["--step", repr(float(fit.step(setting.k, setting.chosen_step)))]
    if setting.left_out:
        arguments += ["--leave-out", ",".join(map(str, sorted(setting.left_out)))]
    return arguments


def _number(value: float) -> str:
    return str(int(value)) if value.is_integer() and abs(value) < _WHOLE else repr(value)


def _beside(document: Document, source: Path) -> Path:
    """Return the path of the compressed file beside an image, or beside a folder of images."""
    return source.with_name(f"{source.name if document.is_stack else source.stem}{api.SUFFIX}")


def _quoted_for_windows(argument: str) -> str:
    if _PLAIN.fullmatch(argument):
        return argument
    quoted = subprocess.list2cmdline([argument])
    # It quotes only for spaces and quotation marks, but & and ( are special, too.
    return quoted if quoted.startswith('"') else f'"{quoted}"'
