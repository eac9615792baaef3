"""What was typed wrongly, or contradicts itself: the program's own words, and exit code 2."""

import importlib
import inspect
import json
import math
import os
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import get_origin

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image as PillowImage

from pcaimage.choices import READABLE, WRITABLE
from pcaimage.cli import commands, program, qt_libraries
from pcaimage.cli.declared import (
    Option,
    ValueRefused,
    kind_of,
    parse_components,
    parse_share,
    parse_size,
    parser_of,
)
from pcaimage.cli.formatting import finite_or_none, psnr_text, size_text
from pcaimage.cli.options import declaration
from pcaimage.cli.terminal import printable
from pcaimage.imaging.image.formats import ARRAY_FORMATS, FORMATS


def declared():
    """Yield command, name, type and declaration of all options."""
    for command in commands.ALL:
        for name, each in inspect.signature(command, eval_str=True).parameters.items():
            details = declaration(command.__name__, name)
            if isinstance(details, Option):
                yield command.__name__, name, kind_of(each.annotation), details


def test_every_option_but_texts_and_switches_refuses_values_in_our_words():
    refused = 0
    for command, name, kind, details in declared():
        parse = parser_of(kind, details)
        if parse is None:
            assert kind in {str, Path, bool} or get_origin(kind) is list, (command, name)
            continue
        with pytest.raises(ValueRefused, match="'@'"):
            parse("@")
        refused += 1
    assert refused > 60


def test_the_same_word_takes_the_same_everywhere():
    takes = defaultdict(set)
    for _, name, kind, details in declared():
        for word in details.names or (f"--{name.replace('_', '-')}",):
            takes[word].add((kind, details.metavar))
    assert {word for word, kinds in takes.items() if len(kinds) > 1} == {"--output", "-o"}


def test_a_command_says_less_or_more_or_writes_nothing(command, done, png):
    told = done("encode", png, "-o", "a.pcai", "--verbose")
    assert "Compressing in.png took " in told.stderr
    assert not done("decode", "a.pcai", "a.jpg", "-q", "80", "--quiet").output
    assert done("encode", png, "b.pcai", "-n").stdout == told.stdout.replace("a.pcai", "b.pcai")
    assert not Path("b.pcai").exists()
    assert "Traceback" in command("encode", png, "a.pcai", "--verbose").stderr


def test_a_library_that_qt_lacks_is_told_with_its_cure(command, done, monkeypatch):
    monkeypatch.setattr(qt_libraries, "trouble_at_start", lambda: "")
    assert "core " in done("doctor").stdout
    monkeypatch.setattr(qt_libraries, "missing_libraries", lambda _: ["libEGL.so.1"])
    monkeypatch.setattr(qt_libraries.shutil, "which", lambda name: name)
    sick = command("doctor")
    assert sick.exit_code == 1
    assert re.search(r"lacks +Qt +needs libEGL.so.1\n.* sudo apt-get install .* libegl1\n", sick.stdout)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["encode", "a", "b", "--psnr", "abc"], ""),
        (["encode", "a", "b", "--method", "foo"], ""),
        (["encode", "a", "b", "--frame", "0"], "the number is at least 1."),
        (
            ["decode", "a", "b", "--compression", "12"],
            "--compression: 12 is out of range; the number is from 0",
        ),
        (["table", "a", "--digits", "2.5"], ""),
        (["batch", "a", "-o", "b", "--strip", "some"], ""),
    ],
)
def test_a_wrong_value_is_explained_in_our_words(command, words, told):
    result = command(*words)
    assert result.exit_code == 2
    assert result.stderr.startswith("usage: pcaimage")
    assert words[-2] in result.output
    assert told in " ".join(result.output.split())
    assert "invalid" not in result.output  # as the parser has it
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["encode", "a.png", "a.pcai", "--psnr", "30", "--size", "3KB"], 2),
        (["encode", "a.png", "a.foo"], 2),
        (["decode", "a.pcai", "a.foo"], 2),
        (["batch", "photos", "-o", "out", "--srgb"], 2),
        (["compare", "-", "-"], 2),
        (["encode", "in.png", "a.pcai", "--k", "100000"], 1),
        (["encode", "missing.png", "a.pcai"], 1),
    ],
)
@pytest.mark.usefixtures("png")
def test_what_cannot_be_together_ends_with_2_and_what_a_file_does_not_allow_with_1(command, words, code):
    result = command(*words)
    assert result.exit_code == code
    assert result.stderr.startswith("pcaimage: ")
    assert result.stderr.count("\n") == 1


def test_the_name_of_a_file_alone_opens_the_window(monkeypatch, command, png):
    opened = list[list[str]]()

    def window(files, _member=None, *, new_window):
        assert not new_window
        opened.append(files)
        return 0

    monkeypatch.setattr("pcaimage.cli.window.open_window", window)
    with pytest.raises(SystemExit):
        program.command_of([str(png), str(png)])()
    assert opened == [[str(png), str(png)]]
    missing = command("missing.png")
    assert missing.exit_code == 2
    assert "neither a command nor a file 'missing.png'" in missing.output


def test_kinds_of_files_are_listed_whole_and_the_same_everywhere(command, refused, tmp_path):
    written = {Path(f"a{known.suffixes[0]}").suffix for known in (*FORMATS, *ARRAY_FORMATS)} | {".jxl"}
    assert set(WRITABLE) == written
    told = "".join(command("decode", "--help").output.split())
    refusal = refused("decode", "a.pcai", "a.foo")
    for suffix in WRITABLE:
        assert suffix in told
        assert suffix in refusal
    (tmp_path / "a.xcf").write_bytes(b"gimp xcf v011" + bytes(2000))
    unread = refused("info", tmp_path / "a.xcf")
    assert all(kind in unread for kind in READABLE)


@pytest.mark.parametrize(
    ("option", "some"),
    [
        ("--export", ["png", "jxl", "npy", "gif"]),
        ("--preset", ["small", "balanced", "lossless"]),
        ("--strip", ["place", "all"]),
        ("--method", ["photo", "bands"]),
    ],
)
@pytest.mark.sweep(4)
def test_the_shell_completes_values(option, some, tmp_path):
    line, answer = f"pcaimage batch in {option} ", tmp_path / "answer"
    asked = {"_ARGCOMPLETE": "1", "COMP_LINE": line, "COMP_POINT": str(len(line)), "_ARGCOMPLETE_IFS": "|"}
    environment = {**os.environ, **asked, "_ARGCOMPLETE_STDOUT_FILENAME": str(answer)}
    program = [sys.executable, "-m", "pcaimage"]
    assert subprocess.run(program, env=environment, timeout=120, check=False).returncode == 0
    assert set(some) <= set(answer.read_text().split("|"))


def test_the_completion_of_a_shell_can_be_printed(done):
    assert "complete " in done("--show-completion", "bash").stdout


def test_links_that_lead_back_and_folders_without_a_name_are_called_that(refused, png):
    for name in ("loop.pcai", "loop.png"):
        png.with_name(name).symlink_to(png.with_name(name))
    assert "loop.pcai is a link that leads back to itself" in refused("encode", png, "loop.pcai")
    assert "loop.png is a link that leads back to itself" in refused("info", "loop.png")
    assert "The folder / " in refused("info", "/")


def test_a_limit_below_a_megapixel_is_told_in_pixels(refused, tmp_path, monkeypatch):
    PillowImage.new("RGB", (60, 60)).save(tmp_path / "a.png")
    monkeypatch.setenv("PCAIMAGE_MAX_PIXELS", "50")
    assert "60 x 60 pixels, more than the limit of 50 in all" in refused(
        "encode", tmp_path / "a.png", "a.pcai"
    )


def test_sizes_of_many_bands_are_told_per_value(done, tmp_path):
    cube = np.random.default_rng(0).integers(0, 4000, (20, 30, 40), np.uint16)
    np.save(tmp_path / "a.npy", cube)
    assert " bits per value" in done("encode", tmp_path / "a.npy", tmp_path / "a.pcai").stdout
    told = done("info", tmp_path / "a.pcai").stdout
    assert " bits per value" in told
    assert "bits per pixel" not in told


@pytest.mark.parametrize("command", [each for each in commands.ALL if each is not commands.gui])
def test_the_function_of_a_command_takes_what_was_typed(command):
    name = command.__name__
    work = getattr(importlib.import_module(f"pcaimage.cli.{name}"), name)
    (given,) = inspect.signature(work, eval_str=True).parameters.values()
    assert given.annotation is getattr(commands, f"{name.capitalize()}Command")


@pytest.mark.parametrize(
    ("parse", "texts", "message"),
    [
        (parse_share, ("", "%", "0", "-3", "101", "120%", "nan", "inf", "much"), "share of the variance"),
        (parse_size, ("", "KB", "-4KB", "0", "0.4", "4iB", "4XB", "1e5", "inf"), "size in bytes"),
        (
            parse_components,
            ("", "3,", ",3", "0", "-3", "5-3", "0-4", "1.5", "3;7", "three", "1-100000", "2-3-4"),
            "not a list of components, counted from 1, such as 3,7,12-20",
        ),
    ],
)
def test_what_is_no_share_size_or_list_of_components_is_refused(parse, texts, message):
    for text in texts:
        with pytest.raises(ValueRefused, match=message):
            parse(text)


def test_components_are_understood():
    texts = {"3,7,12-14": {3, 7, 12, 13, 14}, " 3 , 5 - 5,3": {3, 5}, "192": {192}, "1-3,2-4": {1, 2, 3, 4}}
    assert {text: set(parse_components(text)) for text in texts} == texts


def test_sizes_are_told_in_three_figures():
    sizes = (0, 999, 1000, 41_234, 557_596, 999_499, 999_500, 2_580_936, 7_000_000_000_000)
    told = "0 B, 999 B, 1.00 KB, 41.2 KB, 558 KB, 999 KB, 1.00 MB, 2.58 MB, 7000 GB"
    assert ", ".join(map(size_text, sizes)) == told


@pytest.mark.slow
@given(st.integers(1, 10**12))
def test_a_size_that_was_told_is_understood(n_bytes):
    assert parse_size(size_text(n_bytes)) == pytest.approx(n_bytes, rel=0.006)


def test_infinite_numbers_have_words_and_json_null():
    assert psnr_text(math.inf) == "lossless"
    assert psnr_text(34.123) == "34.12 dB"
    assert finite_or_none(math.inf) is None
    assert finite_or_none(2.5) == 2.5


@pytest.mark.slow
@given(st.text())
def test_no_text_moves_the_cursor(text):
    assert printable(text).replace("\N{NO-BREAK SPACE}", " ").isprintable()
    assert len(printable(text)) == len(text)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="file names are text")
def test_names_that_are_no_text_are_replaced_in_json(done, png):
    name = os.fsdecode(b"odd\xff.png")
    png.rename(name)
    told = done("encode", name, "out.pcai", "--json").stdout
    assert json.loads(told)["input"] == "odd\N{REPLACEMENT CHARACTER}.png"
    assert "\\ud" not in told
    assert "\\ud" not in done("info", "out.pcai", "--json").stdout
