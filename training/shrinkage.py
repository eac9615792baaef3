"""Fitting of the gains of shrinkage to photographs that were coded.

A coefficient's band and the class of its size make a cell. Each cell's coefficients, taken out of a decoded
channel, change it in a way of its own, so that the gains that bring it closest to the original come from a
linear least-squares problem for each channel and step. Gains differ from photograph to photograph. Like
photographs themselves they are approximated by a few components [1]_: what all have in common and where most
of them differ, with a strength for each. Errors count in the image, so alternating least squares take the
place of eigenvectors.

References
----------
.. [1] K. R. Gabriel, S. Zamir, "Lower rank approximation of matrices by least squares with any choice of
   weights", Technometrics 21(4), 1979.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.compressed import DEPENDENT, SHRUNK, STRENGTHS, Header, header_of
from pcaimage.codec.photo.picture import FRACTION_BITS, WHOLE, Picture
from pcaimage.codec.photo.slices import PhotoSliceCoder
from pcaimage.codec.photo.tables import NEWEST, Tables, flat
from pcaimage.codec.photo.transform.cascade import Cascade
from pcaimage.codec.step import Step
from pcaimage.sampling import Lapped
from training.bases import cascade_of
from training.files import GAINS

Floats = NDArray[np.float64]

STEPS = (4.0, 8.0, 16.0, 32.0, 64.0, 128.0)
"""Steps that photographs are coded with: those of every second grade."""

CROP = 192
"""Lines and columns of the part of a photograph that is looked at."""

SIZES, BANDS = 16, 9
"""Classes of a coefficient's size, and bands: (u, v) and (v, u) are one."""

CHANNELS = 3
ALONE = np.array([6554, 16384, 6554, 2621, 6554, 2621, 16384, 6554, 2621])
"""The gain of each band that takes out a coefficient as a whole: 2^18 by its vectors' squared length."""

_ROUNDS = 12
_SPREAD = 0.6
MOST_STRENGTH = 2.0
_RIDGE, _SMOOTH = 1e-4, 0.1
# The largest coefficients are apart: their class has no upper end, and most of the energy.
_BENDS: Floats = np.pad(np.diff(np.eye(SIZES - 1), 2, axis=0), ((0, 0), (0, 1)))


class Equations(NamedTuple):
    """Normal equations of a channel's corrections and the error that they are to take away, in squared steps.

    Parameters
    ----------
    products : ndarray of float64, shape (n_cells, n_cells)
        Of the cells' corrections with each other.
    helped : ndarray of float64, shape (n_cells,)
        Of the cells' corrections with what is missing.
    """

    products: Floats
    helped: Floats


def coded(planes: NDArray[np.float32], header: Header, tables: Tables) -> NDArray[Any]:
    """Code the scores of a colour image, (192, rows, columns) in steps; return what is decoded."""
    plan = tables.plan(header)
    scores: NDArray[Any] = np.zeros(planes.shape, plan.dtype)
    coder = PhotoSliceCoder(plan, scores)
    coder.encode(lambda index: planes[plan.planes[index]], coder.price, lambda _: None)
    return scores


def equations(image: NDArray[np.uint8], tables: Tables, value: float) -> list[Equations]:
    """Code the middle of a photograph, uint8 of shape (H, W, 3); return the channels' equations."""
    top, left = (max((side - CROP) // 16 * 8, 0) for side in image.shape[:2])
    pixels = np.ascontiguousarray(image[top : top + CROP, left : left + CROP])
    step, bits = Step.nearest(value), FRACTION_BITS[pixels.dtype]
    header = replace(header_of(pixels, Lapped()), step=step, tables=NEWEST, tools=DEPENDENT)
    cascade = cascade_of(pixels, tables.basis)
    scores = cascade.forward(pixels, 1 / 8)
    found = coded(scores.astype(np.float32) / np.float32(8 * float(step)), header, tables)
    picture = Picture(header, cascade, [found], tables=tables)
    groups = 0, scores.shape[1] + 1
    true = picture.planes_of(scores, groups, (1, -3))
    known = picture.known_planes(groups)
    scale = np.ldexp(1 / float(step), -bits)
    every = []
    for plane, missing in zip(known, true - known, strict=True):
        cells = np.stack([change.ravel() for change in _corrections(plane, step, tables)])
        cells = (cells * scale).astype(np.float32)
        right = (missing.ravel() * scale).astype(np.float32)
        every.append(Equations((cells @ cells.T).astype(np.float64), (cells @ right).astype(np.float64)))
    return every


def _corrections(plane: Floats, step: Step, tables: Tables) -> list[Floats]:
    """Return the changes of a channel if the coefficients of each cell are taken out.

    The largest coefficients are taken out by a sixteenth, so that sums stay within 16 bits.
    """
    header = replace(header_of(np.empty((*plane.shape, 1), np.uint8), Lapped()), step=step, tables=NEWEST)
    header = replace(header, tools=SHRUNK, strengths=(WHOLE, 0))
    whole, basis = np.array([[1 << 14]]), tables.basis
    cascade, found = Cascade(np.zeros(1, np.int64), whole, basis, basis), []
    for band, size in np.ndindex(BANDS, SIZES):
        gains = np.zeros(GAINS, np.int16)
        part = 16 if size == SIZES - 1 else 1
        gains[..., band, size] = ALONE[band] // part
        alone = np.frombuffer(flat({**tables.arrays, "shrink_gains": gains}), np.uint8)
        picture = Picture(header, cascade, [], tables=Tables(alone, tables.graded))
        found.append((picture.shrunk(plane[None])[0] - plane) * part)
    return found


def fitted(parts: Sequence[Equations], count: int = STRENGTHS) -> Floats:
    """Return the components of the gains that fit some channels best, each with strengths of its own.

    The first begins as what fits all with a strength of one; the others as the principal directions in which
    each channel's own best gains differ from it. Shape (count, n_cells).
    """
    products, helped = _sum(parts)
    common = _solved(products, helped)
    size = len(helped)
    root: Floats = np.linalg.cholesky(_firm(products)).astype(np.float64)
    own = np.array([_solved(*part) for part in parts]) - common
    directions = np.linalg.svd(own @ root, full_matrices=False)[2][: count - 1]
    found = np.vstack([common, np.linalg.solve(root.T, directions.T).T])
    for _ in range(_ROUNDS):
        found = _scaled(found, parts)
        gram, right = np.zeros((count * size, count * size)), np.zeros(count * size)
        for part in parts:
            strengths = np.clip(_strengths(found, part), -MOST_STRENGTH, MOST_STRENGTH)
            gram += np.kron(np.outer(strengths, strengths), part.products)
            right += np.kron(strengths, part.helped)
        found = _solved(gram, right).reshape(count, size)
    return _scaled(_apart(found, parts, root), parts)


def _firm(products: Floats) -> Floats:
    """Let gains be small, and smooth over classes of sizes, where there is little to learn from."""
    count = len(products)
    usual = np.diag(products).reshape(-1, SIZES)[:, :-1].mean()
    smooth = np.kron(np.eye(count // SIZES), _BENDS.T @ _BENDS)
    firm: Floats = products + (_RIDGE * usual + 1) * np.eye(count) + _SMOOTH * usual * smooth
    return firm


def _solved(products: Floats, helped: Floats) -> Floats:
    found: Floats = np.linalg.solve(_firm(products), helped).astype(np.float64)
    return found


def _strengths(gains: Floats, part: Equations) -> Floats:
    squares = gains @ part.products @ gains.T
    ridge = 1e-6 * np.trace(squares) + 1e-6
    found: Floats = np.linalg.solve(squares + ridge * np.eye(len(gains)), gains @ part.helped)
    return found


def _apart(gains: Floats, parts: Sequence[Equations], root: Floats) -> Floats:
    """Span the same gains by their mean over all channels and by gains that correct independently of it.

    Strengths are rounded; the less one correction is like another, the less that costs. `root` is the factor
    of the sum of all products.
    """
    strengths = np.mean([_strengths(gains, part) for part in parts], axis=0)
    common = strengths @ gains @ root
    other = gains @ root
    other = other - np.outer(other @ common, common) / (common @ common + 1e-9)
    other = np.linalg.svd(other, full_matrices=False)[2][: len(gains) - 1]
    found: Floats = np.linalg.solve(root.T, np.vstack([common, other]).T).T
    return found


def _scaled(gains: Floats, parts: Sequence[Equations]) -> Floats:
    """Scale gains so that a usual strength is one of the first, and less of others, which spread more."""
    usual = np.abs([_strengths(gains, part) for part in parts]).mean(axis=0)
    usual[1:] /= _SPREAD
    found: Floats = gains * np.maximum(usual, 1e-9)[:, None]
    return found


def train_gains(images: Sequence[NDArray[np.uint8]], tables: Tables) -> NDArray[np.int16]:
    """Return the gains of all grades: (11, STRENGTHS, 3, bands, classes), see ``docs/format.md``.

    Images are uint8 of shape (H, W, 3); the tables are whole but for the gains. Grades between two of the
    steps that photographs are coded with learn from both.
    """
    known = [[equations(image, tables, step) for image in images] for step in STEPS]
    return gains_of([[[image[channel] for image in step] for channel in range(CHANNELS)] for step in known])


def gains_of(known: Sequence[Sequence[Sequence[Equations]]]) -> NDArray[np.int16]:
    """Return the gains of all grades from the equations of all photographs, by step and channel."""
    grades = []
    for grade in range(2 * len(known) - 1):
        near = known[grade // 2 : (grade + 1) // 2 + 1]
        grades.append(
            [fitted([_sum(part) for part in zip(*each, strict=True)]) for each in zip(*near, strict=True)]
        )
    found = np.array(grades).swapaxes(1, 2).reshape(len(grades), STRENGTHS, CHANNELS, BANDS, SIZES)
    whole = np.rint(found * ALONE[:, None])
    gains: NDArray[np.int16] = np.clip(whole, -32767, 32767).astype(np.int16)
    return gains


def _sum(parts: Sequence[Equations]) -> Equations:
    return Equations(*(np.sum(each, axis=0) for each in zip(*parts, strict=True)))
