from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from pcaimage.gui.panel_view import PanelView

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from pcaimage.gui.controls import SettingsPanel

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


INTENTS = (
    "componentsRequested",
    "componentsCommitted",
    "varianceRequested",
    "psnrRequested",
    "sizeRequested",
    "stepRequested",
    "methodRequested",
    "blockRequested",
    "standardizeRequested",
)


@pytest.fixture
def photograph() -> PanelView:
    """What the panel shows of a photograph cut into 8 × 8 blocks."""
    return PanelView(
        enabled=True,
        k=24,
        k_max=192,
        variance=97.314,
        psnr=34.12,
        size=41_234,
        size_estimated=True,
        step=11.3,
    )


@pytest.fixture
def panel(qtbot: QtBot, photograph: PanelView) -> SettingsPanel:
    from pcaimage.gui.controls import SettingsPanel

    panel = SettingsPanel()
    qtbot.addWidget(panel)
    panel.resize(300, 560)
    panel.show()
    panel.activateWindow()
    panel.set_view(photograph)
    return panel


@pytest.fixture
def asked(panel: SettingsPanel) -> list[tuple[str, Any]]:
    asked: list[tuple[str, Any]] = []
    for name in INTENTS:
        getattr(panel, name).connect(lambda value, name=name: asked.append((name, value)))
    return asked
