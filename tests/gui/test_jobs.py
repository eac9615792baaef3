import os
import sys
import threading
import weakref
from dataclasses import replace
from functools import partial
from threading import Event

import pytest
from PySide6.QtCore import QThread, QTimer
from PySide6.QtWidgets import QApplication

from pcaimage.errors import TargetError
from pcaimage.gui.session.choice import Setting
from pcaimage.gui.session.jobs import RIGHT, Failure, JobRunner


@pytest.fixture
def runner(qapp):
    runner = JobRunner(qapp)
    yield runner
    assert runner.shutdown(5000)
    runner.deleteLater()


class Gate:
    """Work that reports that it runs, and goes on reporting until it is let through."""

    def __init__(self):
        self.entered = Event()
        self.open = Event()
        self.was_stopped = True

    def __call__(self, progress):
        self.entered.set()
        while not self.open.wait(0.002):
            progress(1, 4)
        self.was_stopped = False
        return "through"


def value(result):
    return lambda _progress: result


def raises(error):
    def work(_progress):
        raise error

    return work


def test_a_result_comes_back_to_the_thread_of_the_window(runner, qtbot):
    threads = []
    results = []
    runner.submit(
        "fit",
        lambda _: QThread.currentThread(),
        on_done=lambda worker: (results.append(worker), threads.append(QThread.currentThread())),
    )
    qtbot.waitUntil(lambda: bool(results))
    assert threads == [QApplication.instance().thread()]
    assert results != threads


@pytest.mark.skipif(sys.platform != "linux", reason="Elsewhere Qt's priorities do it.")
def test_patient_work_gives_way_and_no_other(runner, qtbot):
    def niceness(_):
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    found = {}
    for kind, patient in (("settle", True), ("picture", False)):
        runner.submit(
            kind, niceness, on_done=lambda nice, kind=kind: found.update({kind: nice}), patient=patient
        )
    qtbot.waitUntil(lambda: len(found) == 2)
    usual = os.getpriority(os.PRIO_PROCESS, 0)
    assert found == {"settle": max(10, usual), "picture": usual}


def test_patient_work_begins_when_no_other_is_done(runner, qtbot, monkeypatch):
    monkeypatch.setattr("pcaimage.gui.session.jobs.HOLD", 60_000)
    gate, order = Gate(), list[str]()
    runner.submit("picture", gate, on_done=order.append)
    runner.submit("settle", lambda _: str(gate.open.is_set()), on_done=order.append, patient=True)
    assert runner.under_way == {"picture", "settle"}
    assert gate.entered.wait(5)
    qtbot.wait(20)
    gate.open.set()
    qtbot.waitUntil(lambda: not runner.busy())
    assert order == ["through", "True"]


def test_patient_work_lets_the_window_be_painted_first_and_waits_for_a_moment_only(
    runner, qtbot, monkeypatch
):
    begun = []
    runner.submit("settle", begun.append, patient=True)
    QApplication.processEvents()
    assert not begun
    qtbot.waitUntil(lambda: bool(begun))
    monkeypatch.setattr("pcaimage.gui.session.jobs.HOLD", 5)
    gate, results = Gate(), list[str]()
    runner.submit("save", gate)
    runner.submit("settle", value("settled"), on_done=results.append, patient=True)
    qtbot.waitUntil(lambda: results == ["settled"])
    assert runner.busy("save")


def test_patient_work_that_has_not_begun_is_forgotten_at_once(runner, qtbot):
    class Large:
        pass

    gate, large, results = Gate(), Large(), list[object]()
    there = weakref.ref(large)
    runner.submit("picture", gate)
    runner.submit("settle", partial(lambda *_: None, large), on_done=results.append, patient=True)
    del large
    assert there() is not None
    runner.cancel("settle")
    assert there() is None
    runner.submit("settle", value("other"), on_done=results.append, patient=True)
    gate.open.set()
    qtbot.waitUntil(lambda: not runner.busy())
    assert results == ["other"]


def test_between_two_results_the_window_is_painted_and_heard(runner, qtbot):
    order = []
    for kind in ("picture", "estimate"):

        def deliver(_, kind=kind):
            order.append(kind)
            QTimer.singleShot(0, lambda: order.append("turn"))

        runner.submit(kind, value(kind), on_done=deliver)
    assert runner.wait(5000)
    qtbot.waitUntil(lambda: len(order) == 4)
    assert sorted(order[::2]) == ["estimate", "picture"]
    assert order[1] == "turn"


def test_the_newest_request_wins_and_one_after_cancelling_is_served(runner, qtbot):
    results, gate = [], Gate()
    runner.submit("preview", gate, on_done=results.append)
    assert gate.entered.wait(5)
    for k in range(50):
        runner.submit("preview", value(k), on_done=results.append)
    with qtbot.waitSignal(runner.finished) as finished:
        pass
    assert finished.args == ["preview"]
    assert results == [49]
    assert gate.was_stopped
    runner.submit("fit", gate := Gate(), on_done=results.append)
    assert gate.entered.wait(5)
    runner.cancel_all()
    runner.submit("fit", value("second"), on_done=results.append)
    qtbot.waitUntil(lambda: results == [49, "second"])


def test_a_running_preview_may_finish_so_that_a_moving_hand_sees_something(runner, qtbot):
    results = []
    gate = Gate()
    runner.submit("preview", gate, on_done=results.append)
    assert gate.entered.wait(5)
    for k in range(5):
        runner.submit("preview", value(k), on_done=results.append, finish_running=True)
    gate.open.set()
    qtbot.waitUntil(lambda: not runner.busy())
    assert results == ["through", 4]


def test_kinds_run_side_by_side(runner, qtbot):
    gate = Gate()
    runner.submit("encode", gate)
    with qtbot.waitSignal(runner.finished) as finished:
        runner.submit("preview", value(1))
    assert finished.args == ["preview"]
    assert runner.busy("encode")
    assert not runner.busy("preview")
    gate.open.set()
    qtbot.waitUntil(lambda: not runner.busy())


def test_progress_is_told_and_cancelling_stops_the_work(runner, qtbot):
    gate = Gate()
    told = []
    results = []
    with qtbot.waitSignals([runner.started, runner.watch("encode").progressed]):
        runner.submit(
            "encode",
            gate,
            on_done=results.append,
            on_failed=results.append,
            on_progress=lambda done, total: told.append((done, total)),
        )
    assert set(told) == {(1, 4)}
    with qtbot.waitSignal(runner.finished):
        runner.cancel("encode")
    assert not runner.busy("encode")
    assert runner.wait(5000)
    qtbot.wait(10)
    assert results == []
    assert gate.was_stopped


def test_a_refusal_is_told_in_its_own_words_and_the_unexpected_reported(runner, qtbot):
    failures, error = [], TargetError("60 dB cannot be reached; 58.9 dB is the most.")
    with qtbot.waitSignal(runner.finished):
        runner.submit("encode", raises(error), on_failed=failures.append)
    assert failures == [Failure("60 dB cannot be reached; 58.9 dB is the most.", error)]
    with qtbot.waitSignal(runner.unforeseen) as told:
        runner.submit("load", raises(KeyError("x")), on_failed=failures.append)
    assert told.args == failures[1:]
    assert "unexpected" in failures[1].sentence
    assert "KeyError: 'x'" in failures[1].report.read_text()


def test_nothing_is_delivered_after_shutdown(runner, qtbot):
    results = []
    gate = Gate()
    runner.submit("fit", gate, on_done=results.append)
    runner.submit("quick", value(1), on_done=results.append)
    assert gate.entered.wait(5)
    assert runner.shutdown(5000)
    runner.submit("late", value(2), on_done=results.append)
    qtbot.wait(20)
    assert results == []
    assert not runner.busy()


def test_closing_waits_for_a_thread_that_needs_the_interpreter(runner):
    gates = [Gate() for _ in range(3)]
    for i, gate in enumerate(gates):
        runner.submit(f"kind {i}", gate)
    for gate in gates:
        assert gate.entered.wait(5)
    assert runner.shutdown()
    assert all(gate.was_stopped for gate in gates)


def test_a_flood_of_reports_does_not_flood_the_window(runner, qtbot):
    told = []

    def work(progress):
        for i in range(20_000):
            progress(i + 1, 20_000)

    with qtbot.waitSignal(runner.finished):
        runner.submit("fit", work, on_progress=lambda done, _total: told.append(done))
    assert len(told) < 200
    assert told[-1] == 20_000


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
