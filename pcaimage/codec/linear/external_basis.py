"""The basis of a model file, which other images use without storing it."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.compressed import ID_BYTES, BasisId, Component, Compressed, Header
from pcaimage.codec.linear.coding import decode_vectors
from pcaimage.codec.linear.model import as_reals
from pcaimage.errors import FormatError, ModelError, SettingsError
from pcaimage.pca import PCA
from pcaimage.sampling import Bands, Blocks, Stack
from pcaimage.varint import write_varint

_DTYPES = "uint8", "uint16", "int16", "float32"
_METHODS = {Blocks: 0, Bands: 1, Stack: 2}


@dataclass(frozen=True, eq=False)
class ExternalBasis:
    """The decoded basis of a model file: mean and standard deviations are in the units of its header."""

    source: Compressed  # the model
    basis: BasisId
    mean: NDArray[np.int64] = field(repr=False)
    scale: NDArray[np.int64] | None = field(repr=False)
    entries: NDArray[np.int64] = field(repr=False)  # component j in units of 2^-precisions[j]
    precisions: tuple[int, ...] = field(repr=False)

    @classmethod
    def of(cls, model: Compressed) -> ExternalBasis:
        """Decode the basis of a model in blocks, channels or a stack.

        Raises SettingsError if it has no basis of its own, FormatError if it is damaged.
        """
        _check_model(model)
        mean, scale, entries = decode_vectors(model)
        if scale is not None and scale.min() < 1:
            raise FormatError("The standard deviations are out of range.")
        precisions = tuple(component.precision for component in model.components)
        return cls(model, basis_id(model), mean, scale, entries, precisions)

    def pca(self) -> PCA:
        """Return the PCA of the model, up to rounding and without variances."""
        header = self.source.header
        pca = PCA(len(self.precisions), standardize=self.scale is not None)
        pca.components_ = as_reals(self.entries, self.precisions)
        pca.mean_ = np.ldexp(self.mean.astype(np.float64), -header.mean_bits)
        pca.scale_ = np.ones_like(pca.mean_)
        if self.scale is not None and header.scale_bits is not None:
            pca.scale_ = np.ldexp(self.scale.astype(np.float64), -header.scale_bits)
        pca.n_components_, pca.n_features_ = pca.components_.shape
        pca.moments_ = None
        return pca


def basis_id(model: Compressed) -> BasisId:
    """Return the identifier of a model's basis.

    It is the first 16 bytes of the SHA-256 of the coded mean, deviations and vectors and of the header fields
    that give them meaning; ``docs/format.md``, section 4.3, defines it. Neither scores nor the step matter.
    SettingsError if the file has no basis that other images could use.
    """
    _check_model(model)
    digest = hashlib.sha256()
    for part in _identity(model):
        digest.update(part)
    return BasisId(digest.digest()[:ID_BYTES], model.k)


def _identity(model: Compressed) -> Iterator[bytes]:
    header, scale = model.header, model.scale or b""
    yield struct.pack(
        "<5Bb",
        _METHODS[type(header.sampling)],
        _DTYPES.index(header.dtype) + 1,
        header.scale_bits is not None,
        header.mean_bits,
        header.scale_bits or 0,
        header.value_bits,
    )
    for side in header.sampling.feature_grid(header.shape):
        yield write_varint(side)
    yield write_varint(model.k)
    for vector in (model.mean, scale):
        yield write_varint(len(vector)) + vector
    for component in model.components:
        yield bytes([component.precision]) + write_varint(len(component.vector)) + component.vector


def has_basis(compressed: Compressed) -> bool:
    """Return whether a file has a basis of its own that other images can use."""
    return type(compressed.header.sampling) in _METHODS and compressed.basis is None and compressed.k > 0


def _check_model(model: Compressed) -> None:
    if type(model.header.sampling) not in _METHODS:
        raise SettingsError("Only images in blocks, channels or a stack have a basis to give to others.")
    if model.basis is not None:
        raise SettingsError("The model has no basis of its own; that is in another model file.")
    if not model.k:
        raise SettingsError("The model has no components.")


def attach_basis(compressed: Compressed, model: Compressed) -> Compressed:
    """Return an image that was compressed with a model file with the basis of that file, ready to be decoded.

    ModelError if the image needs another model, SettingsError if it has its own basis, or the model has none.
    """
    wanted = compressed.basis
    if wanted is None:
        raise SettingsError("The image has its own basis, and needs no model.")
    found = basis_id(model)
    if found != wanted:
        raise ModelError(
            f"The image's basis is in the model with the id {wanted}; this model's id is {found}."
        )
    if not compatible(model.header, compressed.header) or compressed.k > model.k:
        raise ModelError("The image does not fit the model that it names.")
    return copy_basis(compressed, model)


def copy_basis(compressed: Compressed, source: Compressed) -> Compressed:
    """Return an image with the basis of a source, without checking that it is the one that the image needs.

    The source is an image or a model with at least as many components.
    """
    components = tuple(
        Component(theirs.precision, theirs.vector, ours.scores)
        for theirs, ours in zip(source.components, compressed.components, strict=False)
    )
    return replace(compressed, mean=source.mean, scale=source.scale, components=components, lacks_basis=False)


def compatible(model: Header, other: Header) -> bool:
    """Return whether an image can use the basis of a model, in the same units."""
    return (
        (model.sampling, model.dtype) == (other.sampling, other.dtype)
        and model.sampling.feature_grid(model.shape) == other.sampling.feature_grid(other.shape)
        and (model.mean_bits, model.scale_bits, model.value_bits)
        == (other.mean_bits, other.scale_bits, other.value_bits)
    )
