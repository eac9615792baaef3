"""The images that are compressed: one, many bands, or a stack."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pcaimage.cli.files import is_compressed
from pcaimage.cli.pages import Pages
from pcaimage.cli.terminal import warn
from pcaimage.codec import Settings
from pcaimage.errors import ImageError, SettingsError
from pcaimage.imaging import Contents, Image, ReadAs, inspect, read_image, read_stack
from pcaimage.sampling import Stack

_KINDS: dict[Pages, ReadAs] = {Pages.BANDS: "bands", Pages.IMAGES: "stack"}


def read_original(source: Path, settings: Settings, pages: Pages | None = None) -> tuple[Image, Settings]:
    """Read an image, or say why it is none for this method.

    Parameters
    ----------
    source : Path
        The image, for a stack a folder or a file of several images.
    settings : Settings
        How it is going to be compressed.
    pages : Pages, optional
        What its planes are. By default what the file says, and where it leaves that open what is most
        likely, which the user is told.

    Returns
    -------
    image : Image
        The image, or the stack.
    settings : Settings
        With the method of stacks where there is one and no other was chosen.

    Raises
    ------
    ImageError
        If it cannot be read, or is compressed already.
    SettingsError
        If the method is not for what it holds.
    """
    if is_compressed(source) and source.exists():
        raise ImageError(
            f"{source.name} is compressed already; `pcaimage trim` makes it smaller, and `pcaimage decode` "
            "gives the image back."
        )
    if isinstance(settings.sampling, Stack):
        if pages is Pages.BANDS:
            raise SettingsError("--method stack compresses images; with --pages bands there is but one.")
        return read_stack(source), settings
    contents = inspect(source)
    if pages is None:
        _tell(source, contents)
    kind = contents.default.kind if pages is None else _KINDS[pages]
    if kind == "stack" and settings.sampling is not None:
        raise SettingsError(
            f"{source.name} holds images; --method stack compresses them together, and --pages bands takes "
            "them as the bands of one."
        )
    image = read_image(source, as_=None if pages is None else kind)
    return image, replace(settings, sampling=Stack()) if image.is_stack else settings


def _tell(source: Path, contents: Contents) -> None:
    """Refuse a folder of images, which --method must name, and tell of what was guessed."""
    if source.is_dir() and contents.default.kind == "stack":
        ways = ", and --pages bands takes them as the bands of one" if contents.ambiguous else ""
        raise ImageError(
            f"{source.name} is a folder; --method stack compresses the images in it together{ways}."
        )
    if contents.ambiguous:
        other = Pages.BANDS if contents.default.kind == "stack" else Pages.IMAGES
        warn(f"{source.name} is read as {contents.default.text}; --pages {other} reads it otherwise.")
