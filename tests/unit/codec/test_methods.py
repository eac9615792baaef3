"""Each kind of samples has one method; what callers ask of it is known without loading it."""

import subprocess
import sys

import numpy as np
import pytest

import pcaimage
from pcaimage import Bands, Blocks, Channels, Settings, Stack, api, codec
from pcaimage.codec.compressed import traits_of
from pcaimage.codec.methods import method_of
from pcaimage.errors import SettingsError
from pcaimage.sampling import Lapped

SAMPLINGS = [Blocks(8), Channels(), Stack(), Lapped(), Bands()]


@pytest.fixture
def array():
    return np.random.default_rng(4).integers(0, 256, (24, 32, 3)).astype(np.uint8)


@pytest.mark.slow
def test_what_a_header_tells_of_its_method_loads_no_method():
    code = (
        "import sys; from pcaimage.codec import Header, Step; from pcaimage.sampling import Lapped;"
        "header = Header((8, 8, 3), 'uint8', Lapped(), Step.nearest(1));"
        "assert header.can_be_lossless and header.max_components == 192 and header.traits.separable;"
        "assert not {'pcaimage.codec.photo.slices', 'pcaimage.core.library'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("sampling", [Blocks(8), Lapped()])
def test_a_method_refuses_what_another_one_made_and_only_many_bands_have_corrections(sampling, array):
    other = codec.analyse(array, Lapped() if isinstance(sampling, Blocks) else Blocks(8))
    method = method_of(sampling)
    with pytest.raises(TypeError, match="another method"):
        method.quantize(other, 3, codec.Step.nearest(20.0), lambda _done, _total: None)
    with pytest.raises(TypeError, match="another method"):
        method.estimates(other)
    with pytest.raises(SettingsError, match="no corrections"):
        codec.corrections(other, 3, 20.0, 1.0)


@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_every_kind_of_samples_has_a_method_and_only_those_with_a_residual_are_lossless(sampling):
    expected = "PhotoMethod" if isinstance(sampling, Lapped) else "LinearMethod"
    assert type(method_of(sampling)).__name__ == expected
    array = np.zeros((3, 24, 32, 3) if isinstance(sampling, Stack) else (24, 32, 3), np.uint8)
    if traits_of(sampling).lossless:
        data = pcaimage.encode(array, Settings(sampling, lossless=True))
        assert codec.error_bound(api.open_bytes(data).compressed) == 0
        return
    with pytest.raises(SettingsError, match="without loss"):
        Settings(sampling, lossless=True)
