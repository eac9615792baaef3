"""Garbage that contains widgets is freed by the window's thread, whichever thread makes it due."""

from __future__ import annotations

import gc
import threading
from typing import ClassVar

import pytest
from PySide6.QtCore import QObject

from pcaimage.gui.app import GarbageCollector, collect_due


class Noted:
    """Notes the thread that frees it."""

    freed: ClassVar[list[int]] = []

    def __init__(self):
        self.cycle = self

    def __del__(self):
        self.freed.append(threading.get_ident())


@pytest.fixture(autouse=True)
def _collects():
    """Let Python collect by itself, as it does before a window is made."""
    Noted.freed.clear()
    thresholds = gc.get_threshold()
    gc.set_threshold(100, 10, 10)
    gc.enable()
    yield
    gc.disable()
    gc.set_threshold(*thresholds)


def make_objects():
    kept = [[number] for number in range(5000)]
    assert len(kept) == 5000


def test_a_worker_collects_nothing(qtbot):
    parent = QObject()
    GarbageCollector(parent)
    Noted()
    worker = threading.Thread(target=make_objects)
    worker.start()
    worker.join()
    assert Noted.freed == []
    kept = []

    def freed():
        kept.extend([number] for number in range(200))
        return Noted.freed == [threading.get_ident()]

    qtbot.waitUntil(freed)


def test_nothing_is_collected_before_it_is_due():
    gc.disable()
    gc.collect()
    Noted()
    gc.set_threshold(1_000_000, 1000, 1000)
    collect_due()
    assert Noted.freed == []
    gc.set_threshold(100, 10, 10)
    kept = [[number] for number in range(500)]
    collect_due()
    assert Noted.freed == [threading.get_ident()]
    assert kept
