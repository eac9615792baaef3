import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as PillowImage

import pcaimage
from pcaimage import container
from pcaimage.imaging.rivals.rivals import RIVALS
from pcaimage.insight import references

NAME = ".pcaimage-batch.jsonl"
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def photos(tmp_path):
    folder = tmp_path / "photos"
    (folder / "inner").mkdir(parents=True)
    for number, name in enumerate(("a.png", "b.png", "inner/c.png")):
        PillowImage.fromarray(np.full((16, 24, 3), 40 * number, np.uint8)).save(folder / name)
    return folder


pytestmark = pytest.mark.usefixtures("in_threads")


@pytest.mark.slow
@pytest.mark.parametrize("tune", ["eye", "psnr"])
def test_photos_are_optimised_as_encode_does(done, photos, tune):
    image = np.random.default_rng(3).integers(0, 256, (48, 48, 3), np.uint8)
    PillowImage.fromarray(image).save(photos / "a.png")
    done("batch", photos, "-o", "out", "--tune", tune, "--workers", "1")
    done("encode", photos / "a.png", "alone.pcai", "--tune", tune)
    written = Path("out/a.pcai").read_bytes()
    assert written == Path("alone.pcai").read_bytes()
    assert (container.read(written).header.levels > 0) == (tune == "eye")


def test_a_folder_is_compressed_with_the_options_of_encode(done, photos):
    told = done(
        "batch", photos, "-o", "out", "--recursive", "--method", "blocks", "--k", "2", "--workers", "1"
    )
    lines = told.stdout.splitlines()
    assert lines[0].startswith("a.pcai: ")
    assert "dB" in lines[0] or "lossless" in lines[0]
    assert lines[-1].startswith("3 files: 3 made; ")
    assert not told.stderr
    done("encode", photos / "inner/c.png", "alone.pcai", "--method", "blocks", "--k", "2")
    assert Path("out/inner/c.pcai").read_bytes() == Path("alone.pcai").read_bytes()
    again = done("batch", photos, "-o", "out", "--resume", "--method", "blocks", "--k", "2")
    assert again.stdout.splitlines()[-1].startswith("2 files: 2 as before; ")


def test_failures_are_listed_and_end_with_exit_code_2(command, photos):
    (photos / "bad.png").write_bytes(b"no image")
    (photos / "notes.txt").touch()
    told = command("batch", photos, "--output", "out", "--k", "2", "--results", "report.csv")
    assert told.exit_code == 2
    assert told.stdout.splitlines()[-1].startswith("3 files: 2 made, 1 failed; ")
    said = told.stderr.splitlines()
    assert said[0] == "pcaimage: 1 file was skipped: not an image."
    assert said[1] == "pcaimage: 1 of 3 files failed:"
    assert said[2].startswith(f"pcaimage:   {photos}/bad.png: bad.png ")
    assert len(Path("report.csv").read_text().splitlines()) == 4


def test_names_that_would_be_equal_are_told_before_the_work(done, photos):
    (photos / "a.png").rename(photos / "b.jpg")
    told = done("batch", photos, "-o", "out", "--k", "2", "--json")
    assert told.stderr == "pcaimage: b.jpg, b.png would be b.pcai, and will be b.jpg.pcai, b.png.pcai.\n"
    found = json.loads(told.stdout)
    assert (found["files"], found["made"], found["failed"]) == (2, 2, 0)
    assert {each["target"] for each in found["results"]} == {"b.jpg.pcai", "b.png.pcai"}


def test_a_preset_is_taken_as_by_encode(done, photos):
    done("batch", photos, "-o", "out", "--preset", "small")
    done("encode", photos / "b.png", "alone.pcai", "--preset", "small")
    assert Path("out/b.pcai").read_bytes() == Path("alone.pcai").read_bytes()
    again = done("batch", photos, "-o", "out", "--preset", "balanced", "--resume")
    assert again.stdout.splitlines()[-1].startswith("2 files: 2 made; ")


def test_images_are_exported_with_the_options_of_decode(done, photos):
    told = done("batch", photos, "-o", "out", "--export", "jpeg", "--quality", "80", "--resize", "50%")
    assert told.stdout.splitlines()[-1].startswith("2 files: 2 made; ")
    with PillowImage.open("out/a.jpg") as small:
        assert small.size == (12, 8)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--format", "jpeg", "--psnr", "38"], "--format writes images in another format"),
        (["--quality", "80"], "--format names one"),
        (["--export", "qoi"], "'qoi' is not a format that images can be saved in"),
        (["--export", "png", "-o", "photos"], "would take the place of an image"),
        (["--results", "r.txt"], r"r.txt must end in .csv or .json"),
        (["--results", "none/r.csv"], "there is no folder none"),
        (["--model", "none.pcai"], "The model none.pcai cannot be read."),
        (["--k", "2", "--psnr", "3"], "Give one of k and psnr"),
        (["nothing"], "nothing cannot be read: there is no such file or folder."),
        (["-o", "photos/a.png"], "photos/a.png is a file; the outputs need a folder."),
    ],
)
@pytest.mark.usefixtures("photos")
def test_what_cannot_be_is_refused_before_any_work(refused, words, sentence):
    output = [] if "-o" in words else ["-o", "out"]
    assert sentence in refused("batch", "photos", *output, *words)
    assert not Path("out").exists()


@pytest.mark.slow
def test_killed_at_twenty_moments_every_output_is_whole_and_none_is_made_twice(tmp_path):
    random = np.random.default_rng(20)
    (tmp_path / "in").mkdir()
    for number in range(60):
        noise = random.integers(0, 255, (120, 120, 3)).astype(np.uint8)
        PillowImage.fromarray(noise).save(tmp_path / "in" / f"{number}.png", compress_level=0)
    out, environment = tmp_path / "out", {**os.environ, "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-m", "pcaimage", "batch", "in", "-o", "out", "--workers", "2", "--resume"]
    made = dict[str, int]()
    for _ in range(20):
        process = subprocess.Popen(
            words, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, start_new_session=True
        )
        assert process.stdout is not None
        # By what was told rather than by a clock, so that slow machines are killed in the middle, too.
        for _line in range(int(random.integers(1, 5))):
            process.stdout.readline()
        pause = threading.Event()
        pause.wait(float(random.random() * 0.05))
        process.kill()
        process.communicate()
        for each in out.glob("*.pcai"):
            assert pcaimage.decode(each.read_bytes()).shape == (120, 120, 3)
            assert made.setdefault(each.name, each.stat().st_mtime_ns) == each.stat().st_mtime_ns
    last = subprocess.run([*words, "--json"], cwd=tmp_path, env=environment, capture_output=True, check=True)
    found = json.loads(last.stdout)
    assert found["failed"] == 0
    assert found["kept"] + found["made"] == 60
    assert found["kept"] >= len(made) > 0
    assert {each.name for each in out.iterdir()} == {NAME, *(f"{number}.pcai" for number in range(60))}
    for each in out.glob("*.pcai"):
        assert made.get(each.name, each.stat().st_mtime_ns) == each.stat().st_mtime_ns
    lines = [json.loads(line) for line in (out / NAME).read_text().splitlines() if line.strip()]
    noted = [line["target"] for line in lines if line.get("output")]
    assert len(noted) - len(set(noted)) <= 2 * 20  # noted, but killed before it was in its place


@pytest.mark.slow
def test_a_watch_ends_by_an_interrupt_and_keeps_whole_files(tmp_path):
    (tmp_path / "in").mkdir()
    words = [sys.executable, "-m", "pcaimage", "batch", "in", "-o", "out", "--watch"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        words, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr.readline() == "pcaimage: watching in; Ctrl+C ends it\n"
    PillowImage.fromarray(np.zeros((16, 16, 3), np.uint8)).save(tmp_path / "in/a.png")
    assert process.stdout.readline().startswith("a.pcai: ")
    process.send_signal(signal.SIGTERM)
    out, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (0, "")
    assert out.startswith("1 file: 1 made; ")
    assert {each.name for each in (tmp_path / "out").iterdir()} == {NAME, "a.pcai"}


def test_a_page_compares_ones_own_images(command, png, monkeypatch):
    monkeypatch.setattr(references, "RIVALS", RIVALS[:1])
    Path("broken.jpg").write_bytes(b"no image")
    told = command("bench", png, "broken.jpg", "-o", "page.html", "--json")
    assert told.exit_code == 2
    found = json.loads(told.stdout)
    assert -0.9 < found["change"]["jpeg"] < 0.5
    assert [each["codec"] for each in found["images"][0]["curves"]] == ["pcaimage", "jpeg"]
    page = Path("page.html").read_text("utf-8")
    assert "broken.jpg is not an image" in page
    assert page.count("<polyline") == 4
    listed = command("batch", png, "-o", "out", "--dry-run")
    assert listed.stdout.startswith(f"{png} → out/in.pcai\n")
    assert not Path("out").exists()
