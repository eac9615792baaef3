import pytest
from PIL import features

from benchmarks.codecs import RIVALS, avif, fast_jpeg, jpeg, jpeg2000, rivals, webp
from benchmarks.methods import METHODS, Choice, pca_blocks, pca_channels
from benchmarks.photographs import made_photograph
from pcaimage.imaging import psnr

PHOTOGRAPH = made_photograph(96, 128)
CODECS = [jpeg("4:2:0"), jpeg("4:4:4"), fast_jpeg(), webp(), jpeg2000()]
CODECS += [pca_blocks(8), pca_blocks(4, "psnr"), pca_channels()]
if features.check("avif"):
    CODECS += [avif(), avif(tune="psnr")]


@pytest.mark.parametrize("codec", CODECS, ids=lambda codec: codec.name)
@pytest.mark.sweep(2)
@pytest.mark.slow
def test_a_better_quality_takes_more_bytes_and_is_nearer(codec):
    poor, good = (codec.encode(PHOTOGRAPH, quality) for quality in (codec.qualities[0], codec.qualities[-2]))
    assert len(poor) < len(good)
    assert psnr(PHOTOGRAPH, codec.decode(poor)) < psnr(PHOTOGRAPH, codec.decode(good))


def test_every_codec_to_compare_with_is_there_or_its_absence_is_said():
    found, missing = rivals()
    assert len(found) + len(missing) == len(RIVALS)
    assert [codec.name for codec in rivals(["webp", "jpeg"])[0]] == ["WebP", "JPEG 4:2:0"]


def test_only_what_cannot_change_between_runs_has_an_identity():
    others, _ = rivals()
    identities = [codec.identity for codec in others]
    assert None not in identities
    assert len(set(identities)) == len(identities)
    assert webp(method=4).identity != webp(method=6).identity
    own = [codec for make in METHODS.values() for codec in make(Choice())]
    assert [codec.identity for codec in own] == [None] * len(own)
