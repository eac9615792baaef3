"""``pcaimage page``: a web page that shows a compressed image."""

from __future__ import annotations

from pcaimage.api.pages import SUFFIX, save_page
from pcaimage.cli import files
from pcaimage.cli.commands import PageCommand
from pcaimage.cli.formatting import size_text
from pcaimage.cli.terminal import progress_bar, say
from pcaimage.language import spoken


def page(given: PageCommand) -> None:
    """Write a page that holds a compressed image and its decoder."""
    limits, aside = files.limits_of(given.limit), given.target == files.STANDARD
    with (
        files.target_file(given.target, SUFFIX, overwrite=given.overwrite) as written,
        files.source_file(given.source, compressed=True, limits=limits) as path,
    ):
        files.check_output(written, overwrite=given.overwrite, suffix=SUFFIX, what="web pages")
        with files.naming(path), progress_bar(f"Preparing {path.name}") as progress, spoken():
            save_page(
                path, written, model=given.model, limits=limits, overwrite=given.overwrite, progress=progress
            )
        size, original = written.stat().st_size, path.stat().st_size
        name = written.stem if aside else given.target.name
        say(f"{name}: {size_text(size)}, with the image of {size_text(original)}", aside=aside)
