"""The files that the project publishes contain nothing private."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
THIS = Path(__file__).resolve()

# Folders that exist on one machine only: a developer's home, the place of a checkout.
MACHINE_PATHS = (b"/work/", b"/root/", b"/home/", b"/Users/", b"C:\\Users")


def published_files():
    """Return the files that git tracks; in an unpacked archive, which git does not know, the sources."""
    listing = subprocess.run(  # an archive is as good a place for tests as a clone
        ["git", "ls-files", "-z"],  # noqa: S607
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    if listing.returncode == 0 and listing.stdout:
        paths = [ROOT / name for name in listing.stdout.split("\0") if name]
    else:
        paths = [*ROOT.joinpath("pcaimage").rglob("*.py"), *ROOT.joinpath("tests").rglob("*.py")]
    return [path for path in paths if path.is_file() and path != THIS]


def test_no_published_file_names_a_folder_of_somebodys_machine():
    offenders = [
        f"{path.relative_to(ROOT)}: {place.decode()}"
        for path in published_files()
        for place in MACHINE_PATHS
        if place in path.read_bytes()
    ]
    assert offenders == []


def test_every_text_file_ends_with_one_newline():
    endings = {".py", ".md", ".toml", ".svg", ".xml", ".sh", ".desktop"}
    offenders = [
        str(path.relative_to(ROOT))
        for path in published_files()
        if path.suffix in endings
        and path.stat().st_size
        and (not path.read_bytes().endswith(b"\n") or path.read_bytes().endswith(b"\n\n"))
    ]
    assert offenders == []
