"""Breakdown of a compressed image's size, to the last byte."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pcaimage import container
from pcaimage.codec import Compressed
from pcaimage.container import Chunk
from pcaimage.machine.folders import tables

_MEAN_ENTRY = 2  # bytes of an entry of a photo's mean; the axes and bases follow it in the same chunk

_READ = tables("files.json")
_PART_OF = {Chunk[name]: part for name, part in _READ["parts"].items()}
"""The part of a file that each kind of chunk belongs to; all others are metadata."""


@dataclass(frozen=True, eq=False)
class SizeBreakdown:
    """Bytes of a file by purpose; they add up to the file.

    The scores of a photo are one stream, cut at whole multiples of up to 1/256 of it: a component that takes
    less may count 0, and one near it a little more. `metadata` are name, colour profile, EXIF, descriptions
    of bands, and the map of missing values. `frames` is the structure of the file around each part: lengths,
    numbers and checksums; a vector's is with ``"scores"``, that of axes with ``"mean"``, and the file's
    signature with ``"header"``. The lender is the model file that has the basis, unless it is in this file or
    comes with the program.
    """

    vectors: NDArray[np.int64] = field(repr=False)  # of each component; zeros for a photo
    scores: NDArray[np.int64] = field(repr=False)
    header: int = 0  # dimensions, method, step
    spectrum: int = 0  # the explained variances of all components
    mean: int = 0  # of the samples, and deviations that divide them
    axes: int = 0  # a photo's channel axes, and its own bases
    alpha: int = 0
    preview: int = 0
    metadata: int = 0
    residual: int = 0  # makes a photo lossless
    tiles: int = 0  # a photo's tiles of flat colours
    frames: Mapping[str, int] = field(default_factory=dict, repr=False)
    lender: str = ""

    @property
    def k(self) -> int:
        """Number of components in the file."""
        return len(self.scores)

    @cached_property
    def basis(self) -> int:
        """The components: their vectors, or what a photo's are made of."""
        return self.axes + int(self.vectors.sum())

    @cached_property
    def of_components(self) -> NDArray[np.int64]:
        """Bytes that belong to a single component, its vector and its scores: (k,)."""
        return self.vectors + self.scores

    @cached_property
    def framing(self) -> int:
        """The structure of the file, which is around all parts."""
        return sum(self.frames.values())

    @cached_property
    def total(self) -> int:
        """Size of the file in bytes."""
        return sum(self.framed.values())

    @cached_property
    def framed(self) -> dict[str, int]:
        """Bytes by the kinds of chunks, each with its frame; they add up to the file.

        A photo's axes and bases count as mean, as they are in its chunk.
        """
        parts = {
            "header": self.header,
            "mean": self.mean + self.axes,
            "basis": int(self.vectors.sum()),
            "scores": int(self.scores.sum()),
            "tiles": self.tiles,
            "residual": self.residual,
            "spectrum": self.spectrum,
            "metadata": self.metadata,
            "alpha": self.alpha,
            "preview": self.preview,
        }
        return {part: n_bytes + self.frames.get(part, 0) for part, n_bytes in parts.items()}


def breakdown_of(compressed: Compressed, data: bytes | None = None) -> SizeBreakdown:
    """Return the exact breakdown of the file that an image was read from, or of what would be written.

    A photo's components share chunks; the overhead of a chunk counts as framing. SettingsError if the image
    has parts that its method does not allow, so that no file can be made of it.
    """
    payloads, frames = Counter[str](), Counter[str]()
    place = axes = 0
    for chunk in container.scan(container.write(compressed) if data is None else data):
        part = "metadata" if chunk.kind is None else _PART_OF.get(chunk.kind, "metadata")
        n_bytes = len(chunk.payload)
        frames[part] += chunk.stop - place - n_bytes  # before the first chunk is the signature
        place = chunk.stop
        if chunk.kind is Chunk.MEAN:
            header = compressed.header
            mean = _MEAN_ENTRY * header.shape[-1] if header.traits.separable else n_bytes
            axes, n_bytes = n_bytes - mean, mean
        payloads[part] += n_bytes
    vectors = np.array([len(component.vector) for component in compressed.components], np.int64)
    if compressed.basis is not None:
        vectors[:] = 0  # they are in another file
    scores = np.array([len(component.scores) for component in compressed.components], np.int64)
    frames["scores"] += payloads.pop("scores", 0) - int(vectors.sum() + scores.sum())
    lender = "" if compressed.basis is None else str(compressed.basis)
    return SizeBreakdown(vectors, scores, axes=axes, frames=frames, lender=lender, **payloads)


@dataclass(frozen=True)
class BreakdownItem:
    """One line of a breakdown: a title, and a sentence that explains it.

    The kind is ``"mean"``, ``"basis"``, ``"scores"``, ``"opacity"``, ``"tiles"``, ``"residual"``,
    ``"metadata"`` or ``"rest"``.
    """

    kind: str
    name: str
    n_bytes: int  # never 0
    first: int = 0  # of scores, the components, from 1; otherwise 0
    last: int = 0
    about: str = ""


BOUNDS = (3, 16, 64)
"""Last component of each group of scores: colour and coarse shapes, edges, textures; then the rest."""

_TEXTS = tables("columns.json")


def items_of(parts: SizeBreakdown) -> list[BreakdownItem]:
    """Return a breakdown as a few lines, in the order of the file, without empty parts."""
    found = [
        BreakdownItem("mean", "Mean", parts.mean),
        BreakdownItem("basis", "Basis", parts.basis, about=_TEXTS["basis of photos"] if parts.axes else ""),
        *_score_shares(parts),
        BreakdownItem("tiles", "Tiles", parts.tiles),
        BreakdownItem("residual", "Residual", parts.residual),
        BreakdownItem("opacity", "Opacity", parts.alpha),
        BreakdownItem("metadata", "Metadata", parts.metadata),
        BreakdownItem("rest", "Other", parts.header + parts.spectrum + parts.preview + parts.framing),
    ]
    return [replace(each, about=each.about or _TEXTS["parts"][each.kind]) for each in found if each.n_bytes]


def _score_shares(parts: SizeBreakdown) -> list[BreakdownItem]:
    shares, first = list[BreakdownItem](), 1
    for bound in (*BOUNDS, parts.k):
        last = min(bound, parts.k)
        if last >= first:
            n_bytes = int(parts.scores[first - 1 : last].sum())
            span = f"{first}" if first == last else f"{first}\u2013{last}"
            shares.append(BreakdownItem("scores", f"Scores {span}", n_bytes, first, last))
            first = last + 1
    return shares
