"""What the user chooses."""

from __future__ import annotations

from dataclasses import dataclass, fields

from pcaimage.errors import SettingsError
from pcaimage.sampling import Blocks, Sampling

DEFAULT_VARIANCE = 0.99


@dataclass(frozen=True)
class Settings:
    """How to compress an image.

    At most one of `k`, `variance`, `psnr` and `size` says how much to keep; without any, 99 % of the
    variance is kept.

    Parameters
    ----------
    sampling : Sampling, default Blocks(8)
        What a sample is.
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
        quantised score is then as large as the first variance that is left out.
    standardize : bool, default False
        Whether to divide each feature by its standard deviation.

    Raises
    ------
    SettingsError
        If they contradict each other or are out of range.
    """

    sampling: Sampling = Blocks(8)  # noqa: RUF009 - frozen
    k: int | None = None
    variance: float | None = None
    psnr: float | None = None
    size: int | None = None
    step: float | None = None
    standardize: bool = False

    def __post_init__(self) -> None:
        given = [name for name in ("k", "variance", "psnr", "size") if getattr(self, name) is not None]
        if len(given) > 1:
            raise SettingsError(f"Give one of {' and '.join(given)}, not both: each says what to keep.")
        if self.step is not None and given and given[0] in {"psnr", "size"}:
            raise SettingsError(f"The step follows from {given[0]}; give one of them.")
        self._check_ranges()

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
