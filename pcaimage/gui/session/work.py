"""The work on a setting that runs on worker threads. No Qt here."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage import api, codec
from pcaimage.codec import Drawing, Encoding, Estimate, Model, Region, Spectrum, corrections
from pcaimage.gui.screen.picture import Picture
from pcaimage.gui.session.choice import Setting
from pcaimage.gui.session.display import Display, Rendering
from pcaimage.gui.session.document import Document, missing_of
from pcaimage.gui.session.fit import Fit, as_sampled
from pcaimage.gui.session.state import EncodedFile, ExactReconstruction, SettingEstimate, Similarity
from pcaimage.imaging import Image, ssim
from pcaimage.insight.bands import SpectralAngles
from pcaimage.machine.mapped import check_unchanged
from pcaimage.progress import Progress, no_progress, part
from pcaimage.quality import mean_squared_error, psnr_of_mse

NEAR = 4.0  # the largest ratio of a step to the present one for which a photo's estimates are computed ahead


@dataclass(frozen=True, eq=False)
class Task:
    """The input of work on a setting: the document, its components and the setting."""

    document: Document
    fit: Fit
    setting: Setting
    frame: int  # the image of a stack that is shown
    display: Display | None = None  # the display; None for the document's

    @property
    def lacking(self) -> Fit:
        """The components as the file codes them, without those that are left out."""
        return self.fit.coded(self.setting)

    @property
    def original(self) -> Image | None:
        """The original, with the chosen no-data value."""
        image = self.document.image
        return None if image is None else api.as_chosen(image, self.fit.choice.settings)

    @property
    def image(self) -> Image | None:
        """The original in the shape of its samples: perhaps a stack of one."""
        original = self.original
        return None if original is None else as_sampled(original, self.fit.choice)

    @property
    def step(self) -> float:
        """The quantiser's step at the setting."""
        return float(self.fit.step(self.setting.k, self.setting.chosen_step))

    def quantize(self, progress: Progress) -> Model:
        """Return the integers that a file would hold."""
        return self.lacking.quantize(self.setting.k, self.setting.chosen_step, progress)

    def settle(self, progress: Progress) -> ExactReconstruction:
        """Compute the exact reconstruction, and compare it with the original."""
        original = self.document.image
        if self.setting.lossless and original is not None:
            layers = self.document.layers_of(original.pixels, self.frame)
            return ExactReconstruction(self.setting, original.pixels, layers, math.inf)
        if self.fit.choice.bound is not None and original is not None:
            return self._settled_as(self.encode(progress).decoded().reshape(self.document.shape))
        # Quantising a photo means encoding it.
        rounding = 0.8 if self.fit.preview.header.traits.costly_trials else 0.4
        model = self.quantize(part(progress, 0.0, rounding))
        file, rest = self.document.compressed, part(progress, rounding, 1.0)
        if file is not None and file.compressed.residual is not None and self.setting.k == file.k:
            pixels = codec.decompress(file.compressed, progress=rest)
        else:
            pixels = model.reconstruct(rest)
        return self._settled_as(pixels.reshape(self.document.shape))

    def _settled_as(self, pixels: NDArray[Any]) -> ExactReconstruction:
        psnr = None
        if self.document.image is not None:
            mse = mean_squared_error(self.document.image.pixels, pixels)
            psnr = psnr_of_mse(mse, self.fit.preview.header.peak)
        return ExactReconstruction(self.setting, pixels, self.document.layers_of(pixels, self.frame), psnr)

    def encode(self, progress: Progress) -> Encoding:
        """Compress the image."""
        bound, known = self.fit.choice.bound, self.fit.encoded.get(self.setting)
        if known is not None:
            return known
        model = self.quantize(part(progress, 0.0, 0.3))
        encoding = self.complete(
            model, part(progress, 0.3, 1.0), lossless=self.setting.lossless, max_error=bound
        )
        if bound is not None:  # the reconstruction is decoded from it
            self.fit.encoded.put(self.setting, encoding)
        return encoding

    def complete(
        self,
        model: Model,
        progress: Progress = no_progress,
        *,
        lossless: bool = False,
        max_error: float | None = None,
    ) -> Encoding:
        """Encode the quantised image, with its opacity and metadata."""
        image, analysis = self.image, self.lacking.analysis
        if image is None or analysis is None:
            raise ValueError("Only an image can be compressed; a file is trimmed.")
        encoding = codec.complete(
            image.pixels,
            analysis,
            model,
            alpha=image.alpha,
            metadata=api.metadata_of(image),
            lossless=lossless,
            max_error=max_error,
            progress=progress,
        )
        check_unchanged(image.pixels)
        return encoding

    def measure(self, progress: Progress) -> EncodedFile:
        """Encode the file to find its size."""
        compressed = self.encode(progress).compressed
        return EncodedFile(self.setting, api.size_of(compressed), compressed)

    def estimate(self, progress: Progress) -> SettingEstimate | None:
        """Estimate size and quality.

        None for a compressed file, whose size is known, and for lossless photos, for which there is no
        estimate.
        """
        rates, analysis, bound = self.lacking.rates, self.lacking.analysis, self._bound
        if rates is None or analysis is None or (self.setting.lossless and bound is None):
            return None
        step = self.step
        # The presets ask for the sample that is coded at this very step, too.
        k, known = self.setting.k, rates.knows(step)
        estimate = rates.estimate(k, step) if known else rates.glanced(k, step, progress)
        if bound is not None:
            estimate = with_corrections(estimate, analysis, bound, progress)
        extra = self.fit.carried_bytes(self.document.image)
        return SettingEstimate(self.setting, replace(estimate, n_bytes=estimate.n_bytes + extra))

    @property
    def _bound(self) -> float | None:
        """The greatest error that values of many bands may have; None for no limit."""
        exact = self.setting.lossless and self.fit.preview.header.traits.bounds_errors
        return 0.0 if exact else self.fit.choice.bound

    @property
    def estimate_at_hand(self) -> bool:
        """Whether :meth:`estimate` is fast."""
        rates = self.lacking.rates
        if rates is not None and self._bound is not None:
            return False
        return rates is None or rates.knows(self.step)

    def look_ahead(self, progress: Progress) -> None:
        """Compute the estimates that the user may need next."""
        # A file that meets a PSNR or loses nothing may be coded otherwise than the next one.
        rates, fit = self.fit.without(self.setting.left_out).rates, self.fit
        if rates is None:
            return
        if not fit.preview.header.traits.costly_trials:
            rates.curve(progress)
            return
        # For a photo, estimates for all steps would take the better part of a minute.
        now, points = self.step, fit.points
        far = np.abs(np.log2(points.steps / now))
        near = [int(index) for index in np.argsort(far, kind="stable") if far[index] <= math.log2(NEAR)]
        for done, index in enumerate(near):
            progress(done, len(near))
            rates.estimate(int(points.ks[index]), points.step(index))

    def save(self, path: Path, progress: Progress) -> int:
        """Write the compressed file, and return its size in bytes."""
        if self.document.compressed is not None:
            trimmed = self.document.compressed.compressed.trimmed(self.setting.k)
            return api.save_compressed(path, trimmed, overwrite=True)
        encoding = self.encode(part(progress, 0.0, 0.6))
        return api.save_encoding(path, encoding, progress=part(progress, 0.6, 1.0), overwrite=True)

    def reconstruction(self, settled: ExactReconstruction | None, progress: Progress) -> Image:
        """Return the exact reconstruction as an image, with the metadata of the original."""
        pixels, original = self._settled(settled, progress).pixels, self.original
        if original is not None:
            return replace(original, pixels=pixels)
        if self.document.compressed is None:
            raise ValueError("Nothing is open.")
        return api.image_of(self.document.compressed.compressed, pixels)

    def copy(self, settled: ExactReconstruction | None, progress: Progress) -> Picture:
        """Render the whole reconstruction with 8 bits."""
        layers = self._settled(settled, progress).layers
        return self.document.on_screen(layers.render(Region(0, 0, *self.document.size), 1.0))

    def _settled(self, known: ExactReconstruction | None, progress: Progress) -> ExactReconstruction:
        return known if known is not None and known.setting == self.setting else self.settle(progress)

    @property
    def rendering(self) -> Rendering:
        """All that pictures of the reconstruction are made from."""
        display = self.display or self.document.display
        drawing = Drawing(
            *self.fit.rounding(self.setting),
            display.bands,
            display.white,
            display.screen_of(self.document.shape[-1]),
            self.frame,
            self.setting.left_out,
        )
        preview = self.fit.preview_of(self.setting)
        return Rendering(preview, self.setting.k, drawing, self.document.opacity(self.frame))


def similarity(
    document: Document, settled: ExactReconstruction, progress: Progress, *, nodata: float | None = None
) -> Similarity:
    """Compute the mean SSIM of all channels of the original and the reconstruction, and angles of spectra."""
    if document.image is None:
        raise ValueError("Without the original there is nothing to compare with.")
    original, angles, share = document.image.pixels, None, 0.0
    if document.many_bands and not document.is_stack:
        share, missing = 0.2, missing_of(original, nodata)
        angles = SpectralAngles.of(original, settled.pixels, missing, part(progress, 0.0, share))
    alike = ssim(original, settled.pixels, part(progress, share, 1.0), peak=document.white)
    return Similarity(settled.setting, alike, angles)


def with_corrections(estimate: Estimate, analysis: Spectrum, bound: float, progress: Progress) -> Estimate:
    """Add the cost and the gain of corrections within a greatest error to an estimate."""
    found = corrections(analysis, estimate.k, estimate.step, bound, progress)
    psnr = psnr_of_mse(found.mse, analysis.header.peak)
    return replace(estimate, n_bytes=estimate.n_bytes + round(found.n_bytes), mse=found.mse, psnr=psnr)
