"""Jobs of libraries without a command line, each timed inside a process of its own.

``python -m benchmarks.command_jobs photo|fast|jpeg2000 encode|decode SOURCE TARGET QUALITY`` prints elapsed
seconds and processor seconds of all cores. Pixels are ``.npy`` files.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.codecs import Codec, jpeg2000
from benchmarks.methods import pca_photo
from pcaimage.codec import Effort, Tune

CODECS: dict[str, Callable[[], Codec]] = {
    "photo": partial(pca_photo, Tune.EYE),
    "fast": partial(pca_photo, Tune.EYE, Effort.FAST),
    "jpeg2000": jpeg2000,
}
_CORNER = 64


def _warm(codec: Codec, quality: float) -> None:
    """Load the libraries and their lazily initialised parts."""
    image = np.random.default_rng(0).integers(0, 256, (_CORNER, _CORNER, 3)).astype(np.uint8)
    codec.decode(codec.encode(image, quality))


def main() -> None:
    """Run one job and print its times."""
    name, job, source, target, quality = sys.argv[1:6]
    codec = CODECS[name]()
    _warm(codec, float(quality))
    image = np.load(source) if job == "encode" else np.zeros(0, np.uint8)
    data = b"" if job == "encode" else Path(source).read_bytes()
    clock, cpu = time.perf_counter(), time.process_time()
    if job == "encode":
        data = codec.encode(image, float(quality))
    else:
        image = codec.decode(data)
    print(time.perf_counter() - clock, time.process_time() - cpu)
    if job == "encode":
        Path(target).write_bytes(data)


if __name__ == "__main__":
    main()
