from dataclasses import replace

import pytest

from pcaimage.gui.session.choice import Setting
from pcaimage.gui.session.jobs import RIGHT


@pytest.fixture
def told(session, monkeypatch):
    """The states that were passed on; only a picture can end the waiting."""
    monkeypatch.setattr("pcaimage.gui.session.watching.LATEST", 60_000)
    told = []
    session.afterwards.stateChanged.connect(lambda state, before: told.append((state, before)))
    return told


def test_the_newest_state_is_told_when_the_picture_is_there(session, told, qtbot):
    before = session.state
    for k in (3, 4, 5):
        session.become(replace(session.state, setting=Setting(k=k, step=None), moving=True))
    session.jobs.submit(RIGHT, lambda _: None, on_done=lambda _: told.clear())
    qtbot.waitUntil(lambda: bool(told))
    assert told == [(session.state, before)]
    assert session.state.setting.k == 5


def test_new_components_are_told_when_their_first_picture_is_there(session, told, qtbot, monkeypatch):
    monkeypatch.setattr("pcaimage.gui.session.watching.FIRST", 60_000)
    session.become(replace(session.state, fit=object()))
    session.become(replace(session.state, moving=False))
    assert told == [(session.state, told[0][1])]
    told.clear()
    session.become(replace(session.state, fit=object()))
    assert told == []
    session.jobs.submit(RIGHT, lambda _: None)
    qtbot.waitUntil(lambda: bool(told))
    session.become(replace(session.state, fit=None))
    assert told[-1][0].fit is None


def test_only_changes_of_what_is_watched_are_told(session):
    heard = []
    session.watch("frame", "ready").connect(lambda state, before: heard.append((state.frame, before.frame)))
    session.become(replace(session.state, setting=Setting(k=3, step=None)))
    session.become(replace(session.state, setting=Setting(k=3, step=None), frame=2))
    assert heard == [(2, 0)]


def test_without_a_picture_it_is_told_a_little_later(session, qtbot):
    with qtbot.waitSignal(session.afterwards.stateChanged):
        session.become(replace(session.state, setting=Setting(k=3, step=None), moving=True))
