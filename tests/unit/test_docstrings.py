import doctest
from importlib import import_module

import pytest

MODULES = (
    "pcaimage",
    "pcaimage.api.arrays",
    "pcaimage.batching.batches",
    "pcaimage.imaging.reading.read",
    "pcaimage.pca.identities",
    "pcaimage.pca.model",
    "pcaimage.pca.moments",
)


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.sweep(4)
def test_the_examples_of_a_module_are_true(name):
    tried = doctest.testmod(import_module(name))
    assert tried.attempted
    assert not tried.failed
