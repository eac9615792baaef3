import re
import shlex
from pathlib import Path

import pytest

from pcaimage.cli import report as work
from pcaimage.cli.report import command_of
from pcaimage.codec import Basis, Settings
from pcaimage.sampling import Bands, Blocks, Channels, Lapped, Stack


def test_a_page_is_written_and_one_line_tells_of_it(done, refused, png):
    how = ("report", png, "-o", "page.html", "--block", 4, "--k", 6)
    result = done(*how)
    assert result.stdout.count("\n") == 1
    assert result.stdout.startswith("page.html: in.png in ")
    page = Path("page.html").read_text("utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "pcaimage encode in.png in.pcai --method blocks --block 4 --k 6" in page
    assert not Path("in.pcai").exists()
    Path("page.html").write_text("mine", "utf-8")
    assert "already exists" in refused(*how)
    assert Path("page.html").read_text("utf-8") == "mine"
    done(*how, "--overwrite")


def test_the_page_tells_of_the_file_that_encode_writes(done, png):
    how = ("--method", "channels", "--k", 2)
    assert "from" in done("encode", png, "out.pcai", *how).stdout
    done("report", png, "-o", "page.html", *how)
    page = re.sub(r"(?<=\d)\D(?=\d{3}\b)", "", Path("page.html").read_text("utf-8"))
    assert str(Path("out.pcai").stat().st_size) in page


@pytest.mark.slow
def test_curves_are_drawn_on_request(done, png, monkeypatch):
    # One codec is enough here, and the quickest.
    monkeypatch.setattr(work, "RIVALS", work.RIVALS[:1])
    how = ("--method", "blocks", "--k", 6, "--leave-out", 2)
    done("report", png, "-o", "plain.html", *how)
    done("report", png, "-o", "curves.html", *how, "--curves")
    plain, curves = (Path(name).read_text("utf-8") for name in ("plain.html", "curves.html"))
    assert curves.count("<polyline") + curves.count("<path") > plain.count("<polyline") + plain.count("<path")
    assert "JPEG" in curves
    assert "--leave-out 2" in plain


@pytest.mark.slow
def test_a_stack_is_reported_on_without_other_codecs(done, frames):
    done("report", frames, "-o", "page.html", "--method", "stack", "--k", 3, "--curves")
    assert "--method stack --k 3" in Path("page.html").read_text("utf-8")


def test_what_cannot_be_reported_on_is_refused(refused, png, pcai):
    assert refused("report", png, "-o", "page.txt") == "page.txt must end in .html, the ending of reports."
    assert "already compressed" in refused("report", pcai, "-o", "page.html")
    assert "no folder" in refused("report", png, "-o", "none/page.html")
    assert "not both" in refused("report", png, "-o", "page.html", "--k", 3, "--psnr", 30)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (Settings(), ""),
        (
            Settings(Blocks(4), variance=0.95, step=2.5),
            "--method blocks --block 4 --variance 0.95 --step 2.5",
        ),
        (Settings(Channels(), size=40_000, standardize=True), "--method channels --size 40000 --standardize"),
        (Settings(Stack(), k=3, leave_out=frozenset({12, 3})), "--method stack --k 3 --leave-out 3,12"),
        (Settings(Lapped(), lossless=True), "--method photo --lossless"),
        (Settings(Bands(), max_error=2.0, nodata=-1.0), "--method bands --max-error 2.0 --nodata -1.0"),
        (Settings(mnf=True, k=2), "--k 2 --mnf"),
        (Settings(psnr=38.0, basis=Basis.OWN), "--psnr 38.0 --basis own"),
    ],
)
def test_the_command_says_every_setting(settings, words):
    start = ["pcaimage", "encode", "my cat.png", "my cat.pcai"]
    assert shlex.split(command_of(Path("dir/my cat.png"), settings)) == [*start, *words.split()]
