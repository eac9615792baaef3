"""Checks the documentation by machine: links and anchors, commands, and the figures of tables.

``check_docs.py`` says what is wrong and exits with 1; ``--run`` also runs the commands; ``--unstored`` lists
tables with figures that come from no stored result.

Three comments, which readers do not see, stand on the line before a table or a block of commands:

``<!-- figures: kodak changes psnr -->``
    The table's figures are those of ``benchmarks/results/kodak.json``, which has the command and its date.
``<!-- not run: WHY -->``
    What the block needs is not everywhere. Its commands must still be spelled correctly.
``<!-- by hand: WHY -->``
    The table has no figures of a benchmark.
"""

from __future__ import annotations

import glob
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
PROGRAM = "pcaimage"

_LINK = re.compile(r"(?<!!)\[(?:[^\]\[]|\[[^\]]*\])*\]\(([^()\s]+)\)|!\[[^\]]*\]\(([^()\s]+)\)")
_SOURCE = re.compile(r'(?:src|srcset|href)="([^"]+)"')
_COMMENT = re.compile(r"<!-- (not run|figures|by hand): (.*?) -->")
_WAITS = {"gui", "--watch"}
"""Words of commands that do not end by themselves."""


class Command(NamedTuple):
    """A command line of a page, and why it is not run; empty if it is."""

    page: str
    line: int
    words: tuple[str, ...]
    reason: str

    @property
    def place(self) -> str:
        """The page and the line."""
        return f"{self.page}:{self.line}"


def pages() -> list[str]:
    """Return the names of all pages, from the root of the project."""
    listed = subprocess.run(
        ["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    found = listed.stdout.split() or [str(path.relative_to(ROOT)) for path in ROOT.glob("docs/**/*.md")]
    return [page for page in found if (ROOT / page).exists()]


def text_of(page: str) -> str:
    """Return a page's text."""
    return (ROOT / page).read_text("utf-8")


def without_code(text: str) -> str:
    """Return a page's text with nothing in place of its blocks and words of code."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", text)


def anchors(page: str) -> set[str]:
    """Return the anchors of a page's headings, as GitHub and MkDocs make them, and those set by hand."""
    text = re.sub(r"^```.*?^```", "", text_of(page), flags=re.MULTILINE | re.DOTALL)
    found, times = set(re.findall(r'(?:id|name)="([^"]+)"', text)), dict[str, int]()
    for title in re.findall(r"^#+\s+(.*?)\s*#*$", text, flags=re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title)
        slug = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        count = times[slug] = times.get(slug, -1) + 1
        found.add(f"{slug}-{count}" if count else slug)
    return found


def broken_links() -> list[str]:
    """Return the links and pictures of all pages that lead nowhere; those to other hosts are not followed."""
    wrong = []
    for page in pages():
        text = without_code(text_of(page))
        links = [first or second for first, second in _LINK.findall(text)] + _SOURCE.findall(text)
        for link in links:
            if re.match(r"[a-z]+:", link):
                continue
            path, _, anchor = link.partition("#")
            target = (ROOT / page).parent / path if path else ROOT / page
            known = target.suffix == ".md" and target.is_file()
            if not target.exists() or (
                anchor and known and anchor not in anchors(os.path.relpath(target, ROOT))
            ):
                wrong.append(f"{page}: {link} leads nowhere.")
    return wrong


def commands(page: str) -> Iterator[Command]:
    """Yield the command lines of a page: those of blocks for consoles, and of indented blocks."""
    reason, fence = "", ""
    lines = text_of(page).splitlines()
    for number, line in enumerate(lines, 1):
        if line.startswith("```"):
            fence = "" if fence else line[3:] or "text"
            continue
        inside = fence == "console" or (not fence and line.startswith("    "))
        comment = _COMMENT.fullmatch(line)
        if comment is not None:
            reason = comment[2] if comment[1] == "not run" else ""
        elif inside and re.match(r"\s*(pcaimage|make|pip|python|dask|curl)\b", line):
            words = shlex.split(line, comments=True)
            yield Command(page, number, tuple(words), reason)
        elif line.strip() and not inside and not fence:
            reason = ""


def mistakes(command: Command) -> str:
    """Return what is wrong with how a command is spelled; empty if nothing is."""
    program, *words = command.words
    if program == "make":
        targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), flags=re.MULTILINE)
        unknown = [word for word in words if "=" not in word and word not in targets]
        return f"{command.place}: there is no make {unknown[0]}." if unknown else ""
    if "|" in words or program != PROGRAM:
        return ""
    from pcaimage.cli import program as cli  # noqa: PLC0415 - links need none
    from pcaimage.errors import PcaImageError  # noqa: PLC0415

    try:
        if words and Path(words[0]).suffix:
            words = ["gui", *words]
        cli.command_of(words)
    except (PcaImageError, SystemExit) as error:
        return f"{command.place}: {' '.join(command.words)}: {error}"
    return ""


def spelling() -> list[str]:
    """Return the mistakes of all commands, and options between words of text that no command has."""
    found = (
        versions()
        + sentences()
        + [wrong for page in pages() for each in commands(page) if (wrong := mistakes(each))]
    )
    from pcaimage.cli import commands as declared  # noqa: PLC0415 - as above
    from pcaimage.cli import program as cli  # noqa: PLC0415

    pages_of_manual = "\n".join(page for _, page in cli.manual()).replace("\\-", "-")
    known = set(re.findall(r"--[a-z][a-z-]*", pages_of_manual))
    named = {each.__name__ for each in declared.ALL}
    for page in ("README.md", "docs/cli.md", "docs/batch.md", "docs/one.md", "docs/library.md"):
        text = re.sub(r"^```.*?^```", "", text_of(page), flags=re.MULTILINE | re.DOTALL)
        for code in re.findall(r"`([^`\n]+)`", text):
            first, *rest = code.split()
            if first.startswith("--") or (first == PROGRAM and rest and rest[0] in named):
                lost = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", code)) - known
                found += [f"{page}: `{code}`: no command has {word}." for word in sorted(lost)]
    return found


def sentences() -> list[str]:
    """Return the sentences of the page of troubles that the program does not say."""
    files = (path for path in (ROOT / PROGRAM).rglob("*") if path.suffix in {".py", ".c", ".h"})
    code = "".join(map(_text, files))
    said = re.sub(r'"\s+f?"', "", code)  # strings that go on in the next line
    told = re.findall(r"^\| (\*[^|]*\*)", text_of("docs/trouble.md"), flags=re.MULTILINE)
    parts = {
        part.strip(" ,")
        for each in told
        for phrase in re.findall(r"\*(.*?)\*", each)
        for part in phrase.split("…")
    }
    return [
        f"docs/trouble.md: the program does not say: {part}" for part in sorted(parts) if part not in said
    ]


def versions() -> list[str]:
    """Return the files for packages, and the citation, that are of another version than the program."""
    text = (ROOT / PROGRAM / "__init__.py").read_text("utf-8")
    own = re.findall(r'__version__ = "(.*)"', text)
    files = [*(ROOT / "packaging").glob("*"), ROOT / "CITATION.cff"]
    named = {
        path: re.findall(r"(?i)(?:(?<![\w-])version\W+|pcaimage-)(\d+\.\d+\.\d+)", _text(path))
        for path in files
    }
    return [f"{path.name} is of another version." for path, found in named.items() if set(found) - set(own)]


def _text(path: Path) -> str:
    return path.read_text("utf-8") if path.is_file() else ""


def prepare(folder: Path) -> None:
    """Make the files that the commands of all pages name."""
    import numpy as np  # noqa: PLC0415 - links need none

    from pcaimage.api import Preset, save, save_preset  # noqa: PLC0415
    from pcaimage.imaging import Image, write_image  # noqa: PLC0415
    from pcaimage.imaging.image.timing import Timing  # noqa: PLC0415

    rng = np.random.default_rng(7)
    y, x = np.mgrid[:48, :64]

    def picture(shift: int, channels: int = 3) -> Any:
        planes = [120 + 60 * np.sin((x + shift) / (5 + c)) * np.cos(y / 9) for c in range(channels)]
        noise = rng.normal(0, 3, (48, 64, channels))
        return np.clip(np.stack(planes, -1) + noise, 0, 255).astype(np.uint8)

    folder.mkdir(exist_ok=True)
    for name in ("photos", "photos/more", "frames", "inbox"):
        (folder / name).mkdir()
    photographs = (
        "photo.png",
        "photo.jpg",
        "photos/a.png",
        "photos/b.jpg",
        "photos/more/c.png",
        "inbox/a.png",
    )
    for shift, name in enumerate((*photographs, "a.tif", *(f"frames/{n}.png" for n in range(4)), "new.png")):
        write_image(folder / name, Image(picture(shift)))
    cube = picture(0, 12).astype(np.uint16) * 9
    for name in ("cube.hdr", "cube.tif", "pages.tif"):
        write_image(folder / name, Image(cube))
    clip = np.stack([picture(shift) for shift in range(3)])
    write_image(folder / "clip.gif", Image(clip, timing=Timing((100, 100, 100), 0)))
    for name in ("data.csv", "fish.csv"):
        (folder / name).write_text("a,b,c\n1,2,4\n3,5,1\n4,4,2\n", "utf-8")
    save_preset(Preset("web", psnr=34.0))
    save(folder / "photo.pcai", picture(0))
    (folder / "resources").symlink_to(ROOT / "resources")


def run(page: str, folder: Path) -> list[str]:
    """Run the commands of a page in a folder, one after the other; return what failed."""
    from tests.typed import typed  # noqa: PLC0415 - links need none

    prepare(folder)
    failed = []
    with chdir(folder):
        for command in commands(page):
            words = [found for word in command.words for found in (sorted(glob.glob(word)) or [word])]  # noqa: PTH207
            idle = len(words) < 2 or "|" in words or Path(words[1]).suffix or _WAITS & set(words)
            if words[0] != PROGRAM or command.reason or idle:
                continue
            # What one line of a page has made, the next may make again.
            result = typed(*words[1:])
            if re.search("exists? already|already exists", result.output):
                result = typed(*words[1:], "--overwrite")
            if result.exit_code and "`make web` makes it" not in result.output:
                failed.append(f"{command.place}: {' '.join(words)}: {result.output.strip()[-200:]}")
    python = folder / "python"
    prepare(python)
    with chdir(python):
        failed += _python(page)
    return failed


def _python(page: str) -> list[str]:
    """Run the blocks of Python of a page, which continue each other; return what failed."""
    import numpy as np  # noqa: PLC0415 - as above

    names: dict[str, Any] = {"np": np, "samples": np.random.default_rng(7).normal(size=(50, 6))}
    failed = []
    blocks = r"^(<!-- not run: .*? -->\n+)?```python\n(.*?)^```"
    for match in re.finditer(blocks, text_of(page), flags=re.MULTILINE | re.DOTALL):
        line = text_of(page)[: match.start(2)].count("\n")
        try:
            if not match[1] and not match[2].startswith(">>>"):  # those are tested with their answers
                exec(match[2], names)  # noqa: S102 - the project's own lines
        except ModuleNotFoundError as error:
            if error.name in {"h5py", "numpy", "PIL", "pcaimage"}:  # others are optional
                failed.append(f"{page}:{line}: {error}")
        except Exception as error:  # noqa: BLE001 - whatever it is, the page is wrong
            failed.append(f"{page}:{line}: {type(error).__name__}: {error}")
    return failed


def tables(page: str) -> Iterator[tuple[int, str, list[list[str]]]]:
    """Yield the tables of a page: their line, the comment before them, and their cells, row by row."""
    comment, rows, start = "", list[list[str]](), 0
    for number, line in enumerate([*text_of(page).splitlines(), ""], 1):
        if line.startswith("|"):
            start = start or number
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
            continue
        if rows:
            yield start, comment, [rows[0], *rows[2:]]
            comment, rows, start = "", [], 0
        found = _COMMENT.fullmatch(line)
        comment = f"{found[1]}: {found[2]}" if found else comment if not line.strip() else ""


def wrong_figures() -> list[str]:
    """Return the cells of tables that differ from the stored results that they name."""
    wrong, compared = [], 0
    for page in pages():
        for line, comment, rows in tables(page):
            kind, _, about = comment.partition(": ")
            if kind != "figures":
                continue
            name, *way = about.split()
            stored = json.loads((RESULTS / f"{name}.json").read_text("utf-8"))
            for row in rows[1:]:
                for title, cell in zip(rows[0][1:], row[1:], strict=True):
                    figure = stored["figures"]
                    for step in (*way, row[0], title):
                        figure = figure.get(step, {}) if isinstance(figure, dict) else {}
                    compared += figure != {}
                    if figure not in ({}, cell):
                        wrong.append(
                            f"{page}:{line}: {row[0]}, {title}: {cell}, but {name}.json has {figure}."
                        )
    return wrong if compared else ["No table is compared with a stored result."]


def unstored() -> list[str]:
    """Return the tables of benchmarks whose figures come from no stored result."""
    return [
        f"{page}:{line}: {' | '.join(rows[0])}"
        for page in pages()
        for line, comment, rows in tables(page)
        if not comment
        and sum(bool(re.search(r"\d (?:%|s|ms|MB|dB)", cell)) for row in rows for cell in row) > 2
    ]


def main() -> None:
    """Say what is wrong."""
    if "--unstored" in sys.argv[1:]:
        print("\n".join(unstored()))
        return
    wrong = broken_links() + spelling() + wrong_figures()
    if "--run" in sys.argv[1:]:
        import tempfile  # noqa: PLC0415 - seldom asked for

        sys.path.insert(0, str(ROOT))
        for page in pages():
            with tempfile.TemporaryDirectory() as folder:
                os.environ |= {"XDG_CONFIG_HOME": f"{folder}/settings", "XDG_DATA_HOME": f"{folder}/data"}
                wrong += run(page, Path(folder))
    print("\n".join(wrong) or "Links, commands and figures are right.")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
