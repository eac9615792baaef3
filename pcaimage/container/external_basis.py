"""Chunks of images whose basis is in a model file."""

from __future__ import annotations

from pcaimage.codec.blocks.external_basis import ID_BYTES
from pcaimage.codec.compressed import BasisId, Component, Header
from pcaimage.errors import FormatError
from pcaimage.varint import read_varint, write_varint


def write_scores(number: int, component: Component) -> bytes:
    """Return the bytes of the chunk that has a component's scores only.

    Parameters
    ----------
    number : int
        Its place, counted from 1.
    """
    return write_varint(number) + component.scores


def read_scores(payload: bytes, number: int) -> Component:
    """Return the component of a chunk that has scores only.

    Returns
    -------
    Component
        Without a vector.
    """
    found, place = read_varint(payload, 0)
    if found != number:
        raise FormatError(f"Component {found} stands where component {number} should.")
    return Component(0, b"", payload[place:])


def write_basis(basis: BasisId) -> bytes:
    """Return the bytes of the chunk that says where the basis is."""
    return write_varint(basis.components) + basis.digest


def read_basis(payload: bytes, header: Header) -> BasisId:
    """Return which model file has an image's basis."""
    components, place = read_varint(payload, 0)
    if len(payload) - place != ID_BYTES or not 1 <= components <= header.n_features:
        raise FormatError("What the file says of its model is damaged.")
    return BasisId(payload[place:], components)
