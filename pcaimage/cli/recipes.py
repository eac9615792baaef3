"""The recipe of a batch, from the options of ``encode`` and ``decode``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pcaimage.batching.recipes import Compress, Export
from pcaimage.cli.choices import Pages, Stripped
from pcaimage.cli.settings import settings_of
from pcaimage.errors import SettingsError

if TYPE_CHECKING:
    from pcaimage.batching.recipes import Recipe
    from pcaimage.codec import Settings
    from pcaimage.imaging import Limits


def exporting(
    name: str | None,
    *,
    quality: int | None,
    compression: int | None,
    resize: str | None,
    srgb: bool,
    strip: Stripped | None,
) -> Export | None:
    """Return the recipe of an export; None if images are compressed.

    PcaImageError if there is no such format, size or quality, or a setting of exports is given without a
    format.
    """
    adapted = resize is not None or srgb or strip is not None
    if name is None:
        if adapted or quality is not None or compression is not None:
            raise SettingsError(
                "--quality, --compression, --resize, --srgb and --strip are for other formats; "
                "--export names one."
            )
        return None
    if not adapted:
        return Export(name, quality, compression)
    from pcaimage.imaging import Adaptation, Resize  # noqa: PLC0415 - few batches change their images

    size = Resize() if resize is None else Resize.parse(resize)
    return Export(name, quality, compression, Adaptation(size, srgb, strip.value if strip else "nothing"))


def recipe_of(
    settings: Settings,
    exported: Export | None,
    *,
    pages: Pages | None = None,
    model: Path | None = None,
    limit: int | None = None,
    preset: str | None = None,
) -> Recipe:
    """Return the recipe of a batch; SettingsError if compression settings are given for an export."""
    limits, lender = _limits(limit), None if model is None else str(model)
    if exported is not None:
        if settings != settings_of() or pages is not None or preset is not None:
            raise SettingsError(
                "--export writes images in another format, to which the settings of .pcai files do not apply."
            )
        return replace(exported, model=lender, limits=limits)
    read_as = {None: None, Pages.BANDS: "bands", Pages.IMAGES: "stack"}[pages]
    if preset is None:
        return Compress(settings, read_as, lender, limits)  # type: ignore[arg-type]  # one of the names
    from pcaimage.api import preset_of  # noqa: PLC0415 - as above

    return Compress(settings, read_as, lender, limits, preset_of(preset))  # type: ignore[arg-type]  # one of the names


def _limits(limit: int | None) -> Limits | None:
    if limit is None:
        return None
    from pcaimage.imaging import Limits  # noqa: PLC0415 - as above

    return Limits.of_bytes(limit)
