"""Trials that end, stop or confuse a process are found, and their files kept."""

import subprocess
from collections import Counter
from pathlib import Path

import pytest
import sanitize
from fuzzing import inputs, mutation, running, trials

from pcaimage import container, imaging
from pcaimage.codec.compressed import TOOL_NAMES
from pcaimage.errors import FormatError, ImageError, PcaImageError
from tests.unit.container.files import header_in, parts

# Libraries that read images warn of what is odd, and leave files open where that is an error.
pytestmark = pytest.mark.filterwarnings("ignore")
WORKER = """
import os, sys, time
kind, seed, start, step, stop, *rest = sys.argv[1:]
for number in range(int(start), int(stop), int(step)):
    print(number, flush=True)
    if number == {crashes}:
        print("ERROR: AddressSanitizer: heap-buffer-overflow", file=sys.stderr, flush=True)
        os.abort()
    if number == {fails}:
        print("!", number, "ValueError: what must not be", flush=True)
    if number == {hangs}:
        time.sleep(600)
print("end", flush=True)
"""


@pytest.fixture
def worker(tmp_path, monkeypatch):
    path = tmp_path / "worker.py"
    monkeypatch.setattr(running, "WORKER", path)
    monkeypatch.setattr(running, "KEPT", tmp_path / "kept")
    monkeypatch.setattr(running, "ROOT", tmp_path)
    monkeypatch.setattr(running, "SILENCE", 3)
    return path


@pytest.mark.slow
def test_all_trials_are_made_and_what_goes_wrong_is_kept(worker, tmp_path):
    worker.write_text(WORKER.format(crashes=5, fails=8, hangs=-1), "utf-8")
    run = running.Run("mutations", 30, 1, tmp_path)
    run.make()
    assert run.done == 30
    assert sorted((each.number, each.words) for each in run.findings) == [
        (5, "The process ended with -6: ERROR: AddressSanitizer: heap-buffer-overflow"),
        (8, "ValueError: what must not be"),
    ]
    kept = sorted(path.name for path in (tmp_path / "kept").iterdir())
    assert kept == ["mutations-1-5.pcai", "mutations-1-5.txt", "mutations-1-8.pcai", "mutations-1-8.txt"]
    data, _ = running.trials.mutation_of(5, 1, running.trials.seeds(tmp_path))
    assert (tmp_path / "kept" / kept[0]).read_bytes() == data
    assert "heap-buffer-overflow" in (tmp_path / "kept" / kept[1]).read_text("utf-8")


@pytest.mark.slow
def test_a_trial_that_hangs_is_found_and_the_others_are_made(worker, tmp_path):
    worker.write_text(WORKER.format(crashes=-1, fails=-1, hangs=2), "utf-8")
    run = running.Run("golden", 6, 1, tmp_path)
    run.make()
    assert [(each.number, each.words) for each in run.findings] == [(2, "It hangs.")]
    assert run.done == 6


def test_a_process_that_does_not_start_is_found(worker, tmp_path):
    worker.write_text("raise SystemExit('no such module Error')", "utf-8")
    run = running.Run("golden", 1, 1, tmp_path)
    run.make()
    assert [each.words for each in run.findings] == ["The process ended with 1: no such module Error"]


@pytest.mark.parametrize("name", ["asan", "tsan"])
def test_a_missing_library_is_named_with_what_brings_it(name, monkeypatch):
    monkeypatch.setattr(sanitize.compile_core, "compiler", lambda: None)
    with pytest.raises(SystemExit, match=rf"lib{name} is missing; `sudo apt-get install gcc`"):
        sanitize.runtime(name)


@pytest.mark.parametrize(("code", "reports"), [(0, 0), (66, 1)])
def test_a_report_about_threads_is_counted_and_shown(code, reports, monkeypatch, capsys):
    def run(asked, **options):
        assert isinstance(options["env"], dict)
        assert "libtsan" in options["env"]["LD_PRELOAD"]
        return subprocess.CompletedProcess(asked, code, "7\n", "data race")

    monkeypatch.setattr(sanitize, "runtime", lambda name="asan": f"lib{name}.so")
    monkeypatch.setattr(sanitize, "compiled", lambda *_: None)
    monkeypatch.setattr(sanitize.subprocess, "run", run)
    assert sanitize.cold_threads(0, 1) == reports
    told = capsys.readouterr().out
    assert ("data race" in told) == bool(reports)
    assert told.endswith(f"threads: {0 if reports else 7} tried, {reports} reports\n")


@pytest.mark.parametrize("whole", inputs.seeds(), ids=lambda each: "+".join(each.files))
@pytest.mark.sweep(7)
def test_whole_images_are_read(whole, tmp_path):
    pytest.importorskip((inputs.SCIENCES | inputs.FOLDERS).get(whole.opened, "numpy"))
    assert imaging.read_image(whole.write(tmp_path), trials.LIMITS).pixels.size


@pytest.mark.slow
def test_all_formats_are_damaged_and_many_are_read_nevertheless(tmp_path):
    found, read = Counter[str](), 0
    for number in range(400):
        damaged = inputs.mutated(number, 1)
        found[Path(damaged.opened).suffix if len(damaged.files) == 1 else "several"] += 1
        if number < 150:
            try:
                imaging.read_image(damaged.write(tmp_path / str(number)), trials.LIMITS)
                read += 1
            except PcaImageError:
                continue
    assert {".tif", ".png", ".jpg", ".bmp", ".npy", ".npz", ".idx", ".gz", "several"} <= set(found)
    assert 30 < read < 140


def test_damaged_images_open_or_are_refused():
    for number in range(60):
        trials.reading(number, 7, [])


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ImageError("a\nb."), "is no sentence"),
        (ImageError("no full stop"), "is no sentence"),
        (KeyError("x"), "x"),
    ],
)
def test_what_is_no_sentence_is_found(error, words, monkeypatch):
    def read(_path):
        raise error

    monkeypatch.setattr(trials, "READS", (read,))
    with pytest.raises((trials.WrongError, KeyError), match=words):
        trials.reading(1, 1, [])


def test_what_is_found_is_kept_as_files(tmp_path, monkeypatch):
    monkeypatch.setattr(running, "KEPT", tmp_path / "kept")
    monkeypatch.setattr(running, "ROOT", tmp_path)
    number = next(n for n in range(1000) if len(inputs.mutated(n, 2).files) > 1)
    running.Run("images", 1, 2, tmp_path).keep(number, "It hangs.", "")
    damaged = inputs.mutated(number, 2)
    folder = tmp_path / "kept" / f"images-2-{number}"
    assert {name: (folder / name).read_bytes() for name in damaged.files} == damaged.files
    assert damaged.opened in folder.with_suffix(".txt").read_text("utf-8")


SEEDS = [path.read_bytes() for path in trials.golden_files()]


@pytest.mark.parametrize("path", trials.golden_files(), ids=lambda path: path.stem)
@pytest.mark.sweep(7)
def test_a_file_taken_apart_is_put_together_again(path):
    data = path.read_bytes()
    assert mutation.put_together(mutation.taken_apart(data)) == data
    header = mutation.taken_apart(data).chunks[0]
    assert header.kind == b"H"
    assert mutation._Header.read(header.payload).written() == header.payload


def test_most_damaged_files_have_right_checksums_and_many_a_valid_structure():
    whole = read = 0
    headers = set()
    for number in range(300):
        data, place = mutation.mutated(SEEDS, number, 1)
        assert data != SEEDS[place]
        try:
            first, *_ = parts(data)
            whole += 1
            headers.add(header_in(first[1]))
            container.read(data, max_numbers=1 << 24)
            read += 1
        except FormatError:
            continue
    assert whole > 200
    assert read > 75
    assert len(headers) > 60


@pytest.mark.slow
def test_every_tool_and_many_tables_are_reached_by_valid_headers():
    toggled, tables = 0, set[int]()
    for number in range(4000):
        data, place = mutation.mutated(SEEDS, number, 2)
        before = mutation.taken_apart(SEEDS[place])
        try:
            after = mutation.taken_apart(data)
            header = header_in(after.chunks[0].payload)
            used = header_in(before.chunks[0].payload)
        except (FormatError, IndexError):
            continue
        if header.sampling == used.sampling:
            toggled |= header.tools ^ used.tools
            tables.add(header.tables)
    assert toggled == sum(TOOL_NAMES)
    assert len(tables) > 4


@pytest.mark.slow
def test_damaged_files_open_or_are_refused():
    every = trials.seeds(Path("no folder"))
    assert {each.data for each in every} > set(SEEDS)
    for number in range(15):
        assert trials.mutation(number, 7, every)


def test_a_golden_file_that_decodes_to_other_pixels_is_found(monkeypatch):
    every = trials.seeds(Path("no folder"))
    assert trials.golden(0, 1, every) == SEEDS[0]
    monkeypatch.setattr(trials.make, "digest", lambda _pixels: "another")
    with pytest.raises(trials.WrongError, match="decodes to other pixels"):
        trials.golden(0, 1, every)


@pytest.mark.slow
def test_a_reconstruction_that_is_too_far_is_found(monkeypatch):
    for number in range(6):
        trials.round_trip(number, 5, [])
    decode = trials.pcaimage.decode
    monkeypatch.setattr(trials.pcaimage, "decode", lambda data: decode(data) ^ 1)
    array, settings = trials.images.np.zeros((4, 4, 3), "u1"), trials.images.Settings(lossless=True)
    monkeypatch.setattr(trials.images, "image", lambda *_: (array, settings))
    with pytest.raises(trials.WrongError, match=r"wrong by 1\.0, where 0\.0 was allowed"):
        trials.round_trip(0, 5, [])
