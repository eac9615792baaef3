"""One slice of a photo: its scores to bytes, component by component, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding import rangecoder
from pcaimage.codec.photo import tables
from pcaimage.codec.photo.contexts import INPUTS, SIGN_INPUTS
from pcaimage.codec.photo.means import Means, code_means
from pcaimage.codec.photo.prediction import FRACTION_BITS, differences, expect
from pcaimage.codec.photo.scores import Coder, Learned, code_scores
from pcaimage.codec.photo.tables import Tables
from pcaimage.progress import Count

Wanted = Callable[[int], NDArray[np.float32]]
"""Takes a component's index; returns its scores in units of the step."""

BITS_PER_SCORE = 72
"""At most so many bits has a score: 16 in unary, 24 for the count of digits, 23 digits, the sign."""

_NOTHING = np.zeros(0, np.uint8)
_NO_TAPE = np.zeros(0, np.int32)
_NOT_WANTED = np.zeros((1, 1), np.float32)

# What a bit of each probability costs; the encoder alone asks.
BITS = -np.log2(np.maximum(np.arange(rangecoder.ONE + 1), 0.5) / rangecoder.ONE).astype(np.float32)


class PhotoSliceCoder:
    """Codes the components of a slice one after the other, or decodes them.

    Parameters
    ----------
    trained : Tables
        What was trained.
    scores : ndarray of int16 or int32, shape (k, rows, columns)
        The slice's integers, constant components first: zeros, which coding fills.
    channels : int
        How many components are constant.
    data : bytes, optional
        What to decode; by default it encodes.
    """

    def __init__(
        self, trained: Tables, scores: NDArray[Any], channels: int, data: bytes | None = None
    ) -> None:
        k, rows, columns = scores.shape
        self.scores, self.channels = scores, channels
        self._components = trained.components(channels)
        self._scales = trained.scales
        self._means = trained.means(channels, rows, columns)
        self._learned = trained.learned()
        self._expected = tables.expected(self._components.plan, rows, columns, max(k - channels, 0))
        self._room = [np.zeros(size, np.int64) for size in (INPUTS, INPUTS, SIGN_INPUTS, SIGN_INPUTS)]
        self._around: dict[int, NDArray[np.int32]] = {}
        self._predicted = np.empty((rows, columns), np.int32)
        self._reading = data is not None
        # Writable, like all else: loops are compiled for each kind of array, and once is enough.
        self._data = _NOTHING if data is None else np.frombuffer(data, np.uint8).copy()
        self._state = rangecoder.writer() if data is None else rangecoder.reader(self._data)
        self._tape = _NO_TAPE if self._reading else np.empty(BITS_PER_SCORE * rows * columns, np.int32)
        self._writer = rangecoder.writer()
        self._out, self._place = np.empty(1 << 16, np.uint8), 0

    def learn_in(self, learned: Learned, means: Means) -> None:
        """Go on from what other pictures taught, and teach the next: how the tables are trained."""
        self._learned, self._means = learned, means

    @property
    def taught(self) -> tuple[Learned, Means]:
        """Its trained models, for :meth:`learn_in` of a coder of a slice of the same shape."""
        return self._learned, self._means

    def encode(self, wanted: Wanted, price: float, progress: Count) -> tuple[bytes, list[int]]:
        """Encode all components.

        Parameters
        ----------
        price : float
            Squared error, in squared steps, that a bit is worth.

        Returns
        -------
        (bytes, list of int)
            The coded bytes, and how many of them must be kept for the first components, for each.
        """
        certain = []
        for index in range(len(self.scores)):
            self._code(index, wanted(index), price)
            self._drain()
            # Four bytes of the coder's state are yet to come, and the very first is not kept.
            certain.append(self._place + int(self._writer[rangecoder.PENDING]) + 3)
            progress(1)
        self._reserve(int(self._writer[rangecoder.PENDING]) + rangecoder.FINISH_BYTES)
        end = rangecoder.finish(self._writer, self._out, self._place)
        coded = self._out[1:end].tobytes()
        return coded, [min(count, len(coded)) for count in certain]

    def decode(self, progress: Count) -> None:
        """Decode all components into the scores."""
        for index in range(len(self.scores)):
            self._code(index, _NOT_WANTED, 0.0)
            progress(1)

    def _code(self, index: int, wanted: NDArray[np.float32], price: float) -> None:
        coder = (self._state, self._tape, self._data, self._reading)
        if index < self.channels:
            code_means(index, wanted, self.scores[index], self._means, self._scales, *coder)
            return
        number = index - self.channels
        if not self._reading:
            wanted = wanted - self.predicted(index).astype(np.float32) / np.float32(1 << FRACTION_BITS)
        code_scores(
            number,
            wanted,
            self.scores[self.channels :],
            self._components.plan,
            self._expected,
            self._coder(),
            price,
            self._reading,
        )

    def _coder(self) -> Coder:
        return Coder(
            learned=self._learned,
            scales=self._scales,
            contexts=self._room[0],
            inputs=self._room[1],
            sign_contexts=self._room[2],
            sign_inputs=self._room[3],
            bits=BITS,
            state=self._state,
            tape=self._tape,
            data=self._data,
        )

    def predicted(self, index: int) -> NDArray[np.int32]:
        """Return the prediction of a component from the means.

        Returns
        -------
        ndarray of int32, shape (rows, columns)
            In units of Δ / 256; to be used before the next call.
        """
        number = index - self.channels
        channel = int(self._components.plan.channel[number])
        if channel not in self._around:
            self._around[channel] = np.empty((8, *self.scores.shape[1:]), np.int32)
            differences(self.scores[channel], self._around[channel])
        expect(self._around[channel], self._components.prediction[number], self._predicted)
        return self._predicted

    def _drain(self) -> None:
        """Write the decisions on the tape as bytes."""
        count = int(self._state[rangecoder.PLACE])
        self._reserve(int(self._writer[rangecoder.PENDING]) + rangecoder.BYTES_PER_BIT * count)
        self._place = rangecoder.write(self._writer, self._tape, count, self._out, self._place)
        self._state[rangecoder.PLACE] = 0

    def _reserve(self, count: int) -> None:
        if self._place + count > len(self._out):
            larger = np.empty(2 * (self._place + count), np.uint8)
            larger[: self._place] = self._out[: self._place]
            self._out = larger
