from __future__ import annotations

import os

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

# The offscreen platform says this whenever a window has a minimum size.
_PLATFORM_NOISE = "This plugin does not support propagateSizeHints"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "gui" in item.path.parts:
            item.add_marker(pytest.mark.qt_log_ignore(_PLATFORM_NOISE, extend=True))


@pytest.fixture(scope="session")
def qapp_args() -> list[str]:
    return ["pcaimage"]
