"""Which steps regions of a photo get: the busier a region, the less the eye sees errors in it."""

from __future__ import annotations

import os
import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.compressed import Header
from pcaimage.codec.photo.local_steps import SIDE, LocalSteps, regions

PAR = dict(x=.5, p=1., A0=4., Aref=100., mu=.17)

def masked(planes, header: Header, local: LocalSteps):
    if local.levels < 2:
        return None
    n, rows, columns = planes.shape
    channels = n // 64
    r2, c2 = regions(rows, columns)
    scale = (255 / header.peak / 8) ** 2
    e = np.zeros((rows, columns)); cnt = np.zeros((rows, columns))
    thr = .6 * float(header.step) * 8
    for p in range(n):
        if p % 64:
            a = planes[p].astype(np.float32)
            e += a * a; cnt += np.abs(a) > thr
    def pool(a):
        return np.pad(a, ((0, r2 * 2 - rows), (0, c2 * 2 - columns)), mode="edge").reshape(r2, 2, c2, 2)
    A = np.maximum(pool(e) * (scale / 64 / channels), 1e-3); q = PAR["p"]
    A = np.exp(np.log(A).mean((1, 3))) if q == 0 else (A**q).mean((1, 3)) ** (1 / q)
    wanted = local.middle + PAR["x"] * np.log2((A + PAR["A0"]) / (PAR["Aref"] + PAR["A0"]))
    worth = PAR["mu"] * (pool(cnt).sum((1, 3)) + .5)
    return wanted.astype(np.float32), worth.astype(np.float32)
