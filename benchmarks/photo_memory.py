"""Peak memory of the photo method's jobs, each in a process of its own.

``python -m benchmarks.photo_memory encode|decode FILE STEP`` runs one job on pixels (.npy) or on a file and
prints the memory of the process in bytes before the job, and its peak.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import pcaimage
from benchmarks.memory import resident_peak
from benchmarks.methods import pca_photo
from benchmarks.photographs import Bytes
from benchmarks.processes import printed_by
from pcaimage.imaging import Limits


@dataclass(frozen=True)
class Footprint:
    """The memory of a process.

    Parameters
    ----------
    libraries : int
        Bytes after imports and a small first job.
    total : int
        Peak bytes, including those and the job's input and output.
    """

    libraries: int
    total: int

    @property
    def job(self) -> int:
        """Bytes of the job beyond the libraries, including its input and output."""
        return self.total - self.libraries


def footprints(array: Bytes, data: bytes, step: float) -> tuple[Footprint, Footprint]:
    """Measure encoding an image, and decoding its file; `step` is the quantiser's."""
    with tempfile.TemporaryDirectory() as folder:
        raw, coded = Path(folder, "image.npy"), Path(folder, "image.pcai")
        np.save(raw, array)
        coded.write_bytes(data)
        return _measured("encode", raw, step), _measured("decode", coded, step)


def _measured(job: str, path: Path, step: float) -> Footprint:
    printed = printed_by("benchmarks.photo_memory", job, str(path), repr(step))
    libraries, total = map(int, printed.split()[-2:])
    return Footprint(libraries, total)


def _work(job: str, path: Path, step: float) -> Callable[[], object]:
    if job == "encode":
        return lambda: pca_photo().encode(np.load(path), step)
    limits = Limits(max_pixels=1 << 40, max_bytes=1 << 40)
    return lambda: pcaimage.open(path, limits=limits).decode()


def main() -> None:
    """Run one job and print its memory."""
    job, path, step = sys.argv[1:4]
    work = _work(job, Path(path), float(step))
    libraries = resident_peak()
    work()
    print(libraries, resident_peak())


if __name__ == "__main__":
    main()
