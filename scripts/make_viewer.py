"""Makes the viewer, ``docs/viewer/index.html``: one page that opens any ``.pcai`` file.

The decoder in it is that which ``make web`` made.
"""

from __future__ import annotations

import sys

from compile_core import ROOT
from make_lib import TABLES

sys.path.insert(0, str(ROOT))

from pcaimage.api.pages import assembled, decoder, packed, script_of
from pcaimage.codec.photo.tables import parsed
from pcaimage.errors import PcaImageError

TO = ROOT / "docs" / "viewer" / "index.html"


def viewer() -> str:
    """Return the page."""
    tables = {
        path.stem: packed(parsed(path.read_bytes())) for path in sorted(TABLES.glob("*.tables"), reverse=True)
    }
    blocks = {"decoder": decoder(), "worker": script_of("worker").encode(), **tables}
    return assembled("viewer", "pcaimage viewer", blocks, connect="'self'")


def main() -> None:
    """Write the page."""
    try:
        page = viewer()
    except PcaImageError as error:
        sys.exit(str(error))
    TO.parent.mkdir(exist_ok=True)
    TO.write_text(page, "utf-8")
    print(f"{TO.relative_to(ROOT)}: {len(page):,} bytes")


if __name__ == "__main__":
    main()
