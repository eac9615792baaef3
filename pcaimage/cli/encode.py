"""``pcaimage encode``."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pcaimage import api, codec
from pcaimage.cli import files, formatting
from pcaimage.cli.commands import EncodeCommand
from pcaimage.cli.declared import member_of
from pcaimage.cli.terminal import progress_bar, say, say_json, warn
from pcaimage.codec import Compressed, Encoding, Settings
from pcaimage.errors import ImplausibleSizeError
from pcaimage.imaging import Image, bits_per_pixel
from pcaimage.imaging.image.formats import title_of
from pcaimage.progress import Progress, part
from pcaimage.quality import psnr_of_mse


@dataclass(frozen=True)
class Result:
    """An encoded image, the size of its file, and the PSNR of its reconstruction in decibels.

    `unrounded` is the PSNR without quantisation of the scores, None where it is not known.
    """

    image: Image
    encoding: Encoding
    file_bytes: int
    psnr: float
    unrounded: float | None = None

    def values(self) -> dict[str, Any]:
        """Return the figures by their JSON keys."""
        compressed = self.encoding.compressed
        return {
            "file_bytes": self.file_bytes,
            "raw_bytes": self.image.raw_bytes,
            "original_bytes": self.image.file_size,
            "ratio": self.image.raw_bytes / self.file_bytes,
            "bits_per_pixel": bits_per_pixel(self.file_bytes, codec.pixels_of(compressed)),
            "k": compressed.k,
            "k_max": codec.k_max(compressed),
            "step": float(compressed.header.step),
            "psnr": formatting.finite_or_none(self.psnr),
            "peak": codec.peak_of(compressed),
            "model": None if compressed.basis is None else str(compressed.basis),
            "max_error": codec.error_bound(compressed),
            "nodata": formatting.finite_or_name(codec.nodata_of(compressed)),
            "psnr_unrounded": None if self.unrounded is None else formatting.finite_or_none(self.unrounded),
        }

    def sentence(self, name: str) -> str:
        """Return sizes, ratio, k and quality in one line that starts with the file's name."""
        values = self.values()
        original = ""
        if self.image.file_size is not None:
            larger, size = self.image.file_size < self.file_bytes, formatting.size_text(self.image.file_size)
            kind = title_of(self.image.format) or "the original"
            original = f", {'larger than' if larger else 'from'} {size} of {kind}"
        model = f"; basis in model file, id {values['model']}" if values["model"] else ""
        unrounded = ""
        if self.unrounded is not None and self.psnr < math.inf:
            unrounded = f" ({formatting.psnr_text(self.unrounded)} before rounding)"
        compressed = self.encoding.compressed
        white, channels = compressed.header.white, codec.pixels_of(compressed)[-1]
        relative = formatting.relative_text(values["peak"]) if self.psnr < math.inf else ""
        used = "" if white is None or compressed.values else f", {formatting.used_text(white)}"
        near = formatting.within_text(
            values["max_error"], self.image.bands.scale, self.image.bands.value_unit
        )
        return (
            f"{name}: {formatting.size_text(self.file_bytes)}{original}; "
            f"{values['ratio']:.1f} : 1 compared with raw pixels, "
            f"{formatting.rate_text(values['bits_per_pixel'], channels)}; "
            f"k = {values['k']} of {values['k_max']}, {formatting.psnr_text(self.psnr)}{relative}{unrounded}"
            f"{near}{used}{model}"
        )


def encode(given: EncodeCommand) -> None:
    """Compress an image into a file, and print its figures."""
    settings = given.settings
    limits, aside = files.limits_of(given.limit), given.target == files.STANDARD
    member = member_of(given.array, given.select)
    stored = given.model is None
    reading = files.Reading(given.pages, given.frame, given.salvage, member, given.axis, stored=stored)
    chosen = None if given.preset is None else api.preset_of(given.preset)
    with files.target_file(given.target, api.SUFFIX, overwrite=given.overwrite) as written:
        files.check_output(written, overwrite=given.overwrite, suffix=api.SUFFIX)
        lender = None if given.model is None else files.open_compressed(given.model, limits=limits).compressed
        if lender is not None:
            settings = settings.sampled_by(lender.header.sampling)
        with files.source_file(given.source, limits=limits) as path:
            image, settings = files.read_original(path, settings, reading, limits, chosen)
            if path.name != given.source.name:
                image = replace(image, name="")  # the name of a stream's temporary copy
            with progress_bar(f"Compressing {path.name}") as progress:
                target = None if given.dry_run else written
                result = _compress(image, target, settings, lender, progress, overwrite=given.overwrite)
        if target is not None and result.file_bytes * 256 < image.raw_bytes:
            _warn_if_implausible(target)
        if given.as_json:
            places = {"input": str(given.source), "output": str(given.target)}
            say_json(places | result.values(), aside=aside)
        else:
            say(result.sentence(written.stem if aside else given.target.name), aside=aside)
            if exact := api.exact_text(result.encoding, settings):
                say(exact, aside=aside)
            if (image.file_size or result.file_bytes) < result.file_bytes:
                say("Keep the original, or ask for less with --psnr, --ssim or --size.", aside=aside)


def _warn_if_implausible(target: Path) -> None:
    """Say at once that a file is too short for what it claims to be opened as others are."""
    try:
        files.open_compressed(target)
    except ImplausibleSizeError as error:
        warn(str(error))


def _compress(
    image: Image,
    target: Path | None,
    settings: Settings,
    model: Compressed | None,
    progress: Progress,
    *,
    overwrite: bool,
) -> Result:
    coded = api.compressing_share(image.pixels, settings)
    compared = coded + 0.01
    encoding = api.compress_image(
        image, settings, progress=part(progress, 0.0, coded), model=model, checked=True
    )
    # Saving verifies that the file decodes to this model, so this is the error of the file.
    error = encoding.mean_squared_error(image.pixels, part(progress, coded, compared))
    compressed = encoding.compressed
    if target is None:
        n_bytes = api.size_of(compressed)
    else:
        saved = part(progress, compared, 1.0)
        n_bytes = api.save_encoding(target, encoding, progress=saved, overwrite=overwrite)
    unrounded = codec.unrounded_psnr_of(compressed, settings.leave_out)
    return Result(image, encoding, n_bytes, psnr_of_mse(error, codec.peak_of(compressed) or 1.0), unrounded)
