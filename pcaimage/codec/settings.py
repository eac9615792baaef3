"""What the user chooses."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import StrEnum

from pcaimage.errors import SettingsError
from pcaimage.sampling import Bands, Blocks, Lapped, Sampling, Shape

DEFAULT_VARIANCE = 0.99
"""What is kept by default, but of photos."""

DEFAULT_STEP = 10.0
"""The step of photos by default, on a scale of 255: about 42 dB, at which hardly anything is seen to be
missing."""

LOSSLESS_STEP = 128.0
"""The step of photos that are kept without loss, on a scale of 255: twice of it takes 0.3 % less, a fifth of
it 2.4 % more."""

MOST_PHOTO_CHANNELS = 4
"""Images of more channels are no photos: three were trained, and a fourth is taken to be like the third."""

_WHAT = ("k", "variance", "psnr", "ssim", "size")


class Basis(StrEnum):
    """Whose components a photo's blocks have."""

    AUTO = "auto"
    BUILTIN = "builtin"
    OWN = "own"


@dataclass(frozen=True)
class Settings:
    """How to compress an image.

    At most one of `k`, `variance`, `psnr`, `ssim` and `size` says how much to keep. Without any, photos take
    a step of 10 (on a scale of 255), many bands one that gives about 50 dB, and 99 % of the variance of other
    images is kept.

    Parameters
    ----------
    sampling : Sampling, optional
        What a sample is. By default images of one to four channels are photos, ``Lapped()``, and others have
        ``Bands()``; stacks, and photos whose features are standardised, are divided into ``Blocks(8)``.
    k : int, optional
        How many components to keep.
    variance : float, optional
        Keep the smallest number of components that explain this share of the variance, in (0, 1].
    psnr : float, optional
        Peak signal-to-noise ratio to reach, in decibels.
    size : int, optional
        Bytes that the file must not exceed.
    step : float, optional
        The quantiser's step. By default it follows from the number of components: the error of a
        quantised score is then as large as the first variance that is left out. Of a photo, the number of
        components follows from a step that is given alone.
    standardize : bool, default False
        Whether to divide each feature by its standard deviation; not for photos.
    ssim : float, optional
        Structural similarity to reach, in (0, 1).
    basis : Basis, default Basis.AUTO
        Whose components a photo's blocks have: those that come with the program, the image's own, or those
        with which the file is expected to be smaller.
    lossless : bool, default False
        Whether what the components of a photo or of many bands leave over is kept too, so that every pixel
        comes back.
    leave_out : iterable of int, default ()
        Components, counted from 1, that are not kept although they are among the first k. They change
        neither k nor the step, and those among them that the image does not have are an error.
    max_error : float, optional
        How far any value of many bands may be off; what components leave over beyond it is kept too.
    nodata : float, optional
        What stands in many bands where nothing was measured; these places come back exactly, and no
        component is fitted to them. In real numbers, NaN always does.
    all_measured : bool, default False
        Whether every number counts as measured, also where the image says of a value that it was not.
    mnf : bool, default False
        Whether to whiten the noise of many bands first (minimum noise fraction, Green et al. 1988), so that
        components stand in the order of their signal-to-noise ratio.

    Raises
    ------
    SettingsError
        If they contradict each other or are out of range.
    """

    sampling: Sampling | None = None
    k: int | None = None
    variance: float | None = None
    psnr: float | None = None
    size: int | None = None
    step: float | None = None
    standardize: bool = False
    ssim: float | None = None
    basis: Basis = Basis.AUTO
    lossless: bool = False
    leave_out: tuple[int, ...] | frozenset[int] = ()
    max_error: float | None = None
    nodata: float | None = None
    mnf: bool = False
    all_measured: bool = False

    def __post_init__(self) -> None:
        given = [name for name in _WHAT if getattr(self, name) is not None]
        if len(given) > 1:
            raise SettingsError(f"Give one of {' and '.join(given)}, not both: each says what to keep.")
        target = given[0] if given and given[0] in {"psnr", "ssim", "size"} else None
        if self.step is not None and target:
            raise SettingsError(f"The step follows from {target}; give one of them.")
        if self.max_error is not None and (target or self.lossless):
            other = target or "lossless"
            raise SettingsError(f"max_error and {other} each say how exact the file is; give one of them.")
        if self.lossless and target:
            raise SettingsError(f"A file without loss keeps every pixel; {target} leaves nothing to choose.")
        if self.max_error is not None and not 0 <= self.max_error < float("inf"):
            raise SettingsError(f"max_error must not be negative; {self.max_error:g} cannot be reached.")
        if (self.lossless or self.max_error is not None) and self.leave_out:
            raise SettingsError("A file without loss keeps every pixel, so no component can be left out.")
        if self.all_measured and self.nodata is not None:
            raise SettingsError("Where all was measured, no value stands for what was not; give one of them.")
        self._check_ranges()
        self._check_method()

    def _check_ranges(self) -> None:
        limits = {"k": "at least 1", "psnr": "positive", "size": "positive", "step": "positive"}
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name in limits and value is not None and not value > 0:
                raise SettingsError(f"{field.name} must be {limits[field.name]}; {value} is not.")
        if self.variance is not None and not 0 < self.variance <= 1:
            raise SettingsError(
                f"The share of the variance lies between 0 and 1 (0.95 is 95 %); {self.variance:g} does not."
            )
        if self.ssim is not None and not 0 < self.ssim < 1:
            raise SettingsError(f"Structural similarity lies between 0 and 1; {self.ssim:g} does not.")
        wrong = [number for number in self.leave_out if number < 1]
        if wrong:
            raise SettingsError(f"Components are counted from 1; {min(wrong)} cannot be left out.")
        if self.basis not in set(Basis):
            raise SettingsError(f"The basis is one of {', '.join(Basis)}; {self.basis} is none.")

    def _check_method(self) -> None:
        photo = isinstance(self.sampling, Lapped)
        if self.standardize and photo:
            raise SettingsError("Photos have trained components, whose features cannot be standardised.")
        bands = self.sampling is None or isinstance(self.sampling, Bands)
        if not bands and (self.max_error is not None or self.nodata is not None):
            raise SettingsError("Only many bands have a largest error and values that were not measured.")
        if self.mnf and not bands:
            raise SettingsError("Only many bands have noise that can be whitened; choose that method.")
        if self.mnf and self.standardize:
            raise SettingsError(
                "Whitening does what standardising does, and more; choose one of mnf and standardize."
            )
        if photo or (self.sampling is None and not self.standardize):
            return
        if self.lossless and not bands:
            raise SettingsError("Only photos and many bands can be kept without loss; choose one of them.")
        if self.basis != Basis.AUTO:
            raise SettingsError("Only photos have a choice of bases; other components are the image's own.")

    def sampling_for(self, shape: Shape, dtype: str = "uint8") -> Sampling:
        """Return what a sample of an image is.

        Parameters
        ----------
        shape : tuple of int
            The array's.
        dtype : str, default "uint8"
            Its type's name.

        Returns
        -------
        Sampling
            What was chosen, or what suits the shape.

        Raises
        ------
        SettingsError
            If the settings are for some kinds of images only, and the array is none of them.
        """
        if self.sampling is not None:
            return self.sampling
        channels, image = 1 if len(shape) == 2 else shape[-1], len(shape) in {2, 3}
        few = channels <= MOST_PHOTO_CHANNELS and dtype in {"uint8", "uint16"}
        wanted = self.max_error is not None or self.nodata is not None or self.mnf
        if image and few and not self.standardize and not wanted:
            return Lapped()
        if image and (not few or wanted):
            if self.basis != Basis.AUTO:
                raise SettingsError(
                    "Only photos have a choice of bases; other components are the image's own."
                )
            return Bands()
        if self.lossless or wanted or self.basis != Basis.AUTO:
            raise SettingsError(
                f"Only images can be kept without loss or have a choice of bases; this array is {shape}."
            )
        return Blocks(8)
