"""The present settings as a command line that makes the same file. No Qt here."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from pathlib import Path

from pcaimage import api
from pcaimage.gui.session.document import Document
from pcaimage.gui.session.state import SessionState

PROGRAM = "pcaimage"

_PLAIN = re.compile(r"[\w.:\\/+,-]+")
"""What no shell of Windows takes for anything else."""


def command_for(
    state: SessionState, target: Path | None = None, *, windows: bool | None = None
) -> str | None:
    """Return the command line that writes the file that saving writes.

    Parameters
    ----------
    state : SessionState
        What is open and chosen.
    target : Path, optional
        The file to write; by default beside what is open.
    windows : bool, optional
        Whether to quote for the shells of Windows; by default for the system at hand.

    Returns
    -------
    str or None
        None if there is no such command: of images that are in no file, or in several, and while the
        components are not known.
    """
    arguments = _arguments(state, target)
    if arguments is None:
        return None
    if windows if windows is not None else os.name == "nt":
        return " ".join(map(_quoted_for_windows, arguments))
    return shlex.join(arguments)


def has_command(state: SessionState) -> bool:
    """Return whether there is a command that writes what saving writes.

    Parameters
    ----------
    state : SessionState
        What is open and chosen.

    Returns
    -------
    bool
        Whether :func:`command_for` returns one.
    """
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
    choice = state.choice
    arguments = [PROGRAM, "encode", str(source), str(output), "--method", choice.method]
    if document.is_stack:
        arguments += ["--pages", "images"]  # many files do not say it themselves
    if choice.method == "blocks":
        arguments += ["--block", str(choice.block)]
    if choice.method == "photo":
        arguments += ["--basis", choice.basis.value]
    elif choice.standardize:
        arguments += ["--standardize"]
    if setting.lossless:
        return [*arguments, "--lossless"]
    arguments += ["--k", str(setting.k)]
    if setting.chosen_step is not None:
        arguments += ["--step", repr(float(fit.step(setting.k, setting.chosen_step)))]
    if setting.left_out:
        arguments += ["--leave-out", ",".join(map(str, sorted(setting.left_out)))]
    return arguments


def _beside(document: Document, source: Path) -> Path:
    """Return the name of the compressed file beside an image, or beside a folder of images."""
    return source.with_name(f"{source.name if document.is_stack else source.stem}{api.SUFFIX}")


def _quoted_for_windows(argument: str) -> str:
    if _PLAIN.fullmatch(argument):
        return argument
    quoted = subprocess.list2cmdline([argument])
    # It sees to spaces and quotation marks only, but & and ( have a meaning outside of quotation marks too.
    return quoted if quoted.startswith('"') else f'"{quoted}"'
