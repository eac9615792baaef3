"""Makes the pages of the site that come from the program itself, and points at files beside docs/ by name."""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[1]
DIAGRAMS, SEARCH = "viewer/mermaid.min.js", "viewer/iframe-worker.js"
SCRIPTS = {DIAGRAMS: ("mermaid@11", "dist/mermaid.min.js"), SEARCH: ("iframe-worker@1", "shim/index.js")}


LIVE = """# A picture, live

This is a `.pcai` file, decoded here by your browser. The slider adds components, *Compare* shows fewer on the
left; wheel, two fingers and a double click zoom. [Pages for any browser](pages.md) tells how it is made.

<iframe src="viewer/photo.html" title="A photograph and its components" loading="lazy" class="live"></iframe>

[The picture by itself](viewer/photo.html){ target=_blank }, [its file](viewer/photo.pcai), and
[the viewer for any file](viewer/index.html){ target=_blank }, which no file leaves your machine for.
"""


def on_files(files: Any, config: Any, **_: Any) -> Any:
    """Add the pages of all commands, of the names of the library, and of what `make viewer` made."""
    sys.path.insert(0, str(ROOT))
    for name, text in (("commands.md", commands()), ("api.md", library()), ("live.md", LIVE)):
        files.append(File.generated(config, name, content=text))
    for name, (package, member) in SCRIPTS.items():
        files.append(File.generated(config, name, content=brought(package, member)))
    return files


def brought(package: str, member: str) -> bytes:
    """Return a script of a package, so that no page asks another host for it; npm brings it once."""
    folder = ROOT / "build" / "npm-of-site" / package
    kept = folder / "script.js"
    if not kept.exists():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "pack", "--silent", package], cwd=folder, check=True, capture_output=True)
        (archive,) = folder.glob("*.tgz")
        with tarfile.open(archive) as packed:
            script = packed.extractfile(f"package/{member}")
            kept.write_bytes(script.read() if script else b"")
        archive.unlink()
    return kept.read_bytes()


def on_post_page(output: str, **_: Any) -> str:
    """Load what searches where there is no server from here, too."""
    return output.replace("https://unpkg.com/iframe-worker/shim", SEARCH)


def on_page_content(html: str, **_: Any) -> str:
    """Load the script for diagrams in pages that have some."""
    return html + f'<script src="{DIAGRAMS}"></script>' if 'class="mermaid"' in html else html


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Name files that are beside docs/, and not in the site, rather than link to them."""
    named = re.sub(r"\[([^\]]+)\]\(\.\./[^)]*\)", r"\1", markdown)
    # Entries such as w[0][1] are no links to names of the library.
    return re.sub(
        r"(```.*?```|`[^`\n]*`|^    .*?$)|\]\[",
        lambda m: m[1] or r"]\[",
        named,
        flags=re.DOTALL | re.MULTILINE,
    )


def commands() -> str:
    """Return the help of all commands as a page."""
    from pcaimage.cli import commands as declared  # noqa: PLC0415 - found in this folder
    from pcaimage.cli import program  # noqa: PLC0415

    os.environ["COLUMNS"] = "96"
    parts = ["# Commands\n\nAs the program prints it; [the command line](cli.md) says more.\n"]
    for words in ([], *([each.__name__] for each in declared.ALL)):
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.suppress(SystemExit):
            program.command_of([*words, "--help"])
        parts.append(f"## {' '.join(['pcaimage', *words])}\n\n```text\n{out.getvalue().rstrip()}\n```\n")
    return "\n".join(parts)


def library() -> str:
    """Return the page of what the library publishes, each name where it is defined."""
    import pcaimage  # noqa: PLC0415 - found in this folder

    text = "# The library, by name\n\nWhat `import pcaimage` publishes; [by example](library.md) says more.\n"
    for package, names in pcaimage._WHERE.items():  # noqa: SLF001 - it is the list of them
        sources = sorted((ROOT / "pcaimage").glob(f"{package}*/**/*.py")) or [
            ROOT / "pcaimage" / f"{package}.py"
        ]
        for name in names:
            defined = re.compile(rf"^(?:def|class) {'open_file' if name == 'open' else name}\b", re.MULTILINE)
            source = next(path for path in sources if defined.search(path.read_text("utf-8")))
            module = ".".join(source.relative_to(ROOT).with_suffix("").parts)
            text += f"\n::: {module}.{'open_file' if name == 'open' else name}\n"
            text += "    options:\n      heading: open\n" if name == "open" else ""
    return text
