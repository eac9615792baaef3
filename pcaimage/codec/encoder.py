"""Compression of an image in one call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.choices import Effort
from pcaimage.codec import methods
from pcaimage.codec.compressed import Compressed, Metadata, traits_of
from pcaimage.codec.method import AnalysisOptions, Encoding, Method, Model
from pcaimage.codec.settings import DEFAULT_VARIANCE, Settings
from pcaimage.codec.spectrum import Spectrum
from pcaimage.codec.step import Step
from pcaimage.errors import DataError, SettingsError
from pcaimage.progress import Progress, Stages, no_progress

if TYPE_CHECKING:
    from pcaimage.codec.search import Choice, WaterLevel
    from pcaimage.sampling import Sampling


def analyse_for(
    array: NDArray[Any],
    settings: Settings,
    progress: Progress = no_progress,
    *,
    model: Compressed | None = None,
) -> Spectrum:
    """Compute the components of an image, without those that the settings leave out.

    Those of a model file replace the image's own. DataError or SettingsError if the settings do not fit the
    image.
    """
    found: Spectrum
    if model is not None:
        from pcaimage.codec.linear.model_files import project  # noqa: PLC0415 - for model files alone

        found = project(array, model, settings, progress)
    else:
        sampling, options = _options(array, settings)
        found = methods.method_of(sampling).analyse(array, sampling, options, progress)
    return found.without(frozenset(settings.leave_out)) if settings.leave_out else found


def _options(array: NDArray[Any], settings: Settings) -> tuple[Sampling, AnalysisOptions]:
    """Return the kind of samples, and the options of their analysis."""
    sampling = settings.sampling_for(array.shape, array.dtype.name)
    if settings.lossless and array.dtype.kind == "f":
        raise SettingsError(
            "Real numbers are not kept without loss; give max_error, how far they may be off."
        )
    if settings.error_unit:
        raise SettingsError(f"Numbers alone have no unit {settings.error_unit}; give max_error without one.")
    names = (field.name for field in fields(AnalysisOptions))
    options = AnalysisOptions(**{name: getattr(settings, name) for name in names})
    return sampling, replace(options, max_error=0.0) if settings.lossless else options


def _directly(array: NDArray[Any], settings: Settings, progress: Progress) -> Encoding | None:
    """Code bands without components, if settings ask for the least effort and for an error alone."""
    bound = 0.0 if settings.lossless else settings.max_error
    others = settings.k, settings.variance, settings.step, settings.mnf or None, settings.standardize or None
    if bound is None or settings.effort != Effort.FAST or others != (None,) * len(others):
        return None
    sampling, options = _options(array, settings)
    if not traits_of(sampling).bounds_errors:
        return None
    from pcaimage.codec.linear.direct import encode  # noqa: PLC0415 - as above

    return encode(array, bound, options, progress)


def resolve(analysis: Spectrum, settings: Settings) -> Choice:
    """Return k and Δ for settings that determine them directly.

    The settings name k, a share of the variance, a multiple of the noise, or none of these. With none, k
    follows from the step for photos, by default :data:`~pcaimage.codec.settings.DEFAULT_STEP` on the scale of
    255. SettingsError if the image has fewer than k components, or its noise is unknown.
    """
    k, step = settings.k, settings.step
    if settings.noise is not None:
        found = analysis.step_for_noise(settings.noise)
        if found is None:
            raise SettingsError("The noise of this image cannot be estimated; ask for a PSNR or a size.")
        return analysis.k_for_step(float(found)), found
    if k is None and settings.variance is None:
        bound = 0.0 if settings.lossless else settings.max_error
        default = analysis.default_step(bound)
        if default is not None:
            step = default if step is None else step
            k = analysis.k_beside(step, bound)
    if k is None:
        ratio = DEFAULT_VARIANCE if settings.variance is None else settings.variance
        k = analysis.k_for_variance(ratio)
    analysis.check_k(k)
    return k, analysis.step_for(k) if step is None else Step.nearest(step)


def complete(
    array: NDArray[Any],
    analysis: Spectrum,
    model: Model,
    *,
    alpha: NDArray[Any] | None = None,
    metadata: Metadata | None = None,
    lossless: bool = False,
    max_error: float | None = None,
    progress: Progress = no_progress,
) -> Encoding:
    """Code a quantised image, with everything that its file holds: see :func:`compress`.

    The residual is added if it is to be `lossless`, or corrections that keep many bands within an error.
    DataError if the opacity does not fit the image.
    """
    if alpha is not None and (alpha.shape != analysis.header.shape[:-1] or alpha.dtype != array.dtype):
        raise DataError(f"Opacity of shape {alpha.shape} does not fit an image of shape {array.shape}.")
    if alpha is not None and alpha.dtype not in {np.dtype(np.uint8), np.dtype(np.uint16)}:
        raise DataError("Opacity is kept beside whole numbers without sign only.")
    bound = 0.0 if lossless else max_error
    method = methods.method_of(model.header.sampling)
    encoding = method.complete(array, model, analysis, metadata, bound, progress)
    return replace(encoding, compressed=replace(encoding.compressed, alpha=alpha))


def compress(
    array: NDArray[Any],
    settings: Settings,
    measure: Callable[[Compressed], int],
    *,
    alpha: NDArray[Any] | None = None,
    metadata: Metadata | None = None,
    similarity: Callable[..., float] | None = None,
    model: Compressed | None = None,
    checked: bool = False,
    progress: Progress = no_progress,
) -> Encoding:
    """Compress an image of shape (H, W) or (H, W, C), for a stack (N, H, W) or (N, H, W, C).

    `measure` returns the bytes of its file, and `similarity`, which settings with an SSIM require, how
    similar two images are whose errors are relative to its `peak`. The opacity, of the shape of a channel,
    and metadata are stored as they are. The components of a `model` replace the image's own, and the result
    refers to it. What is `checked` will be measured and saved, which decodes it: if coding is slow, both are
    done in parallel with it. Raises DataError if the array's type or shape is not supported, and
    SettingsError or TargetError if the settings do not fit it.
    """
    direct = None if model is not None else _directly(array, settings, progress)
    if direct is not None:
        packed = replace(direct.compressed, alpha=alpha, metadata=metadata or Metadata())
        return replace(direct, compressed=packed)
    stages, costs = Stages(progress), _Costs.of(array, settings, checked=checked)
    analysis = analyse_for(array, settings, stages.next(costs.analysis, costs.later), model=model)
    finish = partial(
        complete,
        array,
        analysis,
        alpha=alpha,
        metadata=metadata,
        lossless=settings.lossless,
        max_error=settings.max_error,
    )
    run = _Run(array, settings, analysis, stages, costs, checked)
    if settings.size is not None:
        carried = _carried(analysis, alpha, metadata, measure)
        return run.of_size(settings.size, carried, finish, lambda made: measure(made.compressed))
    if settings.psnr is not None or settings.ssim is not None:
        quantized = run.check(run.of_quality(similarity))
    else:
        quantized = run.resolved()
    return finish(quantized, progress=stages.next(costs.finish))


def _carried(
    analysis: Spectrum,
    alpha: NDArray[Any] | None,
    metadata: Metadata | None,
    measure: Callable[[Compressed], int],
) -> int:
    """Return the bytes that opacity and metadata add to a file."""
    bare = Compressed(analysis.header, b"", ())
    return measure(replace(bare, alpha=alpha, metadata=metadata or Metadata())) - measure(bare)


class _Costs(NamedTuple):
    """Relative duration of the stages of compression, in units of one quantisation."""

    analysis: float
    checks: float  # of the coded slices, as far as saving does not do it
    finish: float  # coding the rest

    @property
    def rest(self) -> float:
        """Duration of everything after the quantisation."""
        return self.checks + self.finish

    @property
    def later(self) -> float:
        """Duration of everything after the analysis."""
        return 1.0 + self.checks + self.finish

    @classmethod
    def of(cls, array: NDArray[Any], settings: Settings, *, checked: bool) -> _Costs:
        """Estimate the durations for an image and settings."""
        if not traits_of(settings.sampling_for(array.shape, array.dtype.name)).costly_trials:
            corrected = settings.lossless or settings.max_error is not None
            return cls(0.5, 0.0, 6.0 if corrected else 3.0)
        return cls(0.15, 1.0 if checked else 0.0, 8.0 if settings.lossless else 0.01)


@dataclass(frozen=True)
class _Run:
    """The compression of an analysed image, up to its quantised scores."""

    array: NDArray[Any]
    settings: Settings
    analysis: Spectrum
    stages: Stages
    costs: _Costs
    checked: bool

    def resolved(self) -> Model:
        """Quantise the image with the k and Δ that settings determine, and check it as far as wanted."""
        chosen = resolve(self.analysis, self.settings)
        progress = self.stages.next(1.0 + self.costs.checks, self.costs.finish)
        if self.checked:
            return self._method.quantize_checked(self.analysis, *chosen, self.array, progress, proven=True)
        return methods.quantize(self.analysis, *chosen, progress=progress)

    def of_quality(self, similarity: Callable[..., float] | None) -> Model:
        """Quantise the image to the PSNR or the structural similarity that settings ask for."""
        from pcaimage.codec.targets import reach_psnr, reach_ssim  # noqa: PLC0415 - for targets alone

        level, stages, rest, wanted = self._level(), self.stages, self.costs.rest, self.settings
        if wanted.psnr is not None:
            return reach_psnr(self.array, level, wanted.psnr, stages, rest, proven=self.checked)
        if wanted.ssim is None or similarity is None:
            raise SettingsError("Nothing was given that measures structural similarity.")
        measure = partial(similarity, peak=self.analysis.header.peak)
        return reach_ssim(self.array, level, wanted.ssim, measure, stages, rest)

    def of_size(
        self,
        size: int,
        carried: int,
        finish: Callable[[Model], Encoding],
        measure: Callable[[Encoding], int],
    ) -> Encoding:
        """Encode the image to a size, of which `carried` bytes are not the image's."""
        from pcaimage.codec.targets import reach_size  # noqa: PLC0415 - for targets alone

        level, rest = self._level(carried), self.costs.checks
        found = reach_size(level, size, finish, measure, self.stages, rest, proven=self.checked)
        found = replace(found, model=self.check(found.model))
        self.stages.end()
        return found

    def check(self, quantized: Model) -> Model:
        """Check a quantised image if that is wanted."""
        if not self.checked:
            return quantized
        progress = self.stages.next(self.costs.checks, self.costs.finish)
        return self._method.checked(quantized, self.array, progress)

    @property
    def _method(self) -> Method:
        return methods.method_of(self.analysis.header.sampling)

    def _level(self, carried: int = 0) -> WaterLevel:
        """Return the sizes and qualities that a target chooses from."""
        from pcaimage.codec.search import WaterLevel  # noqa: PLC0415 - for targets alone

        return WaterLevel(self.analysis, methods.estimates(self.analysis), carried)
