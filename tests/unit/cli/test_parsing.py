"""Command lines are understood as they are declared, and what is wrong with them is said."""

import json
import sys
from pathlib import Path

import pytest

from pcaimage.api import Preset, presets, save_preset, write_preset
from pcaimage.choices import Basis
from pcaimage.cli import commands, program
from pcaimage.cli.declared import ErrorBound, MethodName, NoDataValue, Pages, UsageError

FILES = {"source": Path("a.png"), "target": Path("b.pcai")}

UNDERSTOOD = {
    "encode a.png b.pcai --psnr 38 --overwrite": {**FILES, "psnr": 38.0, "overwrite": True, "k": None},
    "encode --size=40KB a.png --json b.pcai": {**FILES, "size": 40_000, "as_json": True},
    "encode a.png b.pcai --method blocks -k 20 --step 1e1": {
        "method": MethodName.BLOCKS, "k": 20, "step": 10.0, "basis": Basis.AUTO
    },
    "encode a.png b.pcai -k5 --leave-out 3,7,12-14": {"k": 5, "leave_out": frozenset({3, 7, 12, 13, 14})},
    "encode a.png b.pcai --variance 95% --basis own": {"variance": 0.95, "basis": Basis.OWN},
    "encode a b --nodata -9999 --pages bands": {"nodata": NoDataValue(-9999.0), "pages": Pages.BANDS},
    "encode a.hdr b.pcai --nodata -3.4e38": {"nodata": NoDataValue(-3.4e38)},
    "encode a.hdr b.pcai --nodata=-inf": {"nodata": NoDataValue(-float("inf"))},
    "encode a.nc b.pcai --select time=0 --select=level=850 --max-error 0.05K": {
        "select": ["time=0", "level=850"], "max_error": ErrorBound(0.05, "K")
    },
    "encode - - --k 3 --k 4": {"source": Path("-"), "k": 4},
    "encode a.png -o b.pcai --quiet": {**FILES, "quiet": True},
    "batch a.png -o out -j 2 --export webp -q 80 -n": {"workers": 2, "export": "webp", "dry_run": True},
    "encode -- -a.png b.pcai": {"source": Path("-a.png")},
    "batch a.png -o out b.png": {"inputs": ["a.png", "b.png"], "target": "out"},
    "table data.csv --no-header --no-center --digits 5": {"header": False, "no_centre": True, "digits": 5},
    "table data.csv --header --labels name": {"header": True, "labels": "name"},
    "table data.csv": {"header": None, "digits": 7},
    "gui a.png b.pcai": {"files": ["a.png", "b.pcai"], "new_window": False},
}  # fmt: skip

WRONG = json.loads((Path(__file__).parent / "wrong.json").read_text("utf-8"))


@pytest.mark.parametrize("line", UNDERSTOOD)
def test_what_is_typed_is_what_a_command_gets(line):
    command = program.command_of(line.split())
    assert command.func.__name__ == line.split()[0]
    assert UNDERSTOOD[line].items() <= command.keywords.items()


@pytest.mark.parametrize("line", WRONG)
def test_what_is_wrong_is_said_with_the_usage(line, capsys):
    with pytest.raises(UsageError) as caught:
        program.command_of(line.split())
    assert WRONG[line] in str(caught.value)
    assert capsys.readouterr().err.startswith("usage: pcaimage ")
    assert program.command_of([]) is commands.gui  # nothing is not wrong


def test_wildcards_are_expanded_where_shells_leave_them(monkeypatch, tmp_path):
    (tmp_path / "a.png").touch()
    words = ["gui", f"{tmp_path}/*.png", "*.none"]
    assert program.command_of(words).keywords["files"] == words[1:]
    monkeypatch.setattr(sys, "platform", "win32")
    assert program.command_of(words).keywords["files"] == [str(tmp_path / "a.png"), "*.none"]


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(presets, "settings_folder", lambda: tmp_path / "settings")


def test_a_preset_is_used_by_name_and_by_file(done, png):
    preset = Preset("Few blocks", method="blocks", block=4, k=5)
    save_preset(preset)
    write_preset("mine.json", preset)
    done("encode", png, "typed.pcai", "--method", "blocks", "--block", 4, "--k", 5)
    done("encode", png, "named.pcai", "--preset", "few BLOCKS")
    done("encode", png, "file.pcai", "--preset", "mine.json")
    typed, named, file = (Path(f"{name}.pcai").read_bytes() for name in ("typed", "named", "file"))
    assert typed == named == file


def test_other_options_come_first(figures, png):
    save_preset(Preset("five", method="blocks", block=4, k=5))
    told = figures("encode", png, "a.pcai", "--preset", "five", "--k", 3)
    assert told["k"] == 3
    assert told["k_max"] == 48


def test_what_is_no_preset_is_refused_before_any_work(refused, png):
    assert "There is no preset 'mine'" in refused("encode", png, "a.pcai", "--preset", "mine")
    assert "mine.json cannot be read" in refused("encode", png, "a.pcai", "--preset", "mine.json")
    Path("wrong.json").write_text('{"pcaimage preset": 1, "name": "a", "k": 2, "psnr": 3}', "utf-8")
    assert "wrong.json: A preset keeps one of" in refused("encode", png, "a.pcai", "--preset", "wrong.json")
    assert "no preset" in refused("report", png, "-o", "a.html", "--preset", "mine")
    assert not Path("a.pcai").exists()


def test_a_report_takes_a_preset(done, png):
    save_preset(Preset("five", method="blocks", block=4, k=5))
    done("report", png, "-o", "page.html", "--preset", "five")
    assert "--method blocks --block 4 --k 5" in Path("page.html").read_text("utf-8")
