from __future__ import annotations

import gc
import os
from collections.abc import Generator

import pytest
from hypothesis import settings

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

# A busy machine is no failure: no test may depend on how long something takes.
settings.register_profile("pcaimage", deadline=None)
settings.load_profile("pcaimage")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no garbage among what the tests' import makes: that took half of the import's time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
