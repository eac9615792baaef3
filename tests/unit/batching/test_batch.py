import json
import os
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest

import pcaimage
from pcaimage import Blocks, Settings
from pcaimage.batching import Batch, Compress, Export, State
from pcaimage.batching.batches import run, watch
from pcaimage.batching.stores import FolderStore
from pcaimage.batching.work import work
from pcaimage.errors import ImageError, SettingsError
from pcaimage.imaging import read_image

from .conftest import Inline, draw

FEW = Settings(Blocks(8), k=3)


def names_in(folder):
    """Return the names in a folder, without those of records."""
    return {each.name for each in folder.iterdir()} - {each.name for each in folder.glob(".pcaimage-batch*")}


def record_of(folder):
    """Return the record that the tests' executor, which could be another machine's, has written."""
    (found,) = folder.glob(".pcaimage-batch-*.jsonl")
    return found


def states(report):
    return {each.target: each.state.value for each in report.results}


def test_outputs_are_what_single_images_become(photos, tmp_path, inline):
    report = pcaimage.batch(photos, tmp_path / "out", FEW, recursive=True, executor=inline)
    assert states(report) == {"a.pcai": "made", "b.pcai": "made", "inner/c.pcai": "made"}
    pcaimage.save(tmp_path / "alone.pcai", read_image(photos / "a.png"), FEW)
    assert (tmp_path / "out/a.pcai").read_bytes() == (tmp_path / "alone.pcai").read_bytes()
    assert report.source_bytes == sum(each.stat().st_size for each in photos.rglob("*.*"))
    assert report.target_bytes == sum(each.stat().st_size for each in (tmp_path / "out").rglob("*.pcai"))
    assert names_in(tmp_path / "out") == {"a.pcai", "b.pcai", "inner"}


@pytest.mark.parametrize("pool", [ThreadPoolExecutor, Inline])
def test_any_executor_does_the_work_and_the_record_names_no_folder_of_the_images(photos, tmp_path, pool):
    with pool() as executor:
        report = pcaimage.batch(photos, tmp_path / "out", FEW, executor=executor)
    assert report.count(State.MADE) == 2
    assert str(photos) not in record_of(tmp_path / "out").read_text()


def test_images_and_executors_that_fail_are_told_of_and_stop_no_others(photos, tmp_path, inline):
    (photos / "0.png").write_bytes(b"no image")
    report = pcaimage.batch(photos, tmp_path / "out", FEW, executor=inline)
    assert states(report) == {"0.pcai": "failed", "a.pcai": "made", "b.pcai": "made"}
    assert report.failures[0].reason.endswith(".")
    assert not (tmp_path / "out/0.pcai").exists()
    executor = ProcessPoolExecutor(1)
    executor.shutdown()
    report = pcaimage.batch(photos, tmp_path / "other", FEW, executor=executor)
    assert {each.reason for each in report.failures} == {
        "The executor did not do it: cannot schedule new futures after shutdown."
    }


@pytest.mark.slow
def test_resuming_does_again_what_has_changed_alone(photos, tmp_path, inline):
    out = tmp_path / "out"
    pcaimage.batch(photos, out, FEW, executor=inline)
    before = (out / "b.pcai").stat()
    draw(photos / "a.png", 7)
    os.utime(photos / "b.bmp", (1, 1))
    report = pcaimage.batch(photos, out, FEW, resume=True, executor=inline)
    assert states(report) == {"a.pcai": "made", "b.pcai": "kept"}
    after = (out / "b.pcai").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    again = pcaimage.batch(photos, out, Settings(Blocks(8), k=2), resume=True, executor=inline)
    assert states(again) == {"a.pcai": "made", "b.pcai": "made"}
    (out / "a.pcai").unlink()
    assert states(pcaimage.batch(photos, out, Settings(Blocks(8), k=2), resume=True, executor=inline)) == {
        "a.pcai": "made",
        "b.pcai": "kept",
    }


def test_without_resuming_what_is_there_is_refused_before_any_work(photos, tmp_path):
    out = tmp_path / "out"
    draw(out / "a.png")
    (out / "a.png").rename(out / "a.pcai")
    before = (out / "a.pcai").read_bytes()
    for resume in (False, True):
        with pytest.raises(
            ImageError, match=r"a\.pcai exists already .*; (--resume keeps .*)?--overwrite replaces it"
        ):
            pcaimage.batch(photos, out, FEW, resume=resume)
    assert sorted(each.name for each in out.iterdir()) == ["a.pcai"]
    assert (out / "a.pcai").read_bytes() == before


def test_overwriting_replaces_what_is_there_and_resuming_not_what_was_changed(photos, tmp_path, inline):
    out = tmp_path / "out"
    out.mkdir()
    (out / "a.pcai").write_bytes(b"old")
    report = pcaimage.batch(photos, out, FEW, overwrite=True, executor=inline)
    assert report.count(State.MADE) == 2
    assert pcaimage.open(out / "a.pcai").k == 3
    (out / "a.pcai").write_bytes(b"mine")
    report = pcaimage.batch(photos, out, FEW, resume=True, executor=inline)
    assert report.failures[0].reason.startswith("a.pcai was changed after it had been made")
    assert (out / "a.pcai").read_bytes() == b"mine"


def test_killed_before_an_output_is_in_place_it_is_made_again(photos, tmp_path, inline, monkeypatch):
    out = tmp_path / "out"

    def die(*_given, **_named):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("pcaimage.batching.stores.move_all", die)
        with pytest.raises(KeyboardInterrupt):
            pcaimage.batch(photos, out, FEW, executor=inline)
    assert FolderStore(out).entries()
    report = pcaimage.batch(photos, out, FEW, resume=True, executor=inline)
    assert states(report) == {"a.pcai": "made", "b.pcai": "made"}


def test_a_task_done_twice_is_done_and_kept_if_nobody_took_its_result(photos, tmp_path, inline):
    # An executor repeats a call whose process died, and that may have been just after it had finished.
    out = tmp_path / "out"
    wanted = Batch([photos], out, Compress(FEW))
    task = wanted.tasks(wanted.plan())[0]
    out.mkdir()
    first = work(task)
    made = (out / "a.pcai").stat().st_mtime_ns
    again = work(task)
    assert (first.state, again.state, again.target_bytes) == (State.MADE, State.MADE, first.target_bytes)
    assert (out / "a.pcai").stat().st_mtime_ns == made
    other = work(replace(task, recipe=Compress(Settings(Blocks(8), k=4))))
    assert (other.state, "already exists" in other.reason) == (State.FAILED, True)
    report = pcaimage.batch(photos, out, FEW, resume=True, executor=inline)
    assert states(report) == {"a.pcai": "kept", "b.pcai": "made"}


def test_a_damaged_record_is_of_as_much_use_as_is_left(photos, tmp_path, inline):
    out = tmp_path / "out"
    pcaimage.batch(photos, out, FEW, executor=inline)
    record = record_of(out)
    lines = record.read_bytes().split(b"\n")
    wrong = [b"{}", b"[]", b"null", b'{"target": 3}', b"\xff\xfe", b"[" * 5000]
    record.write_bytes(b"\n".join([*wrong, *lines, *wrong, lines[1][:20]]))
    assert len(FolderStore(out).entries()) == 2
    draw(photos / "d.png", 4)
    report = pcaimage.batch(photos, out, FEW, resume=True, executor=inline)
    assert states(report) == {"a.pcai": "kept", "b.pcai": "kept", "d.pcai": "made"}
    assert len(FolderStore(out).entries()) == 3


def test_what_is_not_smaller_is_left_out_and_not_tried_again(tmp_path, inline):
    draw(tmp_path / "in/a.png")
    np.save(tmp_path / "in/b.npy", np.zeros((200, 200, 3), np.uint8))
    tiny = tmp_path / "in/a.png"
    first = pcaimage.batch(tiny, tmp_path / "out", Export("bmp"), skip_larger=True, executor=inline)
    assert states(first) == {"a.bmp": "not smaller"}
    assert not (tmp_path / "out/a.bmp").exists()
    assert first.saving is None
    again = pcaimage.batch(
        tiny, tmp_path / "out", Export("bmp"), skip_larger=True, resume=True, executor=inline
    )
    assert states(again) == {"a.bmp": "not smaller"}
    assert len(FolderStore(tmp_path / "out").entries()) == 1
    smaller = pcaimage.batch(tmp_path / "in/b.npy", tmp_path / "out", FEW, skip_larger=True, executor=inline)
    assert states(smaller) == {"b.pcai": "made"}
    assert states(pcaimage.batch(tiny, tmp_path / "out", Export("bmp"), resume=True, executor=inline)) == {
        "a.bmp": "made"
    }


def test_dates_are_kept_on_request(photos, tmp_path, inline):
    os.utime(photos / "a.png", ns=(10**18, 10**18 + 5 * 10**9))
    pcaimage.batch(photos / "a.png", tmp_path / "out", FEW, keep_dates=True, executor=inline)
    assert (tmp_path / "out/a.pcai").stat().st_mtime_ns == 10**18 + 5 * 10**9


@pytest.mark.parametrize("name", ["jpeg", ".webp", "png", "tif", "hdr"])
@pytest.mark.sweep(3)
def test_images_and_compressed_files_are_exported(tmp_path, inline, name):
    image = read_image(draw(tmp_path / "in/a.png"))
    pcaimage.save(tmp_path / "in/b.pcai", image, FEW)
    export = Export(name)
    report = pcaimage.batch(tmp_path / "in", tmp_path / "out", export, executor=inline)
    assert states(report) == {f"a{export.suffix}": "made", f"b{export.suffix}": "made"}
    found = read_image(tmp_path / "out" / f"b{export.suffix}")
    assert found.pixels.shape == image.pixels.shape
    again = pcaimage.batch(tmp_path / "in", tmp_path / "out", export, resume=True, executor=inline)
    assert again.count(State.KEPT) == 2


def test_a_model_is_used_and_belongs_to_the_settings(photos, tmp_path, inline):
    model = tmp_path / "model.pcai"
    pcaimage.save(model, read_image(photos / "a.png"), Settings(Blocks(8), k=9))
    recipe = Compress(Settings(k=4), model=str(model))
    report = pcaimage.batch(photos, tmp_path / "out", recipe, executor=inline)
    assert states(report) == {"a.pcai": "made", "b.pcai": "made"}
    opened = pcaimage.open(tmp_path / "out/b.pcai")
    assert opened.compressed.basis is not None
    pcaimage.save(model, read_image(photos / "b.bmp"), Settings(Blocks(8), k=9), overwrite=True)
    again = pcaimage.batch(photos, tmp_path / "out", recipe, resume=True, executor=inline)
    assert again.count(State.MADE) == 2


def test_an_image_that_changes_while_it_is_read_fails(photos, tmp_path, inline, monkeypatch):
    make = Compress.make

    def changed(self, source, target, *others):
        found = make(self, source, target, *others)
        draw(source, 9)
        return found

    monkeypatch.setattr(Compress, "make", changed)
    report = pcaimage.batch(photos / "a.png", tmp_path / "out", FEW, executor=inline)
    assert report.failures[0].reason == "a.png was changed by another program while it was read."
    assert not names_in(tmp_path / "out")


def test_no_images_and_no_workers_are_refused(photos, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(SettingsError, match="no images"):
        pcaimage.batch(tmp_path / "empty", tmp_path / "out")
    with pytest.raises(SettingsError, match="at least one worker"):
        pcaimage.batch(photos, tmp_path / "out", workers=0)
    with pytest.raises(SettingsError, match="quality of JPEG"):
        Export("jpeg", 101)
    (tmp_path / "file").touch()
    with pytest.raises(ImageError, match="need a folder"):
        pcaimage.batch(photos, tmp_path / "file")
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_reports_have_every_result(photos, tmp_path, inline):
    (photos / "0.png").touch()
    report = pcaimage.batch(photos, tmp_path / "out", Settings(lossless=True), executor=inline)
    report.save(tmp_path / "report.json")
    found = json.loads((tmp_path / "report.json").read_text())
    assert (found["files"], found["made"], found["failed"]) == (3, 2, 1)
    assert [each["psnr"] for each in found["results"]] == [None] * 3
    assert found["saving"] == pytest.approx(1 - found["target_bytes"] / found["source_bytes"])
    report.save(tmp_path / "report.csv")
    lines = (tmp_path / "report.csv").read_text().splitlines()
    assert lines[0] == "source,target,state,source_bytes,target_bytes,psnr,seconds,reason"
    assert len(lines) == 4
    with pytest.raises(ImageError, match="already exists"):
        report.save(tmp_path / "report.csv")
    with pytest.raises(SettingsError, match=r"must end in \.csv or \.json"):
        report.save(tmp_path / "report.txt")


class EndedError(Exception):
    """Raised to end a watch."""


def test_images_are_taken_once_when_nobody_writes_to_them(tmp_path, inline):
    (tmp_path / "in").mkdir()
    happens = [
        lambda: draw(tmp_path / "in/a.png", 1),
        lambda: (tmp_path / "in/b.png").write_bytes(b"half of it"),
        lambda: draw(tmp_path / "in/b.png", 2),
        lambda: None,
        lambda: draw(tmp_path / "in/a.png", 3, side=32),
        (tmp_path / "in/b.png").unlink,
        lambda: None,
    ]
    steps = iter(happens)

    def wait():
        step = next(steps, None)
        if step is None:
            raise EndedError
        step()

    batch = Batch([tmp_path / "in"], tmp_path / "out", Compress(Settings(Blocks(8), k=3)), resume=True)
    (tmp_path / "out").mkdir()
    taken = list[tuple[str, State]]()
    with suppress(EndedError):
        for tasks in watch(batch, wait):
            taken += [(each.target, each.state) for each in run(tasks, inline, 4)]
    assert taken == [("a.pcai", State.MADE), ("b.pcai", State.MADE), ("a.pcai", State.MADE)]


def test_a_watch_that_begins_again_keeps_what_was_made(tmp_path, inline):
    draw(tmp_path / "in/a.png")
    batch = Batch([tmp_path / "in"], tmp_path / "out", Compress(Settings(Blocks(8), k=3)), resume=True)
    (tmp_path / "out").mkdir()
    for state in (State.MADE, State.KEPT):
        tasks = next(watch(batch, lambda: None))
        assert [each.state for each in run(tasks, inline, 4)] == [state]
