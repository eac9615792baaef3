"""The plan of an export, the plans that an image allows, and the words about them. No Qt here."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, get_args

from pcaimage import api
from pcaimage.errors import PcaImageError
from pcaimage.gui.session.document import Document
from pcaimage.gui.session.resolve import LOSSY
from pcaimage.imaging.image.formats import ARRAY_FORMATS, FORMATS, GIF, VARIANTS, Format, obstacle
from pcaimage.imaging.writing.adapt import Adaptation, Resize, Strip, resize_obstacle, srgb_obstacle
from pcaimage.insight.formatting import file_size
from pcaimage.machine.folders import tables

PCAI = Format("PCAI", (api.SUFFIX,), deep=True, bands=True, title="pcaimage (.pcai)")
PAGE = Format("PAGE", (".html",), deep=True, bands=True, title="Web page")
"""The program's own format, and a web page with the compressed file and its decoder."""

ORDER = (
    *("JPEG", "JPEG-444", "WEBP", "WEBP-LOSSLESS", "AVIF", "AVIF-444", "JXL", "JXL-LOSSLESS", "PNG"),
    *("PNG-256", "GIF", "JPEG2000", "TIFF", "BMP", "ENVI", "OME-Zarr", "NPY", "NPZ", "PCAI", "PAGE"),
)
"""The formats in display order, by name: the smallest that most programs open come first."""

ResizeBy = Literal["off", "edge", "width", "percent"]
"""Ways to specify a size: not at all, by the longest edge, the width, or a percentage of both."""

_QUALITIES = {"JPEG": 85, "JPEG-444": 85, "WEBP": 85, "AVIF": 75, "AVIF-444": 75, "JXL": 85}
"""Initial qualities, at which photographs look like the original; other formats are written without loss."""
_TRIED = (*_QUALITIES, "WEBP-LOSSLESS", "JXL-LOSSLESS", "PNG", "PNG-256")
"""The formats that are compared side by side."""
QUALITIES = (1, 100)  # the lowest and the highest quality that the sheet offers
_LOSSLESS = frozenset({"PNG", "TIFF", "BMP"})
RESIZES = (("Keep the size", "off"), ("Longest edge", "edge"), ("Width", "width"), ("Per cent", "percent"))
COLOURS = (("Keep the profile", False), ("Convert to sRGB", True))
METADATA = (("Keep all", "nothing"), ("Remove the location", "place"), ("Remove all", "all"))
"""The choices of the sheet, each with its value in a plan."""

Shown = Literal["original", "reconstruction"]  # the picture that is exported
Equal = Literal["size", "score"]  # the property that files in several formats share

SourceKind = Literal["animation", "measured", "deep", "transparent", "photograph", "picture"]


@dataclass(frozen=True)
class ExportPlan:
    """The plan of an export.

    `qualities` are, by format name, those that the user chose in place of the default.
    """

    format: str = "JPEG"
    qualities: tuple[tuple[str, int], ...] = ()
    resize_by: ResizeBy = "off"
    length: int = 1920  # the longest edge or the width in pixels
    percent: int = 50
    srgb: bool = False
    strip: Strip = "nothing"
    picture: Shown = "original"

    @property
    def target(self) -> Format:
        """The format."""
        return format_called(self.format)

    @property
    def quality(self) -> int | None:
        """The quality of the format; None for a lossless one."""
        return dict(self.qualities).get(self.format, _QUALITIES.get(self.format))

    @property
    def own(self) -> bool:
        """Whether the compressed file is written, which has neither another size nor other colours."""
        return self.target in (PCAI, PAGE)

    def taking(self, name: str, quality: int | None) -> ExportPlan:
        """Return the plan with another format at a quality; None for a lossless one."""
        plan = replace(self, format=name)
        return plan if quality is None else plan.with_quality(quality)

    def with_quality(self, quality: int) -> ExportPlan:
        """Return the plan with another quality of its format."""
        return replace(self, qualities=tuple(sorted((dict(self.qualities) | {self.format: quality}).items())))

    @property
    def resize(self) -> Resize:
        """The target size."""
        match self.resize_by:
            case "edge":
                return Resize(self.length, self.length)
            case "width":
                return Resize(self.length)
            case "percent":
                return Resize(percent=self.percent)
        return Resize()

    def adaptation(self, document: Document) -> Adaptation:
        """Return the changes to an image of a document before it is written.

        If a format stores no colour profile, colours are converted to sRGB, as they would otherwise be wrong.
        """
        if self.own:
            return Adaptation(strip=self.strip)
        convertible = srgb_reason(document) is None
        srgb = convertible and (self.srgb or not self.target.profile)
        return Adaptation(self.resize if resize_reason(document) is None else Resize(), srgb, self.strip)

    def to_text(self) -> str:
        """Return the plan as text to be remembered."""
        return json.dumps(asdict(self))

    @classmethod
    def from_text(cls, text: str) -> ExportPlan | None:
        """Return a remembered plan; None if the text is not a plan."""
        try:
            found: dict[str, Any] = json.loads(text)
            qualities = tuple((str(name), int(quality)) for name, quality in found["qualities"])
            length, percent = int(found["length"]), int(found["percent"])
            Resize(length, length, percent)  # numbers out of range raise
            plan = cls(**{**found, "qualities": qualities, "length": length, "percent": percent})
        except (ValueError, TypeError, KeyError, PcaImageError):
            return None
        known = all(name in _QUALITIES and 1 <= quality <= 100 for name, quality in qualities)
        known &= plan.format in ORDER and plan.srgb in (True, False) and plan.strip in get_args(Strip)
        known &= plan.resize_by in get_args(ResizeBy) and plan.picture in get_args(Shown)
        return plan if known else None


@dataclass(frozen=True)
class Offer:
    """A format with the reason why it is not possible; empty if it is."""

    format: Format
    reason: str = ""


def format_called(name: str) -> Format:
    """Return a format by its name."""
    return next(each for each in (*FORMATS, *VARIANTS, *ARRAY_FORMATS, GIF, PCAI, PAGE) if each.name == name)


def offers(document: Document) -> list[Offer]:
    """Return all formats in display order, those that cannot hold the document with the reason.

    GIF is among them for animations only.
    """
    formats = [format_called(name) for name in ORDER if name != GIF.name or document.timing is not None]
    return [Offer(each, _reason(each, document)) for each in formats]


def _reason(target: Format, document: Document) -> str:
    if target in (PCAI, PAGE):
        return ""
    alpha, timed = document.opacity(0) is not None, document.timing is not None
    sentence = obstacle(target, document.shape, document.dtype, alpha=alpha, timed=timed) or ""
    return sentence.split(";")[0].rstrip(".").removeprefix(f"{target.name} ")


def comparable(document: Document) -> list[Format]:
    """Return the formats that can hold a document, and can be tried side by side."""
    if document.is_stack or document.shape[-1] not in {1, 3} or document.dtype.name != "uint8":
        return []
    return [each.format for each in offers(document) if each.format.name in _TRIED and not each.reason]


def kind_of(document: Document) -> SourceKind:
    """Return the kind of a source, for which a plan is remembered."""
    if document.timing is not None and not document.deep:
        return "animation"
    if document.is_stack or document.shape[-1] not in {1, 3} or document.dtype.kind != "u":
        return "measured"
    if document.deep:
        return "deep"
    if document.opacity(0) is not None:
        return "transparent"
    return "photograph" if document.format in LOSSY else "picture"


_FIRST: dict[SourceKind, str] = tables("files.json")["first choices"]
"""A small format that other programs open everywhere, by kind of source, until several were tried."""


def proposed(document: Document, remembered: ExportPlan | None, *, learning: bool = False) -> ExportPlan:
    """Return the plan that the sheet opens with: the last one of that kind of source, if it is possible.

    A photograph that was stored with loss is never proposed as a lossless file, which would be larger. Who is
    `learning` looks at the reconstruction, and gets it where pixels are kept.
    """
    kind, possible = kind_of(document), {each.format.name for each in offers(document) if not each.reason}
    plan = remembered or ExportPlan(_FIRST[kind])
    if plan.format not in possible or (kind == "photograph" and plan.format in _LOSSLESS):
        plan = replace(plan, format=_FIRST[kind] if _FIRST[kind] in possible else "TIFF")
    if plan.format not in possible:
        plan = replace(plan, format=next(name for name in ("NPY", "PCAI") if name in possible))
    if learning and plan.format in ("PNG", "TIFF"):
        return replace(plan, picture="reconstruction")
    return plan


def dragged(document: Document, remembered: ExportPlan | None = None) -> ExportPlan:
    """Return the plan of a reconstruction that leaves the window without the sheet.

    It is the last one of that kind of source; a photograph that was stored with loss is never made a lossless
    file, which would be larger, and anything else becomes one if nothing was chosen.
    """
    plan = proposed(document, remembered)
    if plan.own:
        plan = proposed(document, None)
    if plan.own or not (remembered is not None or kind_of(document) == "photograph"):
        possible = [each.format.name for each in offers(document) if not each.reason]
        plan = ExportPlan(next(name for name in ("PNG", "TIFF", "NPY", "PCAI") if name in possible))
    return replace(plan, picture="reconstruction")


def resize_reason(document: Document) -> str | None:
    """Return why a document is not resized; None if it can be."""
    return resize_obstacle(document.shape, document.dtype)


def srgb_reason(document: Document) -> str | None:
    """Return why a document's colours are not converted to sRGB; None if they can be."""
    return srgb_obstacle(document.shape, document.dtype, document.icc_profile)


def other_ending(name: str, target: Format) -> str | None:
    """Return a sentence if the ending of a file's name belongs to another format; None if it fits."""
    suffixes: Sequence[str] = target.suffixes
    if name.lower().endswith(tuple(suffixes)):
        return None
    return f"{name} has another format's ending; names of {target.title} files end in {suffixes[0]}."


def saving(n_bytes: int, original: int | None) -> str:
    """Format how much smaller or larger a file is, such as ``31 % smaller than the original``."""
    if not original:
        return ""
    change = 100 * (n_bytes - original) / original
    if abs(change) < 0.5:
        return "as large as the original"
    if change >= 100:
        return f"{n_bytes / original:.1f} times as large as the original"
    if change <= -99.5:
        return "more than 99\u00a0% smaller than the original"
    return f"{abs(change):.0f}\u00a0% {'smaller' if change < 0 else 'larger'} than the original"


def size_words(n_bytes: int, original: int | None, *, exact: bool) -> tuple[str, str]:
    """Return the size, with ≈ if it is an estimate, and how it compares with the original."""
    return ("" if exact else "≈\u00a0") + file_size(n_bytes), saving(n_bytes, original)


def exported(name: str, n_bytes: int, original: int | None) -> str:
    """Return the notice about a file that was written."""
    compared = saving(n_bytes, original)
    return f"Exported {name}: {file_size(n_bytes)}" + (f", {compared}." if compared else ".")
