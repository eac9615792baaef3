"""Where the bytes of a ``.pcai`` file go."""

from __future__ import annotations

from pcaimage.codec import Component
from pcaimage.container import Chunk, scan

PARTS = ("header", "mean", "basis", "scores", "residual", "spectrum", "metadata", "alpha", "preview")
"""In the order in which they are shown."""

_PART_OF = {
    Chunk.HEADER: "header",
    Chunk.END: "header",
    Chunk.BASIS: "header",
    Chunk.MEAN: "mean",
    Chunk.DEVIATIONS: "mean",
    Chunk.SPECTRUM: "spectrum",
    Chunk.ALPHA: "alpha",
    Chunk.PREVIEW: "preview",
    Chunk.GROUP: "scores",
    Chunk.SCORES: "scores",
    Chunk.RESIDUAL: "residual",
}


def breakdown(data: bytes, components: tuple[Component, ...]) -> dict[str, int]:
    """Return how many bytes each part of a file takes.

    Parameters
    ----------
    data : bytes
        A whole file.
    components : tuple of Component
        Those of this file.

    Returns
    -------
    dict of str to int
        Bytes of each of :data:`PARTS`, which add up to the file. Each chunk counts with its frame; a
        component's frame counts to its scores, and so does all of a photo's groups, the standard deviations
        to the mean, signature and end to the header, and everything that is only carried along to the
        metadata.
    """
    parts = dict.fromkeys(PARTS, 0)
    place, component = 0, iter(components)
    for chunk in scan(data):
        # The signature, before the first chunk, goes to that: the header.
        size, place = chunk.stop - place, chunk.stop
        if chunk.kind is Chunk.COMPONENT:
            vector = len(next(component).vector)
            parts["basis"] += vector
            parts["scores"] += size - vector
        else:
            kind = chunk.kind
            parts["metadata" if kind is None else _PART_OF.get(kind, "metadata")] += size
    return parts
