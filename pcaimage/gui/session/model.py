"""Model files: compressed images whose basis other files use. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from pcaimage import api
from pcaimage.api import CompressedImage
from pcaimage.codec import BasisId, Preparation, basis_id, preparation_of
from pcaimage.codec.settings import MOST_PHOTO_CHANNELS
from pcaimage.errors import FormatError, ModelError, SettingsError
from pcaimage.progress import Progress
from pcaimage.sampling import Bands, Channels, Sampling


class NeedsModelError(FormatError):
    """A compressed file needs a basis from a model file that was not given."""

    def __init__(self, sentence: str, basis: BasisId) -> None:
        super().__init__(sentence)
        self.basis = basis


@dataclass(frozen=True)
class ModelFile:
    """A compressed file whose basis is used for other images."""

    path: Path
    basis: BasisId  # the id of its basis
    file: CompressedImage = field(compare=False, repr=False)

    @property
    def sampling(self) -> Sampling:
        """The sampling: what one observation is."""
        header = self.file.compressed.header
        few = isinstance(header.sampling, Bands) and header.shape[-1] <= MOST_PHOTO_CHANNELS
        return Channels() if few else header.sampling

    @cached_property
    def standardize(self) -> bool:
        """Whether features are divided by their standard deviations."""
        return preparation_of(self.file.compressed) is Preparation.STANDARDIZED

    @property
    def about(self) -> str:
        """A description in one sentence."""
        return (
            f"The basis is in the model file {self.path.name}, id {self.basis}, of {self.file.k} components."
        )


def open_model(path: Path, _progress: Progress) -> ModelFile:
    """Open a model file.

    Raises ImageError if it cannot be read, FormatError if it is damaged, and SettingsError if it is not a
    model.
    """
    try:
        file = api.open_file(path)
        return ModelFile(path, basis_id(file.compressed), file)
    except FormatError as error:
        raise FormatError(f"{path.name} cannot be opened: {_within(error.message)}", error.offset) from error
    except SettingsError as error:
        raise SettingsError(f"{path.name} is not a model: {_within(str(error))}") from error


def with_model(file: CompressedImage, name: str, model: ModelFile | None) -> CompressedImage:
    """Return a compressed file with its basis, from the model if it needs one.

    Raises NeedsModelError if it needs another model.
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
            f"{model.path.name} is not the model for {name}: its id is {model.basis}, not {wanted}.", wanted
        ) from error


def _within(sentence: str) -> str:
    """Return a sentence with a lower-case initial, to end another sentence with."""
    return sentence[:1].lower() + sentence[1:]
