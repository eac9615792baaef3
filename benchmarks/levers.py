"""The photo method with one of its parts left out, so that what this part gains can be measured.

Files are made by the encoder as it is, but for one part; they are valid, and decoded as any other file is.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from unittest import mock

from benchmarks.codecs import Codec, Pixels
from pcaimage.choices import Effort
from pcaimage.codec.photo import coding, drawing, masking, strengths
from pcaimage.codec.photo.analysis import PhotoAnalysis
from pcaimage.codec.photo.transform import cascade

LEVERS: dict[str, Callable[[], AbstractContextManager[object]]] = {
    "trellis": lambda: _with_effort(Effort.FAST),
    "shrinkage": lambda: mock.patch.object(strengths, "STEPS", (math.inf, math.inf)),
    "turning": lambda: mock.patch.object(cascade, "turned", lambda _, rotation, *__: rotation),
    "order": lambda: mock.patch.object(PhotoAnalysis, "ordered", lambda analysis: analysis),
    "means": lambda: mock.patch.object(coding, "with_means", lambda _, header: header),
    "drawing": lambda: mock.patch.object(drawing, "with_drawing", lambda analysis, *_: analysis),
    "regions": lambda: mock.patch.object(masking, "STEEPNESS", 0.0),
    "weights": lambda: mock.patch.multiple(masking, FREQUENCIES=(0, 0), ALL=0, COLOURS=0),
}
"""Parts of the photo method, each with a context in which encoders do without it: dependent quantisation,
shrinkage after decoding, channels that are turned further than PCA turns them, an order of components of the
image's own, means as a picture of their own, and drawn tiles; for the eye, too, steps by region, and weights
of frequencies and channels."""


def without(codec: Codec, levers: Sequence[str]) -> Codec:
    """Return one of this project's codecs without some parts of the photo method.

    Parameters
    ----------
    codec : Codec
        One that makes photos.
    levers : sequence of str
        Keys of :data:`LEVERS`.
    """
    return dataclasses.replace(codec, encoder=partial(_encode_without, tuple(levers), codec.encoder))


def _encode_without(
    levers: tuple[str, ...], encoder: Callable[[Pixels, float], bytes], array: Pixels, quality: float
) -> bytes:
    with ExitStack() as left_out:
        for lever in levers:
            left_out.enter_context(LEVERS[lever]())
        return encoder(array, quality)


def _with_effort(effort: Effort) -> AbstractContextManager[object]:
    chosen = PhotoAnalysis.with_effort
    return mock.patch.object(PhotoAnalysis, "with_effort", lambda analysis, _: chosen(analysis, effort))
