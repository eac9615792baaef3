"""Settings of a compression, and their defaults."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

from pcaimage.choices import Basis, Effort, Tune
from pcaimage.errors import SettingsError
from pcaimage.quality import MOST
from pcaimage.sampling import Bands, Blocks, Lapped, Sampling, Shape, Stack

DEFAULT_VARIANCE = 0.99  # default share of the variance to keep, for blocks, channels and stacks

DEFAULT_STEP = 9.0
"""Default step of photos, on a scale of 255, at which hardly any loss is visible.

Photos that are optimised for the PSNR have about 43 dB with it.
"""

LOSSLESS_STEP = 256.0
"""Default step of lossless photos, on a scale of 255: between 190 and 400 sizes differ by 0.2 %."""

MOST_PHOTO_CHANNELS = 4
"""Largest number of channels of a photo: tables are trained for three; a fourth is treated like the third."""

_WHAT = ("k", "variance", "psnr", "ssim", "size", "noise")


@dataclass(frozen=True)
class Settings:
    """Settings of a compression.

    At most one of `k`, `variance`, `psnr`, `ssim`, `size` and `noise` decides how much to keep. By default
    photos have a step of 11 (on a scale of 255), many bands one that gives about 50 dB, and other images keep
    99 % of their variance.

    Parameters
    ----------
    sampling : Sampling, optional
        The kind of samples. By default images of one to four channels are photos, ``Lapped()``, and others
        have ``Bands()``; stacks, and photos whose features are standardised, are divided into ``Blocks(8)``.
    k : int, optional
        Number of components to keep.
    variance : float, optional
        Keep the smallest number of components that explain this share of the variance, in (0, 1].
    psnr : float, optional
        Peak signal-to-noise ratio to reach, in decibels.
    size : int, optional
        Bytes that the file must not exceed.
    step : float, optional
        The quantiser's step. By default it follows from the number of components: the error of a
        quantised score is then as large as the first variance that is left out. Where only a step is given
        for a photo or many bands, the number of components follows from it.
    standardize : bool, default False
        Whether to divide each feature by its standard deviation; not for photos.
    ssim : float, optional
        Structural similarity to reach, in (0, 1).
    basis : Basis, default Basis.AUTO
        The components of a photo's blocks: those that come with the program, the image's own, or whichever
        of them promise the smaller file.
    effort : Effort, default Effort.STANDARD
        Encoding time to spend on a small file of a photo. With the least, scores are quantised one by one and
        components of the image's own are not considered; with the most, these are tried. With the least,
        bands that are to be exact, or within an error, are coded directly, without components.
    lossless : bool, default False
        Whether to also store the residual of a photo or of many bands, so that every pixel is restored.
    leave_out : iterable of int, default ()
        One-based numbers of components that are left out although they are among the first k. They change
        neither k nor the step; numbers that the image does not have are an error.
    max_error : float, optional
        Error bound of every value of many bands; corrections are stored to keep within it.
    error_unit : str, default ""
        Unit of `max_error`, which must be that of the image's values: it then bounds these rather than the
        numbers that stand for them. :func:`pcaimage.api.settings_for` converts it.
    nodata : float, optional
        The value that marks missing data in many bands: it is restored exactly, and excluded from the fit. In
        real numbers, NaN always marks missing data.
    all_measured : bool, default False
        Whether to ignore the value that the image itself declares for missing data.
    mnf : bool, default False
        Whether to whiten the noise of many bands first (minimum noise fraction, Green et al. 1988), so that
        components are in the order of their signal-to-noise ratio.
    noise : float, optional
        Limit of each band's RMS error as a multiple of the RMS of its noise, approximately. The noise is
        estimated from differences between neighbouring pixels, less what other bands predict of them.
    tune : Tune, default Tune.AUTO
        Aim by which a photo's loss is optimised: the eye, to which errors matter most where little else is
        to be seen, or the PSNR. By default the PSNR if one is asked for or the photo is kept without loss,
        else the eye. It does not apply to other images.
    white : int, optional
        The largest value that data of 16 bits without sign may have, to which steps, PSNR and SSIM refer:
        4095 for 12 bits. By default what the image's file declares, else the smallest 2^n - 1 that is not
        below any value. It does not apply to other types: with 8 bits, white is 255, and errors of signed and
        real numbers refer to the range of the values.

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
    error_unit: str = ""
    nodata: float | None = None
    mnf: bool = False
    all_measured: bool = False
    noise: float | None = None
    tune: Tune = Tune.AUTO
    effort: Effort = Effort.STANDARD
    white: int | None = None

    def __post_init__(self) -> None:
        given = [name for name in _WHAT if getattr(self, name) is not None]
        if len(given) > 1:
            raise SettingsError(f"Give one of {' and '.join(given)}, not both: each says what to keep.")
        target = given[0] if given and given[0] in {"psnr", "ssim", "size", "noise"} else None
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
        limits = {"k": "at least 1", **dict.fromkeys(("psnr", "size", "step", "noise"), "positive")}
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
        if self.white is not None and not 1 <= self.white <= MOST:
            raise SettingsError(f"White is a value from 1 to {MOST}; {self.white} is not.")
        if self.effort not in set(Effort):
            raise SettingsError(f"The effort is one of {', '.join(Effort)}; {self.effort!r} is none.")
        if self.basis not in set(Basis):
            raise SettingsError(f"The basis is one of {', '.join(Basis)}; {self.basis!r} is none.")
        if self.tune not in set(Tune):
            raise SettingsError(f"A photo is tuned for one of {', '.join(Tune)}; {self.tune!r} is none.")

    @property
    def for_the_eye(self) -> bool:
        """Whether a photo is optimised for the eye."""
        if self.tune == Tune.AUTO:
            return self.psnr is None and not self.lossless
        return self.tune == Tune.EYE

    def _check_method(self) -> None:
        photo = isinstance(self.sampling, Lapped)
        if self.standardize and photo:
            raise SettingsError("Photos have trained components, whose features cannot be standardised.")
        bands = self.sampling is None or isinstance(self.sampling, Bands)
        if not bands and (self.max_error is not None or self.nodata is not None):
            raise SettingsError("Only many bands have a largest error and values that were not measured.")
        if self.mnf and not bands:
            raise SettingsError("Only many bands have noise that can be whitened; choose that method.")
        if self.noise is not None and not bands:
            raise SettingsError("Only of many bands the noise is estimated; choose that method.")
        if self.mnf and self.standardize:
            raise SettingsError(
                "Whitening does what standardising does, and more; choose one of mnf and standardize."
            )
        if photo or (self.sampling is None and not self.standardize):
            return
        if self.lossless and not bands and not isinstance(self.sampling, Stack):
            raise SettingsError("Only photos, stacks and many bands can be kept without loss.")
        if self.basis != Basis.AUTO:
            raise SettingsError("Only photos have a choice of bases; other components are the image's own.")

    def sampled_by(self, sampling: Sampling) -> Settings:
        """Return the settings with a kind of samples, unless they choose one themselves."""
        return self if self.sampling is not None else replace(self, sampling=sampling)

    def sampling_for(self, shape: Shape, dtype: str = "uint8") -> Sampling:
        """Return the kind of samples of an image: the chosen one, or the default for its shape and type.

        SettingsError if the settings are for some kinds of images only, and this is none of them.
        """
        if self.sampling is not None:
            # Channels are bands by another name.
            return Bands() if isinstance(self.sampling, Bands) else self.sampling
        channels, image = 1 if len(shape) == 2 else shape[-1], len(shape) in {2, 3}
        few = channels <= MOST_PHOTO_CHANNELS and dtype in {"uint8", "uint16"}
        wanted = self.mnf or any(each is not None for each in (self.max_error, self.nodata, self.noise))
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
        return Blocks()
