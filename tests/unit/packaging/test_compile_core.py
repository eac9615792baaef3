"""The core is compiled by what there is, and who has nothing is told what to install."""

import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import compile_core
import pytest

ROOT = Path(__file__).resolve().parents[3]

HEADER = "#if __GNUC__ || _WIN32\n#define ONE 1\n#endif\n"
CORE = """
#include "core.h"
__attribute__((visibility("default"))) const char *pcai_sources(void);
const char *pcai_sources(void) { return PCAI_SOURCES; }
"""
OTHER = """
#include "core.h"
__attribute__((visibility("default"))) int pcai_other(void);
int pcai_other(void) { return ONE; }
"""

needs_compiler = pytest.mark.skipif(compile_core.compiler() is None, reason="there is no C compiler here")


@pytest.fixture
def tree(tmp_path):
    """Return a small program: two files of C, and the script that compiles them."""
    core = tmp_path / "tree" / "pcaimage" / "core"
    core.mkdir(parents=True)
    for name, text in {"core.h": HEADER, "core.c": CORE, "other.c": OTHER}.items():
        (core / name).write_text(text, "utf-8")
    (tmp_path / "tree" / "scripts").mkdir()
    shutil.copy(compile_core.__file__, tmp_path / "tree" / "scripts")
    return tmp_path / "tree"


@pytest.fixture
def tools(tmp_path):
    """Return an empty folder for programs."""
    folder = tmp_path / "tools"
    folder.mkdir()
    return folder


def program(path, text):
    path.write_text(f"#!/bin/sh\n{text}\n", "utf-8")
    path.chmod(0o755)


def compiled(tree, tools, *words, **extra):
    """Run the script where only some programs are found, and no packages."""
    environment = {"PATH": str(tools), "LANG": "C.UTF-8", **extra}
    command = [sys.executable, "-S", str(tree / "scripts" / "compile_core.py"), *words]
    return subprocess.run(
        command, env=environment, capture_output=True, encoding="utf-8", timeout=120, check=False
    )


def counting_compiler(tools):
    """Put a compiler among the tools; return the file of its calls that compile a file of the program."""
    calls = tools / "calls"
    (real, *_) = compile_core.compiler() or ("",)
    program(tools / "cc", f'case "$*" in *" -c "*) echo "$*" >>{calls};; esac\nexec {real} "$@"')
    for needed in ("as", "ld", "collect2"):
        if found := shutil.which(needed):
            (tools / needed).symlink_to(found)
    return calls


@pytest.mark.slow
@needs_compiler
def test_only_what_has_changed_is_compiled_again(tree, tools):
    calls = counting_compiler(tools)

    def sources():
        result = compiled(tree, tools)
        assert result.returncode == 0, result.stderr
        assert (tree / "pcaimage" / "core" / compile_core.library().name).exists()
        lines = calls.read_text("utf-8").splitlines() if calls.exists() else []
        calls.unlink(missing_ok=True)
        return sorted(
            word.rpartition("/")[2] for line in lines for word in line.split() if word.endswith(".c")
        )

    assert sources() == ["core.c", "other.c"]
    assert sources() == []
    # The first file says what the library was compiled from.
    with (tree / "pcaimage" / "core" / "other.c").open("a", encoding="utf-8") as file:
        file.write("/* changed */\n")
    assert sources() == ["core.c", "other.c"]
    with (tree / "pcaimage" / "core" / "core.c").open("a", encoding="utf-8") as file:
        file.write("/* changed */\n")
    assert sources() == ["core.c"]
    (tree / "pcaimage" / "core" / compile_core.library().name).write_bytes(b"damaged")
    assert sources() == []
    assert compiled(tree, tools).stdout == ""


@pytest.mark.slow
@needs_compiler
def test_what_the_compiler_refuses_is_told_in_its_own_words(tree, tools):
    counting_compiler(tools)
    (tree / "pcaimage" / "core" / "other.c").write_text("#error this cannot be\n", "utf-8")
    result = compiled(tree, tools)
    assert result.returncode == 1
    assert result.stderr.startswith("The core cannot be compiled: `")
    assert "this cannot be" in result.stderr
    assert "Traceback" not in result.stderr
    assert not (tree / "pcaimage" / "core" / compile_core.library().name).exists()


@pytest.mark.slow
def test_without_a_compiler_one_sentence_says_what_to_install(tree, tools):
    program(tools / "apt-get", "exit 0")
    for words in ((), ("--advise",)):
        result = compiled(tree, tools, *words)
        assert result.returncode == 1
        assert result.stderr.count("\n") == 1
        assert "sudo apt-get install gcc libc6-dev" in result.stderr
        assert 'pip install "ziglang' in result.stderr


@pytest.mark.slow
def test_what_cannot_be_fetched_is_told_too(tree, tools):
    # pip may look nowhere, and this Python sees no packages even if it has them.
    result = compiled(tree, tools, "--fetch", PIP_NO_INDEX="1", PIP_CONFIG_FILE=os.devnull)
    assert result.returncode == 1
    assert "no C compiler works here" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.slow
@needs_compiler
def test_zig_compiles_where_nothing_else_does(tree, tools, tmp_path):
    package, calls = tmp_path / "packages" / "ziglang", tools / "calls"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (real, *_) = compile_core.compiler() or ("",)
    (package / "__main__.py").write_text(
        "import os, sys\n"
        f"print(*sys.argv[1:], file=open({str(calls)!r}, 'a'))\n"
        "words = [word for word in sys.argv[2:] if word != '-mcpu=baseline']\n"
        f"os.environ['PATH'] = {os.environ['PATH']!r}\n"
        f"os.execv({real!r}, [{real!r}, *words])\n",
        "utf-8",
    )
    result = compiled(tree, tools, PYTHONPATH=str(package.parent))
    assert result.returncode == 0, result.stderr
    lines = calls.read_text("utf-8").splitlines()
    assert all(line.startswith("cc ") for line in lines)
    compiling = [line for line in lines if " -E " not in line]  # it is also asked which compiler it is
    assert len(compiling) == 3
    assert all("-mcpu=baseline" in line for line in compiling)


def hook(root):
    kind = runpy.run_path(str(ROOT / "hatch_build.py"))["CoreHook"]
    return kind(str(root), {}, None, SimpleNamespace(), str(root), "wheel")


@pytest.mark.slow
def test_zig_is_asked_for_only_where_nothing_else_compiles(tree, tools, monkeypatch):
    monkeypatch.setenv("PATH", str(tools))
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.delenv("PCAIMAGE_PLATFORM", raising=False)
    assert hook(tree).dependencies() == [compile_core.ZIG]
    assert hook(ROOT).dependencies() == []  # what is compiled already


def test_an_unknown_platform_is_refused_in_a_sentence(tree, monkeypatch):
    monkeypatch.setenv("PCAIMAGE_PLATFORM", "beos-ppc")
    with pytest.raises(SystemExit, match=r"PCAIMAGE_PLATFORM is beos-ppc, which is none of linux-x86_64, "):
        hook(tree).initialize("standard", {"force_include": {}})


def test_a_wheel_is_named_after_its_platform(monkeypatch):
    monkeypatch.delenv("PCAIMAGE_PLATFORM", raising=False)
    data = {"force_include": {}}
    hook(ROOT).initialize("standard", data)
    platform = compile_core.this_platform()
    assert data["tag"] == f"py3-none-{platform.tag}"
    assert data["pure_python"] is False
    assert data["force_include"] == {str(compile_core.library()): f"pcaimage/core/{platform.file}"}
    hook(ROOT).initialize("editable", editable := {"force_include": {}})
    assert editable["force_include"] == {}
