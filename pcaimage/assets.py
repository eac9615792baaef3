"""Where icons and resources are, in an installed package and in a source checkout."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def asset(*parts: str) -> Path:
    """Return the path of a file of ``icons/`` or ``resources/``.

    Parameters
    ----------
    *parts : str
        The path's parts below the project, such as ``"icons", "open.svg"``.

    Returns
    -------
    pathlib.Path
        The file's path.

    Raises
    ------
    FileNotFoundError
        If it is neither in the installed package nor in the checkout.
    """
    for root in (_PACKAGE / "_assets", _PACKAGE.parent):
        path = root.joinpath(*parts)
        if path.exists():
            return path
    raise FileNotFoundError(f"pcaimage was installed without {'/'.join(parts)}.")
