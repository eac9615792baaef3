"""One basis for many images: moments of their samples, computed in parallel and summed.

Any executor computes the moments of groups of images (map), and they are added in the order of the images
(reduce), so that the result does not depend on the division of work.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field

from pcaimage.batching.batches import Paths, absolute, executor_reason
from pcaimage.batching.plan import find_images
from pcaimage.batching.processes import ClusterError, check_workers, pool_of
from pcaimage.batching.work import failure_reason
from pcaimage.codec import Encoding
from pcaimage.errors import DataError, ImageError, SettingsError
from pcaimage.imaging import Image, Limits
from pcaimage.imaging.disk.urls import located
from pcaimage.pca import PCA, Moments
from pcaimage.sampling import Bands, Blocks, Sampling, Stack
from pcaimage.signature import is_compressed

# ruff: noqa: PLC0415 - the process that adds moments needs no format


GROUP = 8
"""Number of images in a group. It is constant, so that sums are always the same."""

MAX_FEATURES = 3072
"""Largest number of features of a sample, whose moments then take 75 MB: 32 × 32 blocks in colour."""


@dataclass(frozen=True)
class Kind:
    """Properties that images must share: the shape of a sample, and the type of its values."""

    grid: tuple[int, int, int]
    dtype: str

    def __str__(self) -> str:
        height, width, channels = self.grid
        what = {1: "grey", 3: "colour"}.get(channels, f"{channels} channels")
        size = "" if height == width == 1 else f", {width} × {height}"
        return f"{what}, {self.dtype}{size}"


@dataclass(frozen=True)
class Part:
    """The moments of a group of images, and for each image its kind, or why it cannot be used."""

    moments: dict[Kind, Moments]
    images: tuple[tuple[str, Kind | str], ...]


@dataclass(frozen=True)
class Trained:
    """A basis fitted to many images."""

    pca: PCA = field(repr=False)
    sampling: Sampling
    kind: Kind
    used: tuple[str, ...]  # names of the images
    failures: tuple[tuple[str, str], ...] = ()  # names of the others, and why

    def encoding(self, k: int | None = None, variance: float | None = None) -> Encoding:
        """Return the contents of a model file of k components, or of a least share of the variance.

        SettingsError if there are fewer than k components.
        """
        from pcaimage.codec.linear.model_files import trained_model

        kind = self.kind
        return trained_model(self.pca, self.sampling, kind.grid, kind.dtype, k=k, variance=variance)

    def save(
        self,
        path: str | os.PathLike[str],
        k: int | None = None,
        variance: float | None = None,
        *,
        overwrite: bool = False,
    ) -> int:
        """Write a model file, as :meth:`encoding` makes it, and return its size in bytes.

        ImageError if the file exists, and is not to be replaced, or cannot be written.
        """
        from pcaimage.api import save_encoding

        return save_encoding(path, self.encoding(k, variance), overwrite=overwrite)


def train(
    inputs: str | os.PathLike[str] | Paths,
    sampling: Sampling | None = None,
    *,
    standardize: bool = False,
    recursive: bool = False,
    workers: int | None = None,
    executor: Executor | None = None,
    limits: Limits | None = None,
    on_done: Callable[[int, int], None] | None = None,
) -> Trained:
    """Fit one basis to any number of images, as if all their samples were one matrix.

    Parameters
    ----------
    inputs : path or sequence of path
        Images, and folders of images; strings may be URLs.
    sampling : Sampling, optional
        The kind of samples: blocks, by default of 8 × 8 pixels, channels, or a stack, of which each image is
        one sample.
    standardize : bool, default False
        Whether each feature is divided by its standard deviation.
    recursive : bool, default False
        Whether to search subfolders.
    workers : int, optional
        Number of processes, each on one core; by default one for each core.
    executor : concurrent.futures.Executor, optional
        Runs the work instead of processes.
    limits : Limits, optional
        Size limits of an image.
    on_done : callable, optional
        Called with the number of images done and their total; raising from it stops the work.

    Returns
    -------
    Trained
        The basis; its method `save` writes a model file for `encode --model`.

    Raises
    ------
    ImageError
        If an input is missing, or none can be used.
    SettingsError
        If there are no images, or samples have too many features.
    """
    chosen = Blocks() if sampling is None else Bands() if isinstance(sampling, Bands) else sampling
    if not isinstance(chosen, Blocks | Bands | Stack):
        raise SettingsError("A basis is fitted to blocks, channels or a stack; photos have none to give.")
    given = [inputs] if isinstance(inputs, str | os.PathLike) else inputs
    files = [source for source, _ in find_images(given, recursive=recursive)[0]]
    if not files:
        raise SettingsError("There are no images to fit a basis to.")
    files = files if executor is None else [absolute(each) for each in files]
    groups = [tuple(files[start : start + GROUP]) for start in range(0, len(files), GROUP)]
    sums, images = dict[Kind, Moments](), list[tuple[str, Kind | str]]()
    check_workers(workers)
    with pool_of(workers, executor, len(groups)) as (pool, ahead):
        for part in _in_order(pool, groups, ahead, chosen, limits):
            for kind, moments in part.moments.items():
                sums[kind] = sums[kind] + moments if kind in sums else moments
            images += part.images
            if on_done is not None:
                on_done(len(images), len(files))
    return _fitted(sums, images, chosen, standardize=standardize)


def moments_of(files: Sequence[str], sampling: Sampling, limits: Limits | None) -> Part:
    """Return the moments of the samples of some images, summed for each kind in the order of the images."""
    sums, images = dict[Kind, Moments](), list[tuple[str, Kind | str]]()
    for file in files:
        try:
            kind, moments = _moments(file, sampling, limits)
        except Exception as error:  # noqa: BLE001 - one image must not end the work, whatever is wrong with it
            images.append((file, failure_reason(error)))
            continue
        sums[kind] = sums[kind] + moments if kind in sums else moments
        images.append((file, kind))
    return Part(sums, tuple(images))


def _moments(file: str, sampling: Sampling, limits: Limits | None) -> tuple[Kind, Moments]:
    image = _read(file, limits)
    if image.pixels.dtype.kind != "u":
        raise DataError(f"Values of type {image.pixels.dtype} are coded by their bands, which need no model.")
    pixels = image.pixels
    if isinstance(sampling, Stack) and not image.is_stack:
        pixels = pixels[None]
    elif image.is_stack and not isinstance(sampling, Stack):
        raise DataError("It holds several images, which are a stack.")
    grid = sampling.feature_grid(pixels.shape)
    features = sampling.n_features(pixels.shape)
    if features > MAX_FEATURES:
        raise SettingsError(
            f"Samples of {features:,} values are too large; at most {MAX_FEATURES:,} are fitted."
        )
    return Kind(grid, pixels.dtype.name), Moments.of(sampling.to_samples(pixels))


def _read(file: str, limits: Limits | None) -> Image:
    from pcaimage import imaging

    with located(file) as path:
        if is_compressed(path):
            raise ImageError(f"{path.name} is already compressed.")
        return imaging.read_image(path, limits=limits)


def _fitted(
    sums: dict[Kind, Moments], images: list[tuple[str, Kind | str]], sampling: Sampling, *, standardize: bool
) -> Trained:
    """Fit the components to those images that are of the first one's kind."""
    kind = next((each for _, each in images if isinstance(each, Kind)), None)
    if kind is None:
        raise ImageError(f"None of the images can be used; {images[0][0]}: {images[0][1]}")
    used = tuple(name for name, each in images if each == kind)
    failures = tuple(
        (name, each if isinstance(each, str) else f"It is of another kind ({each}) than the first ({kind}).")
        for name, each in images
        if each != kind
    )
    pca = PCA(standardize=standardize).fit_moments(sums[kind])
    return Trained(pca, sampling, kind, used, failures)


def _in_order(
    pool: Executor, groups: list[tuple[str, ...]], ahead: int, sampling: Sampling, limits: Limits | None
) -> Iterator[Part]:
    """Yield the parts in the order of their groups; a group that the executor fails on fails as a whole."""
    begun = deque[tuple[tuple[str, ...], Future[Part]]]()
    try:
        for group in groups:
            begun.append((group, pool.submit(moments_of, group, sampling, limits)))
            if len(begun) >= ahead:
                yield _part(*begun.popleft())
        while begun:
            yield _part(*begun.popleft())
    finally:
        for _, future in begun:
            future.cancel()


def _part(group: tuple[str, ...], future: Future[Part]) -> Part:
    try:
        return future.result()
    except ClusterError:
        raise
    except Exception as error:  # noqa: BLE001 - executors of any kind raise errors of any kind
        reason = executor_reason(error)
        return Part({}, tuple((file, reason) for file in group))
