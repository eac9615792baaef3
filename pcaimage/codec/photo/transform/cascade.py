"""The transform of the photo method: channel PCA, lapping and separable block PCA, all orthonormal.

1. PCA of the image's own channels, turned to where scores cost little: :func:`.channels.turned`;
2. lapping across every border between blocks, see :class:`pcaimage.sampling.Lapped`;
3. separable PCA of blocks: first along their columns, then along their rows.

As the transform is orthonormal, a squared error in the scores is the same squared error in the pixels.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.photo.transform import axes
from pcaimage.codec.photo.transform.channels import ONE, checked, fitted, turned
from pcaimage.codec.settings import MOST_PHOTO_CHANNELS
from pcaimage.core.library import LONG, STRUCT, Array, Held, function, held
from pcaimage.errors import DataError, SettingsError
from pcaimage.machine.parallel import in_parallel
from pcaimage.progress import Progress, no_progress
from pcaimage.sampling.blocks import BLOCK

AnyArray = NDArray[Any]
IntArray = NDArray[np.int64]
Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]


class Analysis(NamedTuple):
    """The analysis maps of an image; mirrors the struct of the same name in the core."""

    rotation: Doubles  # maps channels to their principal components, shape (C, C)
    offset: Doubles  # the principal components of the mean, subtracted: shape (C,)
    vertical: Doubles  # of photo.transform.axes.analysis, shape (3, 16, 8)
    horizontal: Doubles
    factor: float  # multiplies the scores
    limit: float  # magnitude to which rounded scores are clipped
    height: int
    width: int
    channels: int


_BYTES, _ROOM = Array(np.uint8), Array(np.uint8, writable=True)
_ANALYSE = function("pcai_analyse", None, STRUCT, _BYTES, *(LONG,) * 5, _ROOM, LONG)


def analyse(
    image: AnyArray, analysis: Held[Analysis], start: int, stop: int, planes: AnyArray, top: int
) -> None:
    """Compute the scores of some rows of blocks of an image, and put them into planes from row `top` on.

    Planes have the shape (C*64, rows, columns), and are float32, or int16 for 8-bit images and int32 for
    16-bit ones: integer scores are rounded half to even.
    """
    rows = planes.shape[1]
    if not (0 <= top <= rows - (stop - start) and planes.shape[0] == image.shape[2] * 64):
        raise ValueError(
            f"Rows {start} to {stop} of blocks do not fit into {planes.shape} from row {top} on."
        )
    given = image.view(np.uint8), image.dtype == np.uint16, start, stop, rows, top
    _ANALYSE(analysis, *given, planes.view(np.uint8), planes.dtype != np.float32)


MAX_SUM = 1 << 19
"""Exclusive bound on the sum of magnitudes in each row of a map; orthonormal maps stay within 2^18."""

_STRIP = 64  # rows of blocks between progress reports
_LARGE = 1 << 17  # number of values from which several threads are faster than one


@dataclass(frozen=True, eq=False)
class Cascade:
    """The transform of an image, in integers; matrices are orthonormal, with components in rows, in 2^-14."""

    mean: IntArray  # of each channel
    rotation: IntArray  # what channels are turned to
    vertical: IntArray  # along a block's columns
    horizontal: IntArray  # along its rows

    def __post_init__(self) -> None:
        n = len(self.mean)
        if not 1 <= n <= MOST_PHOTO_CHANNELS or self.mean.shape != (n,) or self.rotation.shape != (n, n):
            raise SettingsError(
                f"A rotation of {self.rotation.shape} does not fit 1 to {MOST_PHOTO_CHANNELS} channels."
            )
        if self.vertical.shape != (BLOCK, BLOCK) or self.horizontal.shape != (BLOCK, BLOCK):
            raise SettingsError("The bases of blocks are matrices of 8 × 8 numbers.")
        entries = max(int(np.abs(part).max()) for part in (self.rotation, self.vertical, self.horizontal))
        if entries > ONE or int(self.mean.min()) < 0 or int(self.mean.max()) > np.iinfo(np.uint16).max:
            raise SettingsError("A component's entry is larger than 1, or a channel's mean is out of range.")
        parts = (axes.synthesis(self.vertical), axes.synthesis(self.horizontal))
        if max(float(np.abs(part).sum(axis=2).max()) for part in parts) >= MAX_SUM:
            raise SettingsError("The components of blocks are far from orthonormal.")

    @classmethod
    def of_image(
        cls, array: NDArray[Any], vertical: IntArray, horizontal: IntArray, white: float = 255
    ) -> Cascade:
        """Fit the channels to an image of one to four channels; the bases of blocks are given."""
        image = checked(array)
        mean, rotation = fitted(image)
        return cls(mean, turned(image, rotation, vertical, horizontal, white), vertical, horizontal)

    @property
    def arrays(self) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """The mean, the rotation, and the vertical and horizontal bases."""
        return self.mean, self.rotation, self.vertical, self.horizontal

    @property
    def channels(self) -> int:
        """Number of channels C."""
        return len(self.mean)

    @cached_property
    def _analysis(self) -> tuple[NDArray[Any], ...]:
        """Rotation, offset and maps of both axes that invert the integer synthesis."""
        turn = np.linalg.inv(self.rotation.T / ONE)
        return turn, turn @ self.mean, axes.analysis(self.vertical), axes.analysis(self.horizontal)

    def forward(self, array: NDArray[Any], unit: float, progress: Progress = no_progress) -> NDArray[Any]:
        """Return all scores of an image, in whole units clipped to their type: (C * 64, rows, columns).

        Plane p*64 + u*8 + v has the scores of channel component p, vertical component u and horizontal
        component v; int16 for uint8 images, int32 for uint16 ones.
        """
        image = self._of_these_channels(array)
        rows = -(-image.shape[0] // BLOCK)
        kind, limit = (np.int16, 32767) if image.dtype == np.uint8 else (np.int32, 2147483647)
        planes = np.empty((self.channels * 64, rows, -(-image.shape[1] // BLOCK)), kind)
        for start in range(0, rows, _STRIP):
            stop = min(start + _STRIP, rows)
            self._analyse(image, slice(start, stop), (1.0 / unit, limit), planes, start)
            progress(stop, rows)
        return planes

    def scores(self, array: NDArray[Any], rows: slice) -> Floats:
        """Return scores of some rows of blocks of an image, in grey levels, ordered as by :meth:`forward`."""
        image = self._of_these_channels(array)
        start, stop, _ = rows.indices(-(-image.shape[0] // BLOCK))
        planes = np.empty((self.channels * 64, max(0, stop - start), -(-image.shape[1] // BLOCK)), np.float32)
        self._analyse(image, slice(start, stop), (1.0, 0), planes, 0)
        return planes

    def _analyse(
        self, image: NDArray[Any], rows: slice, factor: tuple[float, int], planes: NDArray[Any], top: int
    ) -> None:
        work = np.float32 if image.dtype == np.uint8 else np.float64
        turn, offset, down, along = (
            np.ascontiguousarray(part.astype(work), np.float64) for part in self._analysis
        )
        analysis = held(Analysis(turn, offset, down, along, *factor, *image.shape))

        def find(start: int, stop: int) -> None:
            first, last = rows.start + start, rows.start + stop
            analyse(image, analysis, first, last, planes, top + start)

        count = rows.stop - rows.start
        in_parallel(find, count, worth=planes[:, :count].size > _LARGE)

    def synthesis(self, reduction: int) -> tuple[Floats, Floats]:
        """Return the vertical and the horizontal maps from coefficients to averages of pixels.

        Of shape (4, 8 / reduction, 24), they lead from the coefficients of the block before, of the block
        itself and of the block after to averages within the block, where it is neither first nor last along
        the axis, first, last, and both.
        """
        if reduction not in (1, 2, 4, 8):
            raise SettingsError(f"Averages are of 1, 2, 4 or 8 pixels along each axis, not of {reduction}.")
        ends = [(False, False), (True, False), (False, True), (True, True)]
        vertical, horizontal = (
            np.array([axes.averages(basis, reduction, first=first, last=last) for first, last in ends])
            for basis in (self.vertical, self.horizontal)
        )
        return vertical, horizontal

    def _of_these_channels(self, array: NDArray[Any]) -> NDArray[Any]:
        image = checked(array)
        if image.shape[2] != self.channels:
            raise DataError(
                f"The image has {image.shape[2]} channels; the cascade is one of {self.channels}."
            )
        return image


BUILTIN, OWN = 0, 1  # origin of the bases: the trained tables, or the image itself

_ENTRY = np.dtype("<i2")
_MEAN = np.dtype("<u2")


def cascade_to_bytes(cascade: Cascade, builtin: NDArray[np.int64]) -> bytes:
    """Serialise a cascade; its bases are omitted if they equal the built-in ones."""
    own = not (np.array_equal(cascade.vertical, builtin) and np.array_equal(cascade.horizontal, builtin))
    parts = [bytes([OWN if own else BUILTIN]), cascade.mean.astype(_MEAN).tobytes()]
    arrays = [cascade.rotation] if len(cascade.mean) > 1 else []
    arrays += [cascade.vertical, cascade.horizontal] if own else []
    return b"".join(parts + [array.astype(_ENTRY).tobytes() for array in arrays])


def cascade_from_bytes(data: bytes, channels: int, builtin: NDArray[np.int64]) -> Cascade:
    """Parse a cascade, which the core has checked."""
    turned = channels * channels if channels > 1 else 0
    mean = np.frombuffer(data, _MEAN, channels, 1).astype(np.int64)
    entries = np.frombuffer(data, _ENTRY, offset=1 + 2 * channels).astype(np.int64)
    rotation = entries[:turned].reshape(channels, channels) if turned else np.array([[1 << 14]])
    vertical = horizontal = builtin
    if data[0] == OWN:
        vertical, horizontal = entries[turned:].reshape(2, 8, 8)
    return Cascade(mean, rotation, vertical, horizontal)
