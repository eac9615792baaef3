"""The work on a setting that runs on worker threads. No Qt here."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from pcaimage import api, codec
from pcaimage.codec import Encoding, Estimate, Model, Rates, Region, Spectrum, corrections
from pcaimage.gui.screen.picture import Picture
from pcaimage.gui.session.display import Display, Layers, resized_opacity, with_opacity
from pcaimage.gui.session.document import Document
from pcaimage.gui.session.fit import Fit, as_sampled
from pcaimage.gui.session.setting import Setting
from pcaimage.gui.session.state import Estimated, Measured, Settled, Similarity
from pcaimage.imaging import Image, ssim, write_image
from pcaimage.progress import Progress, part
from pcaimage.quality import mean_squared_error, psnr_of_mse

NEAR = 4.0
"""A photo's estimates are made ready for steps up to so many times larger or smaller than the present one."""


@dataclass(frozen=True, eq=False)
class Task:
    """A document, its components and a setting: what most work needs."""

    document: Document
    fit: Fit
    setting: Setting
    frame: int
    """Which image of a stack is shown."""
    display: Display | None = None
    """How it is shown; by default as the document is at first."""

    @property
    def lacking(self) -> Fit:
        """The components without those that are left out."""
        return self.fit.without(self.setting.left_out)

    @property
    def original(self) -> Image | None:
        """The original, which says of what was not measured what was chosen."""
        image = self.document.image
        return None if image is None else api.as_chosen(image, self.fit.choice.settings)

    @property
    def image(self) -> Image | None:
        """The same as its components see it: perhaps a stack of one."""
        original = self.original
        return None if original is None else as_sampled(original, self.fit.choice)

    def quantize(self, progress: Progress) -> Model:
        """Return what a file would hold."""
        return self.lacking.quantize(self.setting.k, self.setting.chosen_step, progress)

    def settle(self, progress: Progress) -> Settled:
        """Make the exact reconstruction and compare it with the original."""
        original = self.document.image
        if self.setting.lossless and original is not None:
            layers = self.document.layers_of(original.pixels, self.frame)
            return Settled(self.setting, original.pixels, layers, math.inf)
        if self.fit.choice.bound is not None and original is not None:
            return self._settled_as(self.encode(progress).decoded().reshape(self.document.shape))
        # To round a photo is to code it.
        rounding = 0.8 if self.fit.preview.header.traits.costly_trials else 0.4
        model = self.quantize(part(progress, 0.0, rounding))
        file, rest = self.document.compressed, part(progress, rounding, 1.0)
        if file is not None and file.compressed.residual is not None and self.setting.k == file.k:
            pixels = codec.exact(file.compressed, model, rest)
        else:
            pixels = model.reconstruct(rest)
        return self._settled_as(pixels.reshape(self.document.shape))

    def _settled_as(self, pixels: NDArray[Any]) -> Settled:
        psnr = None
        if self.document.image is not None:
            mse = mean_squared_error(self.document.image.pixels, pixels)
            psnr = psnr_of_mse(mse, self.fit.preview.header.peak)
        return Settled(self.setting, pixels, self.document.layers_of(pixels, self.frame), psnr)

    def encode(self, progress: Progress) -> Encoding:
        """Compress the image."""
        image, analysis, bound = self.image, self.lacking.analysis, self.fit.choice.bound
        if image is None or analysis is None:
            raise ValueError("Only an image can be compressed; a file is trimmed.")
        known = self.fit.encoded.get(self.setting)
        if known is not None:
            return known
        model = self.quantize(part(progress, 0.0, 0.3))
        encoding = codec.complete(
            image.pixels,
            analysis,
            model,
            alpha=image.alpha,
            metadata=api.metadata_of(image),
            lossless=self.setting.lossless,
            max_error=bound,
            progress=part(progress, 0.3, 1.0),
        )
        if bound is not None:  # what is shown is what was coded
            self.fit.encoded.put(self.setting, encoding)
        return encoding

    def measure(self, progress: Progress) -> Measured:
        """Find the size of the file by making it."""
        compressed = self.encode(progress).compressed
        return Measured(self.setting, api.size_of(compressed), compressed)

    def estimate(self, progress: Progress) -> Estimated | None:
        """Estimate size and quality.

        Parameters
        ----------
        progress : Progress
            Asked before the work, so that it can be stopped.

        Returns
        -------
        Estimated or None
            None for a compressed file, which needs none, and for photos without loss.
        """
        progress(0, 1)
        rates, analysis, bound = self.lacking.rates, self.lacking.analysis, self._bound
        if rates is None or analysis is None or (self.setting.lossless and bound is None):
            return None
        step = self.fit.step(self.setting.k, self.setting.chosen_step)
        estimate = rates.estimate(self.setting.k, float(step))
        if bound is not None:
            estimate = with_corrections(estimate, analysis, bound, progress)
        extra = self.fit.carried_bytes(self.document.image)
        return Estimated(self.setting, replace(estimate, n_bytes=estimate.n_bytes + extra))

    @property
    def _bound(self) -> float | None:
        """The greatest error that values of many bands may have; None where none is promised."""
        exact = self.setting.lossless and self.fit.preview.header.traits.bounds_errors
        return 0.0 if exact else self.fit.choice.bound

    @property
    def estimate_at_hand(self) -> bool:
        """Whether :meth:`estimate` takes no time."""
        rates = self.lacking.rates
        if rates is not None and self._bound is not None:
            return False
        return rates is None or rates.knows(float(self.fit.step(self.setting.k, self.setting.chosen_step)))

    def look_ahead(self, progress: Progress) -> None:
        """Have estimates ready for what the user may want next."""
        if self.lacking.rates is not None:
            look_ahead(self.lacking.rates, self.fit, self.setting, progress)

    def save(self, path: Path, progress: Progress) -> int:
        """Write the compressed file.

        Returns
        -------
        int
            Bytes written.
        """
        if self.document.compressed is not None:
            trimmed = self.document.compressed.compressed.trimmed(self.setting.k)
            return api.save_compressed(path, trimmed, overwrite=True)
        encoding = self.encode(part(progress, 0.0, 0.6))
        return api.save_encoding(path, encoding, progress=part(progress, 0.6, 1.0), overwrite=True)

    def export(self, path: Path, progress: Progress, *, settled: Settled | None) -> Path:
        """Write the reconstruction as an image of another format.

        Parameters
        ----------
        path : Path
            Where; what is there is replaced. Its suffix tells the format.
        """
        pixels = self._settled(settled, progress).pixels
        original = self.original
        if original is not None:
            image = replace(original, pixels=pixels)
        elif self.document.compressed is not None:
            image = api.image_of(self.document.compressed.compressed, pixels)
        write_image(path, image, overwrite=True)
        return path

    def copy(self, settled: Settled | None, progress: Progress) -> Picture:
        """Return all of the reconstruction as it is shown.

        Returns
        -------
        Picture
            Of 8 bits.
        """
        layers = self._settled(settled, progress).layers
        return layers.render(Region(0, 0, *self.document.size), 1.0)

    def _settled(self, known: Settled | None, progress: Progress) -> Settled:
        return known if known is not None and known.setting == self.setting else self.settle(progress)

    def render(self, exact: Layers | None, region: Region, scale: float) -> Picture:
        """Return a part of the reconstruction as it is shown.

        Parameters
        ----------
        region : Region
            The part.
        scale : float
            Screen pixels to an image pixel.
        """
        if exact is not None:
            return exact.render(region, scale)
        display = self.display or self.document.display
        step, zone = self.fit.rounding(self.setting)
        view = self.fit.preview.render(
            region,
            scale,
            self.setting.k,
            step=step,
            zone=zone,
            bands=display.bands,
            white=display.white,
            screen=display.screen_of(self.document.shape[-1]),
            frame=self.frame,
            left_out=self.setting.left_out,
        )
        covered = (view.left, view.top, view.right, view.bottom)
        opacity, pixels = self.document.opacity(self.frame), view.pixels
        if opacity is not None:
            rows, columns = pixels.shape[:2]
            pixels = with_opacity(pixels, resized_opacity(opacity, (rows, columns), covered))
        return Picture(pixels, covered)


def similarity(document: Document, settled: Settled, progress: Progress) -> Similarity:
    """Compare original and reconstruction by their structure: the mean SSIM of all channels."""
    if document.image is None:
        raise ValueError("Without the original there is nothing to compare with.")
    return Similarity(settled.setting, ssim(document.image.pixels, settled.pixels, progress))


def look_ahead(rates: Rates, fit: Fit, now: Setting, progress: Progress) -> None:
    """Compute the estimates that the user may ask for next, so that they are at hand."""
    if not fit.preview.header.traits.costly_trials:
        rates.curve(progress)
        return
    # Of a photo, those of all steps would take the better part of a minute.
    step = float(fit.step(now.k, now.chosen_step))
    near = [k for k in range(1, fit.n_components + 1) if 1 / NEAR <= float(fit.step(k, None)) / step <= NEAR]
    for done, k in enumerate(sorted(near, key=lambda k: abs(k - now.k))):
        progress(done, len(near))
        rates.estimate(k)


def with_corrections(estimate: Estimate, analysis: Spectrum, bound: float, progress: Progress) -> Estimate:
    """Add to an estimate what corrections cost and gain, where no value may be off by more than a bound."""
    found = corrections(analysis, estimate.k, estimate.step, bound, progress)
    psnr = psnr_of_mse(found.mse, analysis.header.peak)
    return replace(estimate, n_bytes=estimate.n_bytes + round(found.n_bytes), mse=found.mse, psnr=psnr)
