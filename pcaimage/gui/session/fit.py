"""The components of the open document, from which a picture of every k follows. No Qt here."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from pcaimage import codec, container
from pcaimage.api import CompressedImage, as_chosen, exact_settings, metadata_of, size_of, with_white
from pcaimage.codec.spectrum import OperatingPoints
from pcaimage.codec.step import dead_zone
from pcaimage.gui.session.choice import Choice, Setting
from pcaimage.gui.session.model import ModelFile
from pcaimage.imaging import Image
from pcaimage.insight.component_table import TERMS, VarianceTerms, unrounded_psnr
from pcaimage.pca import cumulative_shares
from pcaimage.progress import Progress, part
from pcaimage.sampling import Stack

_MOVED = Setting(1, None)  # a setting whose k or step was chosen, rather than a PSNR or no loss

LONG_FROM = 1 << 23
"""The number of scores from which a photo is shown before all of its components are decoded."""


Key = TypeVar("Key")
Value = TypeVar("Value")


@dataclass
class SingleCache(Generic[Key, Value]):
    """A cache of one value, which may be large. It may be used from several threads."""

    _entry: tuple[Key, Value] | None = None

    def get(self, key: Key) -> Value | None:
        """Return the value if it belongs to an equal key; else None."""
        entry = self._entry  # read once: another thread may replace it
        return entry[1] if entry is not None and entry[0] == key else None

    def put(self, key: Key, value: Value) -> None:
        """Replace the value."""
        self._entry = key, value

    def clear(self) -> None:
        """Drop the value."""
        self._entry = None


@dataclass(frozen=True, eq=False)
class Fit:
    """The components of an image, with everything that has been computed from them."""

    choice: Choice
    preview: codec.Pictures
    variances: NDArray[np.float64]
    n_components: int
    analysis: codec.Spectrum | None = None
    model: codec.Model | None = None
    file: CompressedImage | None = None
    whole: bool = True
    """Whether all components are decoded; otherwise pictures show the first few, whatever k is."""
    flat: bool = False
    """Whether it is a photo of so few colours that its exact file may be smaller than one with loss."""
    encoded: SingleCache[Setting, codec.Encoding] = field(default_factory=SingleCache, init=False, repr=False)
    """The encoding of a setting whose picture can only be made by encoding it."""
    exact_bytes: SingleCache[None, int] = field(default_factory=SingleCache, init=False, repr=False)
    """The size of the exact file."""
    _carried: SingleCache[None, int] = field(default_factory=SingleCache, init=False, repr=False)
    _tuned: SingleCache[bool, Fit] = field(default_factory=SingleCache, init=False, repr=False)
    _without: SingleCache[frozenset[int], Fit] = field(default_factory=SingleCache, init=False, repr=False)
    _for_noise: dict[float, float | None] = field(default_factory=dict, init=False, repr=False)
    _coded: SingleCache[tuple[int, codec.Step], codec.Model] = field(
        default_factory=SingleCache, init=False, repr=False
    )

    @classmethod
    def of_image(cls, image: Image, choice: Choice, progress: Progress) -> Fit:
        """Fit an image."""
        analysis = analysed(image, choice, part(progress, 0.0, 0.5))
        preview = codec.pictures(analysis, part(progress, 0.5, 1.0))
        fit = cls(choice, preview, analysis.variances, analysis.n_components, analysis=analysis)
        if choice.method == "photo" and choice.model is None:
            fit = replace(fit, flat=exact_settings(image, choice.settings) is not None)
        fit.step_for_noise(1.0)  # the noise is estimated on the worker thread, and cached
        return fit

    @classmethod
    def of_file(cls, file: CompressedImage, progress: Progress, lender: ModelFile | None = None) -> Fit:
        """Decode a compressed file."""
        model = codec.unpack(file.compressed, progress=progress)
        spectrum = file.compressed.spectrum
        preview = codec.pictures(model)
        if spectrum.size < file.k:
            spectrum = preview.variances * float(model.header.step) ** 2
        choice = replace(_choice_of(file), model=lender)
        fit = cls(choice, preview, spectrum, file.k, model=model, file=file)
        fit.file_size(file.k)  # computed on the worker thread, and cached
        return fit

    @classmethod
    def first_of_file(cls, file: CompressedImage) -> Fit | None:
        """Decode the first few components of a compressed file; None if all of it decodes fast."""
        header = file.compressed.header
        few = header.shape[-1]
        if not header.traits.leads_with_means or file.k <= few or header.n_samples * file.k < LONG_FROM:
            return None
        preview = codec.pictures(codec.unpack(file.compressed, few))
        fit = cls(_choice_of(file), preview, np.zeros(file.k), file.k, file=file, whole=False)
        fit.file_size(file.k)
        return fit

    @property
    def has_score_images(self) -> bool:
        """Whether each pixel has a score on each component."""
        return self.whole and self.preview.sample_size == 1

    @property
    def scale(self) -> VarianceTerms:
        """The scale of the variances: the total that shares refer to."""
        return TERMS[self.choice.prepared]

    def serving(self, choice: Choice) -> Fit | None:
        """Return these components for another choice; None if that needs other components.

        The greatest error changes components of real numbers only, since their quantisation depends on it.
        What a photo is optimised for only changes how its components are coded.
        """
        unlike = replace(choice, max_error=self.choice.max_error, tune=self.choice.tune) != self.choice
        if unlike or self.analysis is None or self.analysis.header.dtype == "float32":
            return None
        if choice.method == "photo":
            return replace(self._tuned_as(for_the_eye=choice.for_the_eye(_MOVED)), choice=choice)
        other = copy(self)  # it shares the cached estimates
        object.__setattr__(other, "choice", choice)
        object.__setattr__(other, "encoded", SingleCache())
        return other

    def coded(self, setting: Setting) -> Fit:
        """Return the fit of the image as the file of a setting codes it: for the eye or for PSNR.

        Components that are left out are lacking.
        """
        return self._tuned_for(setting).without(setting.left_out)

    def preview_of(self, setting: Setting) -> codec.Pictures:
        """Return the pictures of a setting, rounded for the eye or for PSNR as its file is."""
        return self._tuned_for(setting).preview

    def _tuned_for(self, setting: Setting) -> Fit:
        wanted = self.choice.for_the_eye(setting)
        if self.analysis is None or wanted == self.choice.for_the_eye(_MOVED):
            return self
        other = self._tuned.get(wanted)
        if other is None:
            other = self._tuned_as(for_the_eye=wanted)
            self._tuned.put(wanted, other)
        return other

    def _tuned_as(self, *, for_the_eye: bool) -> Fit:
        if self.analysis is None:
            raise ValueError("The components of a file are coded already.")
        analysis = self.analysis.tuned(for_the_eye=for_the_eye)
        return replace(self, analysis=analysis, preview=codec.pictures(analysis))

    def without(self, left_out: frozenset[int]) -> Fit:
        """Return the fit of the image without some components, counted from 1.

        Variances, steps and pictures stay those of all components; a picture is told which ones to leave out.
        """
        if not left_out or self.analysis is None:
            return self
        lacking = self._without.get(left_out)
        if lacking is None:
            lacking = replace(self, analysis=self.analysis.without(left_out))
            self._without.put(left_out, lacking)
        return lacking

    @property
    def total_variance(self) -> float:
        """The variance of all features, also where components do not explain all of it."""
        return float(self.variances.sum() if self.analysis is None else self.analysis.total_variance)

    @cached_property
    def ratios(self) -> NDArray[np.float64]:
        """Share of the variance that the first k components explain, at index k."""
        if self.analysis is not None:
            return self.analysis.ratios
        return cumulative_shares(self.variances)

    def ratio(self, k: int, left_out: frozenset[int] = frozenset()) -> float:
        """Return the share of the variance that the first k components explain, from 0 to 1.

        Those in `left_out`, counted from 1, do not count. It is 1 for an image without any variance.
        """
        return float(self._explained(left_out)[k]) if self.variances.any() else 1.0

    def k_for_variance(self, ratio: float, left_out: frozenset[int] = frozenset()) -> int:
        """Return the smallest k that explains a share of the variance (0 to 1), or the largest there is.

        Components in `left_out`, counted from 1, do not count.
        """
        explained = self._explained(left_out)[: self.n_components + 1]
        return min(max(int(np.searchsorted(explained, ratio - 1e-9)), 1), self.n_components)

    def _explained(self, left_out: frozenset[int]) -> NDArray[np.float64]:
        """Return the share of the variance of the first k components, less left-out ones, at index k."""
        if not left_out:
            return self.ratios
        shares = np.diff(self.ratios, prepend=0.0)
        shares[sorted(left_out)] = 0.0
        explained: NDArray[np.float64] = np.cumsum(shares)
        return explained

    @cached_property
    def rates(self) -> codec.Rates | None:
        """Estimates of size and quality; None for a compressed file, whose sizes are known."""
        return None if self.analysis is None else codec.estimates(self.analysis)

    @cached_property
    def _unrounded(self) -> NDArray[np.float64]:
        return unrounded_psnr(self.analysis) if self.analysis is not None else np.zeros(0)

    def unrounded(self, setting: Setting) -> float | None:
        """Return the PSNR in decibels that only leaving components out costs, before scores are rounded.

        None where it is not known: of files, where components are left out by hand, and of photos, whose
        components are predicted from each other. Bands are told how their error compares with the noise.
        """
        if self.analysis is None or setting.left_out or self.choice.method in {"photo", "bands"}:
            return None
        return float(self._unrounded[setting.k - 1])

    @cached_property
    def points(self) -> OperatingPoints:
        """The points of the slider and of the curve of size and quality."""
        if self.analysis is None:
            return OperatingPoints.of_components(self.n_components)
        return OperatingPoints.of(self.analysis)

    def step(self, k: int, chosen: float | None) -> codec.Step:
        """Return the step for k: that of the file, the chosen one, or the one that belongs to k."""
        if self.analysis is None:
            return self.preview.header.step
        return self.analysis.step_for(k) if chosen is None else codec.Step.nearest(chosen)

    def next_k(self, k: int, by: int) -> int:
        """Return the k `by` places further among those that make different files."""
        if self.analysis is None:
            return min(max(k + by, 1), self.n_components)
        return self.analysis.next_k(k, by)

    def step_for_noise(self, times: float) -> float | None:
        """Return the step of many bands at which errors are `times` the noise; None if unknown."""
        if times not in self._for_noise:
            asked = self.analysis if self.choice.method == "bands" else None
            found = None if asked is None else asked.step_for_noise(times)
            self._for_noise[times] = None if found is None else float(found)
        return self._for_noise[times]

    @property
    def by_noise(self) -> bool:
        """Whether the qualities that have buttons are multiples of the noise of many bands."""
        return not self.points.by_step and self.step_for_noise(1.0) is not None

    def rounding(self, setting: Setting) -> tuple[float | None, float]:
        """Return the step and the dead zone by which pictures round scores.

        None and 0 for a compressed file, whose scores are rounded already.
        """
        if self.analysis is None:
            return None, 0.0
        step = float(self.step(setting.k, setting.chosen_step))
        return step, dead_zone(step, self.analysis.finest_step)

    def quantize(self, k: int, chosen: float | None, progress: Progress) -> codec.Model:
        """Return the integers that a file of k components holds."""
        if self.model is not None:
            return self.model.trimmed(k)
        if self.analysis is None:
            raise ValueError("Not all components are there.")
        step = self.step(k, chosen)
        if not self.analysis.header.traits.costly_trials:
            return codec.quantize(self.analysis, k, step, progress)
        # Quantising a photo means encoding it: the result is kept for measuring and saving.
        coded = self._coded.get((k, step))
        if coded is None:
            self._coded.clear()
            coded = codec.quantize(self.analysis, k, step, progress)
            self._coded.put((k, step), coded)
        return coded

    def remember(self, model: codec.Model) -> None:
        """Cache a quantised photo, so that it need not be quantised again to be shown or saved."""
        if self.analysis is not None and self.analysis.header.traits.costly_trials:
            self._coded.put((model.k, model.header.step), model)

    @cached_property
    def _file_sizes(self) -> list[int]:
        return [] if self.file is None else container.trimmed_sizes(container.write(self.file.compressed))

    def carried_bytes(self, image: Image | None) -> int:
        """Return the bytes that opacity and metadata take in a file; they are computed once."""
        if image is None or self.analysis is None:
            return 0
        found = self._carried.get(None)
        if found is None:
            bare = codec.Compressed(self.analysis.header, b"", ())
            chosen = as_chosen(as_sampled(image, self.choice), self.choice.settings)
            full = replace(bare, alpha=chosen.alpha, metadata=metadata_of(chosen))
            found = size_of(full) - size_of(bare)
            self._carried.put(None, found)
        return found

    def file_size(self, k: int) -> int | None:
        """Return the size in bytes of a compressed file trimmed to k components; None for an image."""
        return self._file_sizes[k - 1] if self.file is not None else None


def _choice_of(file: CompressedImage) -> Choice:
    compressed = file.compressed
    prepared = codec.preparation_of(compressed)
    choice = Choice.of(compressed.header.sampling, standardize=prepared is codec.Preparation.STANDARDIZED)
    return replace(choice, mnf=prepared is codec.Preparation.MNF, max_error=codec.error_bound(compressed))


def as_sampled(image: Image, choice: Choice) -> Image:
    """Return an image in the shape of its samples: a stack of one if a model of a stack is used for it."""
    model = choice.model
    if model is None or not isinstance(model.sampling, Stack) or image.is_stack:
        return image
    return replace(image, pixels=image.pixels[None], alpha=None if image.alpha is None else image.alpha[None])


def analysed(image: Image, choice: Choice, progress: Progress) -> codec.Spectrum:
    """Find the components of an image, or project it onto those of a model.

    Raises DataError or SettingsError if the image does not suit the choice.
    """
    if choice.model is not None:
        settings = with_white(image, codec.Settings(sampling=choice.model.sampling))
        pixels = as_sampled(image, choice).pixels
        return codec.analyse_for(pixels, settings, progress, model=choice.model.file.compressed)
    return codec.analyse(
        image.pixels,
        choice.sampling(),
        standardize=choice.prepared is codec.Preparation.STANDARDIZED,
        basis=choice.basis,
        nodata=choice.nodata_of(image.bands.nodata),
        max_error=choice.bound,
        mnf=choice.whitens,
        for_the_eye=choice.for_the_eye(_MOVED),
        effort=choice.effort,
        white=with_white(image, choice.settings).white,
        progress=progress,
    )
