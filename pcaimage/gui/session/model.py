"""A model file: a compressed image whose basis others use. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from pcaimage import api
from pcaimage.api import CompressedImage
from pcaimage.codec import BasisId, basis_id
from pcaimage.errors import FormatError, ModelError, SettingsError
from pcaimage.progress import Progress
from pcaimage.sampling import Sampling


class NeedsModelError(FormatError):
    """A compressed file whose basis is in a model file that is not at hand."""

    def __init__(self, sentence: str, basis: BasisId) -> None:
        super().__init__(sentence)
        self.basis = basis


@dataclass(frozen=True)
class ModelFile:
    """A file with a basis for others."""

    path: Path
    basis: BasisId
    """What tells its basis from all others."""
    file: CompressedImage = field(compare=False, repr=False)

    @property
    def sampling(self) -> Sampling:
        """The sampling: what one observation is."""
        return self.file.compressed.header.sampling

    @property
    def standardize(self) -> bool:
        """Whether features are divided by their standard deviations."""
        return self.file.compressed.header.scale_bits is not None

    @property
    def about(self) -> str:
        """A description, in a sentence."""
        return (
            f"The basis is in the model file {self.path.name}, id {self.basis}, of {self.file.k} components."
        )


def open_model(path: Path, progress: Progress) -> ModelFile:
    """Open a model file.

    Parameters
    ----------
    progress : Progress
        Asked before the work, so that it can be stopped.

    Raises
    ------
    ImageError
        If it cannot be read.
    FormatError, SettingsError
        If it is damaged or no model; the message names it.
    """
    progress(0, 1)
    try:
        file = api.open_file(path)
        return ModelFile(path, basis_id(file.compressed), file)
    except FormatError as error:
        raise FormatError(f"{path.name} cannot be opened: {_within(error.message)}", error.offset) from error
    except SettingsError as error:
        raise SettingsError(f"{path.name} is not a model: {_within(str(error))}") from error


def with_model(file: CompressedImage, name: str, model: ModelFile | None) -> CompressedImage:
    """Return a compressed file that can be decoded.

    Raises
    ------
    NeedsModelError
        If it needs a model, and this is another or none.
    """
    wanted = file.compressed.basis
    if wanted is None or not file.compressed.lacks_basis:
        return file
    if model is None:
        raise NeedsModelError(
            f"{name} does not contain its basis; that is in the model file with the id {wanted}.", wanted
        )
    try:
        return file.with_model(model.file)
    except ModelError as error:
        raise NeedsModelError(
            f"{model.path.name} is not the model for {name}: its id is {model.basis}, not {wanted}.",
            wanted,
        ) from error


def _within(sentence: str) -> str:
    """Return a sentence as the end of another."""
    return sentence[:1].lower() + sentence[1:]
