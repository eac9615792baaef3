"""``pcaimage compare``: PSNR, SSIM and errors between two images."""

from __future__ import annotations

import math
from pathlib import Path

from pcaimage import imaging
from pcaimage.api import CompressedImage
from pcaimage.cli.commands import CompareCommand
from pcaimage.cli.declared import UsageError
from pcaimage.cli.files import STANDARD, limits_of, look_at, read_any, source_file, would_change
from pcaimage.cli.formatting import finite_or_none, relative_text
from pcaimage.cli.terminal import progress_bar, say_json, say_table
from pcaimage.codec import peak_of
from pcaimage.imaging import Contents, Image, Limits, Stored
from pcaimage.progress import Progress, part
from pcaimage.quality import white_of


def compare(given: CompareCommand) -> None:
    """Print how much two images differ; each is a ``.pcai`` file or in any other format.

    PSNR and SSIM are relative to the white that is given, else to that of the ``.pcai`` file if one of them
    is, else to that of the first image. `limit` is the largest uncompressed size of an image in bytes.
    """
    first, second = given.first, given.second
    if first == second == STANDARD:
        raise UsageError("Standard input is one image; name a file to compare it with.")
    limits = limits_of(given.limit)
    with source_file(first, limits=limits) as one_file, source_file(second, limits=limits) as other_file:
        first, second = one_file, other_file
        with progress_bar(f"Comparing {first.name} and {second.name}") as progress:
            one, other = _read_pair(first, second, limits, progress)
            peak = _peak(one, other, given.white)
            found = imaging.compare(one.pixels, other.pixels, part(progress, 0.4, 1.0), peak=peak)
    if given.as_json:
        names = ("psnr", "ssim", "mse", "max_error", "peak")
        say_json({name: finite_or_none(getattr(found, name)) for name in names})
        return
    rows = {
        "PSNR": f"{found.psnr:.2f} dB{relative_text(found.peak)}"
        if found.mse
        else "infinite: the pixels are equal",
        "SSIM": "" if math.isnan(found.ssim) else f"{found.ssim:.5f}",
        "MSE": f"{found.mse:.4g}",
        "Maximum error": f"{found.max_error:.6g}",
    }
    say_table(f"{first.name} and {second.name}", rows)


def _peak(one: Image, other: Image, white: int | None) -> float:
    """Return what differences are relative to."""
    if white is not None:
        return white_of(one.pixels, white, one.bands.nodata)
    stored = [each.white for each in (one, other) if each.format == "PCAI" and each.white is not None]
    return stored[0] if stored else one.peak


def _stored(path: Path, seen: CompressedImage | Contents | None, limits: Limits | None) -> Stored | None:
    """Read an array as it stands, if a file has such."""
    if not isinstance(seen, CompressedImage):
        return imaging.read_array(path, limits)
    return Stored(seen.decode(), format="PCAI", white=peak_of(seen.outline), bands=seen.bands)


def _read_pair(first: Path, second: Path, limits: Limits | None, progress: Progress) -> tuple[Image, Image]:
    """Read two images; if one is a stack, read all images in the other's file.

    Arrays are read as they stand if one is no image, or neither is one as it is.
    """
    seen, too = look_at(first, limits), look_at(second, limits)
    opened = [each for each in (seen, too) if isinstance(each, CompressedImage)]
    changed = (would_change(each) for each in (seen, too) if not isinstance(each, CompressedImage))
    if any(each.values for each in opened) or (not opened and all(changed)):
        arrays = _stored(first, seen, limits), _stored(second, too, limits)
        if arrays[0] is not None and arrays[1] is not None:
            return arrays[0], arrays[1]
    one = read_any(first, seen, part(progress, 0.0, 0.2), limits=limits)
    other = read_any(second, too, part(progress, 0.2, 0.4), stack=one.is_stack, limits=limits)
    if other.is_stack and not one.is_stack and not isinstance(seen, CompressedImage):
        one = read_any(first, seen, stack=True, limits=limits)
    return one, other
