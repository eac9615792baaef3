"""Makes pictures to compare the reconstruction with: of another k, method, format or file. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from pcaimage.errors import ImageError
from pcaimage.gui.session.choice import METHODS, Choice, Setting
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.state import ExactReconstruction, Rival, Rivalry
from pcaimage.gui.session.targets import find_size
from pcaimage.gui.session.work import Task
from pcaimage.imaging import read_image, ssim
from pcaimage.imaging.rivals import rivals
from pcaimage.insight.formatting import file_size
from pcaimage.progress import Progress, part
from pcaimage.quality import mean_squared_error, psnr_of_mse


@dataclass(frozen=True, eq=False)
class RivalMaker:
    """Makes pictures to compare a reconstruction with."""

    task: Task  # the reconstruction
    n_bytes: int | None
    """The size of its file, which other methods and formats must not exceed; None while it is not known."""
    fits: dict[str, Fit]  # a cache of the image's components by the last other method

    def make(self, rival: Rival, progress: Progress) -> Rivalry:
        """Return a rival's picture and its caption; its SSIM takes longer, see :func:`rival_similarity`.

        ImageError if the format cannot hold such an image, or a file cannot be read or laid over it.
        """
        task = self.task
        if rival.kind == "k":
            settled, size = self._other_k(rival.k, progress)
            lines = (f"k = {rival.k} of {task.fit.n_components}", size)
            return self._rivalry(rival, settled, lines)
        if rival.kind == "file":
            return self._file(rival)
        if self.n_bytes is None:
            raise ValueError("The size to compare at is not known.")
        if rival.kind == "method":
            return self._other_method(rival, self.n_bytes, progress)
        return self._other_format(rival, self.n_bytes, progress)

    def _other_k(self, k: int, progress: Progress) -> tuple[ExactReconstruction, str]:
        task = replace(self.task, setting=Setting(k, None))
        settled = task.settle(part(progress, 0.0, 0.9))
        known = task.fit.file_size(k)
        if known is not None:
            return settled, file_size(known)
        if task.fit.choice.bound is not None:  # it was encoded to be shown
            return settled, file_size(task.measure(part(progress, 0.9, 1.0)).n_bytes)
        estimated = task.estimate(part(progress, 0.9, 1.0))
        return settled, "" if estimated is None else f"≈ {file_size(estimated.estimate.n_bytes)}"

    def _other_method(self, rival: Rival, n_bytes: int, progress: Progress) -> Rivalry:
        image = self.task.document.image
        if image is None:
            raise ValueError("Only an image can be compressed in another way.")
        choice = Choice(rival.method, nodata=self.task.fit.choice.nodata)
        fit = self.fits.get(rival.method)
        if fit is None or fit.choice != choice:
            fit = Fit.of_image(image, choice, part(progress, 0.0, 0.3))
            self.fits.clear()
            self.fits[rival.method] = fit
        other = replace(self.task, fit=fit, setting=Setting(1, None))
        target = find_size(other, n_bytes, part(progress, 0.3, 0.8))
        other = replace(other, setting=target.applied(other.setting))
        settled = other.settle(part(progress, 0.8, 0.9))
        size = other.measure(part(progress, 0.9, 1.0)).n_bytes
        title = f"{METHODS[rival.method]}, k = {target.k} of {fit.n_components}"
        return self._rivalry(rival, settled, (title, _size(size, n_bytes)))

    def _other_format(self, rival: Rival, n_bytes: int, progress: Progress) -> Rivalry:
        document = self.task.document
        image = document.image
        if image is None:
            raise ValueError("Only an image can be compressed in another way.")
        pixels = image.pixels[self.task.frame] if document.is_stack else image.pixels
        # The formats carry no opacity here, so its bytes do not count.
        room = n_bytes - (0 if image.alpha is None else self.task.fit.carried_bytes(image))
        encoded = rivals.encode_at_size(pixels, rival.kind, max(room, 1), progress)
        psnr = psnr_of_mse(mean_squared_error(pixels, encoded.pixels), image.peak)
        title = f"{rivals.rival_named(rival.kind).title}, {encoded.setting}"
        lines = (title, _size(encoded.n_bytes, room))
        layers, frame = replace(document.layers(self.task.frame), pixels=encoded.pixels), self.task.frame
        return Rivalry(rival, self.task.fit, n_bytes, frame, layers, lines, encoded.pixels, pixels, psnr)

    def _file(self, rival: Rival) -> Rivalry:
        image, found = self.task.document.image, read_image(rival.path)
        if (
            image is None
            or image.pixels.shape != found.pixels.shape
            or image.pixels.dtype != found.pixels.dtype
        ):
            raise ImageError(f"{found.name} has another size or kind of pixels, so it is not compared.")
        psnr = psnr_of_mse(mean_squared_error(image.pixels, found.pixels), image.peak)
        size, layers = found.file_size, replace(self.task.document.layers(0), pixels=found.pixels)
        lines = (found.name or Path(rival.path).name, "" if size is None else file_size(size))
        return Rivalry(rival, self.task.fit, None, 0, layers, lines, found.pixels, image.pixels, psnr)

    def _rivalry(self, rival: Rival, settled: ExactReconstruction, lines: tuple[str, ...]) -> Rivalry:
        shown = tuple(line for line in lines if line)
        n_bytes, image = None if rival.kind == "k" else self.n_bytes, self.task.document.image
        return Rivalry(
            rival,
            self.task.fit,
            n_bytes,
            self.task.frame,
            settled.layers,
            shown,
            settled.pixels,
            None if image is None else image.pixels,
            settled.psnr,
        )


def rival_similarity(rivalry: Rivalry, progress: Progress) -> Rivalry:
    """Return a rival's picture with its SSIM, if there is an original."""
    if rivalry.original is None:
        return rivalry
    peak = rivalry.fit.preview.header.peak
    return replace(rivalry, ssim=ssim(rivalry.original, rivalry.pixels, progress, peak=peak))


def _size(size: int, wanted: int) -> str:
    """Return a size as text, and how it compares with the size wanted."""
    if size > wanted:
        return f"{file_size(size)} · as small as it gets"
    return f"{file_size(size)} · the same size" if size > 0.97 * wanted else file_size(size)
