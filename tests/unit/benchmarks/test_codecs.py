from __future__ import annotations

import pickle
from io import BytesIO

import numpy as np
import pytest
from PIL import Image, features

from benchmarks.codecs import Codec, avif, fast_jpeg, jpeg, jpeg2000, pca_blocks, webp
from benchmarks.photographs import made_photograph
from pcaimage.imaging import psnr

PHOTOGRAPH = made_photograph(96, 128)
CODECS = [jpeg("4:2:0"), jpeg("4:4:4"), fast_jpeg(), webp(), jpeg2000(), pca_blocks(8), pca_blocks(8, "psnr")]
if features.check("avif"):
    CODECS += [avif(), avif(tune="psnr")]


@pytest.mark.parametrize("codec", CODECS, ids=lambda codec: codec.name)
def test_a_better_quality_takes_more_bytes_and_is_nearer(codec: Codec) -> None:
    poor, good = (codec.encode(PHOTOGRAPH, quality) for quality in (codec.qualities[0], codec.qualities[-2]))
    assert len(poor) < len(good)
    assert psnr(PHOTOGRAPH, codec.decode(poor)) < psnr(PHOTOGRAPH, codec.decode(good))


@pytest.mark.parametrize("codec", CODECS, ids=lambda codec: codec.name)
def test_a_codec_can_be_sent_to_another_process(codec: Codec) -> None:
    sent: Codec = pickle.loads(pickle.dumps(codec))  # noqa: S301 - just made
    assert sent.encode(PHOTOGRAPH, codec.qualities[1]) == codec.encode(PHOTOGRAPH, codec.qualities[1])


def test_jpeg_2000_keeps_to_its_rate() -> None:
    data = jpeg2000().encode(PHOTOGRAPH, 2.0)
    assert 8 * len(data) / (96 * 128) == pytest.approx(2.0, rel=0.05)


def test_jpeg_is_progressive_with_the_subsampling_asked_for() -> None:
    with Image.open(BytesIO(jpeg("4:4:4").encode(PHOTOGRAPH, 80))) as image:
        assert "progressive" in image.info
        assert image.size == (128, 96)


def test_the_photograph_that_is_made_is_always_the_same() -> None:
    assert np.array_equal(PHOTOGRAPH, made_photograph(96, 128))
    assert 10 < PHOTOGRAPH.std() < 100
