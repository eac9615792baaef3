"""The components of what is open, ready for every k. No Qt here."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pcaimage import container
from pcaimage.api import CompressedImage, as_chosen, metadata_of, size_of
from pcaimage.codec import (
    Compressed,
    Encoding,
    Model,
    Pictures,
    Preparation,
    Rates,
    Spectrum,
    Step,
    error_bound,
    estimates,
    pictures,
    preparation_of,
    quantize,
    unpack,
)
from pcaimage.gui.session.analysed import analysed, as_sampled
from pcaimage.gui.session.choice import Choice
from pcaimage.gui.session.explained import Explained
from pcaimage.gui.session.model import ModelFile
from pcaimage.gui.session.newest import Newest
from pcaimage.gui.session.setting import Setting
from pcaimage.imaging import Image
from pcaimage.insight.scale import SCALES, Scale
from pcaimage.progress import Progress, part

LONG_FROM = 1 << 23
"""Photos of so many scores are shown from their first components before the others are decoded."""


@dataclass(frozen=True, eq=False)
class Fit(Explained):
    """The components of an open image.

    Parameters
    ----------
    choice : Choice
        What they depend on.
    preview : Pictures
        Pictures for every k.
    variances : ndarray of float64
        All explained variances.
    n_components : int
        The largest k.
    analysis : Spectrum, optional
        For an image.
    model : Model, optional
        For a compressed file.
    file : CompressedImage, optional
        The compressed file.
    whole : bool, default True
        Whether all components are there; else the pictures are of the first few, whatever k is.
    """

    choice: Choice
    preview: Pictures
    variances: NDArray[np.float64]
    n_components: int
    analysis: Spectrum | None = None
    model: Model | None = None
    file: CompressedImage | None = None
    whole: bool = True
    encoded: Newest[Setting, Encoding] = field(default_factory=Newest, init=False, repr=False)
    """What a file holds, where what is shown had to be coded."""
    _carried: Newest[None, int] = field(default_factory=Newest, init=False, repr=False)
    _without: Newest[frozenset[int], Fit] = field(default_factory=Newest, init=False, repr=False)
    _coded: Newest[tuple[int, Step], Model] = field(default_factory=Newest, init=False, repr=False)

    @classmethod
    def of_image(cls, image: Image, choice: Choice, progress: Progress) -> Fit:
        """Fit an image.

        Parameters
        ----------
        image : Image
            The image.
        choice : Choice
            How.
        progress : Progress
            Told of the work done.

        Returns
        -------
        Fit
            For every k.
        """
        analysis = analysed(image, choice, part(progress, 0.0, 0.5))
        preview = pictures(analysis, part(progress, 0.5, 1.0))
        return cls(choice, preview, analysis.variances, analysis.n_components, analysis=analysis)

    @classmethod
    def of_file(cls, file: CompressedImage, progress: Progress, lender: ModelFile | None = None) -> Fit:
        """Decode a compressed file.

        Parameters
        ----------
        file : CompressedImage
            The file, with its basis.
        progress : Progress
            Told of the work done.
        lender : ModelFile, optional
            Where its basis is from.

        Returns
        -------
        Fit
            For every k that the file has.
        """
        model = unpack(file.compressed, progress=progress)
        spectrum = file.compressed.spectrum
        preview = pictures(model)
        if spectrum.size < file.k:
            spectrum = preview.variances * float(model.header.step) ** 2
        choice = replace(_choice_of(file), model=lender)
        fit = cls(choice, preview, spectrum, file.k, model=model, file=file)
        fit.file_size(file.k)  # found here once, and not by the first who shows it
        return fit

    @classmethod
    def first_of_file(cls, file: CompressedImage) -> Fit | None:
        """Decode the first few components of a compressed file that would take long to decode.

        Parameters
        ----------
        file : CompressedImage
            The file.

        Returns
        -------
        Fit or None
            One that is not whole; None where :meth:`of_file` is as good as at once.
        """
        header = file.compressed.header
        few = header.shape[-1]
        if not header.traits.leads_with_means or file.k <= few or header.n_samples * file.k < LONG_FROM:
            return None
        preview = pictures(unpack(file.compressed, few))
        fit = cls(_choice_of(file), preview, np.zeros(file.k), file.k, file=file, whole=False)
        fit.file_size(file.k)
        return fit

    @property
    def scale(self) -> Scale:
        """What its variances are called."""
        return SCALES[self.choice.prepared]

    def serving(self, choice: Choice) -> Fit | None:
        """Return these components for another choice, where they are those of that choice, too.

        Parameters
        ----------
        choice : Choice
            The other.

        Returns
        -------
        Fit or None
            None where others have to be found. How far values may be off matters to real numbers only,
            which it tells how finely they are cut.
        """
        unlike = replace(choice, max_error=self.choice.max_error) != self.choice
        if unlike or self.analysis is None or self.analysis.header.dtype == "float32":
            return None
        other = copy(self)  # estimates go along
        object.__setattr__(other, "choice", choice)
        object.__setattr__(other, "encoded", Newest())
        return other

    def without(self, left_out: frozenset[int]) -> Fit:
        """Return the fit of the image that lacks some components; variances and steps stay as they are.

        Parameters
        ----------
        left_out : frozenset of int
            Components, counted from 1.

        Returns
        -------
        Fit
            Its pictures are still those of all components: they leave out what they are asked to.
        """
        if not left_out or self.analysis is None:
            return self
        lacking = self._without.get(left_out)
        if lacking is None:
            lacking = replace(self, analysis=self.analysis.without(left_out))
            self._without.put(left_out, lacking)
        return lacking

    @cached_property
    def rates(self) -> Rates | None:
        """Estimates of size and quality; None for a compressed file, whose sizes are known."""
        return None if self.analysis is None else estimates(self.analysis)

    def step(self, k: int, chosen: float | None) -> Step:
        """Return the step for k.

        Parameters
        ----------
        k : int
            How many components.
        chosen : float or None
            The step that the user set, if so.

        Returns
        -------
        Step
            That of the file, the one that was set, or the one that belongs to k.
        """
        if self.analysis is None:
            return self.preview.header.step
        return self.analysis.step_for(k) if chosen is None else Step.nearest(chosen)

    def quantize(self, k: int, chosen: float | None, progress: Progress) -> Model:
        """Return the integers that a file of k components holds.

        Parameters
        ----------
        k : int
            How many components.
        chosen : float or None
            The step that the user set, if so.
        progress : Progress
            Told of the work done.

        Returns
        -------
        Model
            What decoding gives.
        """
        if self.model is not None:
            return self.model.trimmed(k)
        if self.analysis is None:
            raise ValueError("Not all components are there.")
        step = self.step(k, chosen)
        if not self.analysis.header.traits.costly_trials:
            return quantize(self.analysis, k, step, progress)
        # To round a photo is to code it; who measures or saves what is shown need not do that again.
        coded = self._coded.get((k, step))
        if coded is None:
            self._coded.clear()
            coded = quantize(self.analysis, k, step, progress)
            self._coded.put((k, step), coded)
        return coded

    def remember(self, model: Model) -> None:
        """Keep a photo that was rounded elsewhere, so that who shows or saves it need not do that again.

        Parameters
        ----------
        model : Model
            What :meth:`quantize` would return for its k and step.
        """
        if self.analysis is not None and self.analysis.header.traits.costly_trials:
            self._coded.put((model.k, model.header.step), model)

    @cached_property
    def _file_sizes(self) -> list[int]:
        return [] if self.file is None else container.trimmed_sizes(container.write(self.file.compressed))

    def carried_bytes(self, image: Image | None) -> int:
        """Return what opacity and metadata take in a file.

        Parameters
        ----------
        image : Image or None
            The image that was fitted.

        Returns
        -------
        int
            Bytes, found once.
        """
        if image is None or self.analysis is None:
            return 0
        found = self._carried.get(None)
        if found is None:
            bare = Compressed(self.analysis.header, b"", ())
            chosen = as_chosen(as_sampled(image, self.choice), self.choice.settings)
            full = replace(bare, alpha=chosen.alpha, metadata=metadata_of(chosen))
            found = size_of(full) - size_of(bare)
            self._carried.put(None, found)
        return found

    def file_size(self, k: int) -> int | None:
        """Return the size of a compressed file trimmed to k components.

        Parameters
        ----------
        k : int
            How many components.

        Returns
        -------
        int or None
            Bytes; None for an image, which is yet to be compressed.
        """
        return self._file_sizes[k - 1] if self.file is not None else None


def _choice_of(file: CompressedImage) -> Choice:
    compressed = file.compressed
    prepared = preparation_of(compressed)
    choice = Choice.of(compressed.header.sampling, standardize=prepared is Preparation.STANDARDIZED)
    return replace(choice, mnf=prepared is Preparation.MNF, max_error=error_bound(compressed))
