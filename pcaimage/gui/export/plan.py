"""The plan of an export, and the plans that an image allows. No Qt here."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, get_args

from pcaimage import api
from pcaimage.errors import PcaImageError
from pcaimage.gui.session.document import Document
from pcaimage.imaging.image.formats import ARRAY_FORMATS, FORMATS, GIF, Format, obstacle
from pcaimage.imaging.writing.adapt import Adaptation, Resize, Strip

PCAI = Format("PCAI", (api.SUFFIX,), deep=True, bands=True)
"""The program's own format."""

ORDER = ("JPEG", "WEBP", "AVIF", "JXL", "PNG", "GIF", "JPEG2000", "TIFF", "BMP", "ENVI", "NPY", "NPZ", "PCAI")
"""The formats in display order, by name: the smallest that most programs open come first."""

ResizeBy = Literal["off", "edge", "width", "percent"]
"""Ways to specify a size: not at all, by the longest edge, the width, or a percentage of both."""

_QUALITIES = {"JPEG": 85, "WEBP": 80, "AVIF": 65, "JXL": 85, "JPEG2000": 42}
"""Initial qualities, at which photographs look like the original; for JPEG 2000 in decibels."""
_LOWEST = {"JPEG2000": 20}
_HIGHEST = {"JPEG2000": 70}
_LOSSY = frozenset({"JPEG", "MPO", "WEBP", "AVIF", "HEIF", "JXL"})
"""Lossy source formats, whose pictures would become larger as PNG."""
_LOSSLESS = frozenset({"PNG", "TIFF", "BMP"})

Equal = Literal["size", "psnr"]
"""The property that files in several formats share."""

SourceKind = Literal["animation", "measured", "deep", "transparent", "photograph", "picture"]


@dataclass(frozen=True)
class ExportPlan:
    """The plan of an export.

    `qualities` are, by format name, those that the user chose in place of the default.
    """

    format: str = "JPEG"
    qualities: tuple[tuple[str, int], ...] = ()
    resize_by: ResizeBy = "off"
    length: int = 1920
    """The longest edge or the width in pixels."""
    percent: int = 50
    srgb: bool = False
    strip: Strip = "nothing"

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
        """Whether the compressed file itself is written, which has neither another size nor other colours."""
        return self.format == PCAI.name

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
        resizable, convertible = resize_reason(document) is None, srgb_reason(document) is None
        srgb = convertible and (self.srgb or not self.target.profile)
        return Adaptation(self.resize if resizable else Resize(), srgb, self.strip)

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
            for name, quality in qualities:
                lowest, highest = quality_range(format_called(name))
                if not (name in _QUALITIES and lowest <= quality <= highest):
                    return None
        except (ValueError, TypeError, KeyError, StopIteration, PcaImageError):
            return None
        known = plan.resize_by in get_args(ResizeBy) and plan.strip in get_args(Strip)
        return plan if known and plan.format in ORDER and plan.srgb in (True, False) else None


@dataclass(frozen=True)
class Offer:
    """A format with the reason why it is not possible; empty if it is."""

    format: Format
    reason: str = ""


def format_called(name: str) -> Format:
    """Return a format by its name."""
    if name == "JXL":  # including formats that cannot be written
        return next((each for each in FORMATS if each.name == "JXL"), Format("JXL", (".jxl",)))
    return next(each for each in (*FORMATS, *ARRAY_FORMATS, GIF, PCAI) if each.name == name)


def quality_range(target: Format) -> tuple[int, int]:
    """Return the lowest and the highest quality that the sheet offers for a format."""
    return _LOWEST.get(target.name, 1), _HIGHEST.get(target.name, 100)


def offers(document: Document) -> list[Offer]:
    """Return all formats in display order, those that cannot hold the document with the reason.

    GIF is among them for animations only.
    """
    known = {each.name for each in (*FORMATS, *ARRAY_FORMATS, PCAI)}
    known |= {GIF.name} if document.timing is not None else set()
    formats = [format_called(name) for name in ORDER if name in known]
    return [Offer(each, _reason(each, document)) for each in formats]


def _reason(target: Format, document: Document) -> str:
    if target is PCAI:
        return ""
    alpha, timed = document.opacity(0) is not None, document.timing is not None
    sentence = obstacle(target, document.shape, document.dtype, alpha=alpha, timed=timed) or ""
    return sentence.split(";")[0].rstrip(".").removeprefix(f"{target.name} ")


def comparable(document: Document) -> list[Format]:
    """Return the formats with qualities that can hold a document, and can be tried side by side."""
    if document.is_stack or document.shape[-1] not in {1, 3} or document.dtype.name != "uint8":
        return []
    return [each.format for each in offers(document) if each.format.name in _QUALITIES and not each.reason]


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
    return "photograph" if document.format in _LOSSY else "picture"


_FIRST: dict[SourceKind, str] = {
    "animation": "WEBP",
    "measured": "TIFF",
    "deep": "PNG",
    "transparent": "WEBP",
    "photograph": "JPEG",
    "picture": "JPEG",
}
"""The smallest format that other programs open everywhere, by kind of source."""


def proposed(document: Document, remembered: ExportPlan | None) -> ExportPlan:
    """Return the plan that the sheet opens with: the last one of that kind of source, if it is possible.

    A photograph that was stored with loss is never proposed as a lossless file, which would be larger.
    """
    kind, possible = kind_of(document), {each.format.name for each in offers(document) if not each.reason}
    plan = remembered or ExportPlan(_FIRST[kind])
    if plan.format not in possible or (kind == "photograph" and plan.format in _LOSSLESS):
        plan = replace(plan, format=_FIRST[kind] if _FIRST[kind] in possible else "TIFF")
    if plan.format not in possible:
        plan = replace(plan, format=next(name for name in ("NPY", "PCAI") if name in possible))
    return plan


def dragged(document: Document, remembered: ExportPlan | None) -> ExportPlan | None:
    """Return the plan of a file that leaves the window without the sheet; None for a lossless format.

    It is the last one of that kind of source; a photograph that was stored with loss is never made a lossless
    file, which would be larger.
    """
    plan = proposed(document, remembered)
    if plan.own:
        plan = proposed(document, None)
    wanted = remembered is not None or kind_of(document) == "photograph"
    return plan if wanted and not plan.own else None


def resize_reason(document: Document) -> str | None:
    """Return why a document is not resized; None if it can be."""
    if document.is_stack:
        return "A stack of images is not resized."
    if document.shape[-1] not in {1, 3} or document.dtype.kind != "u":
        return "Only grey and colour pictures are resized, not measured bands."
    return None


_SPACES = {b"RGB ": 3, b"GRAY": 1}


def srgb_reason(document: Document) -> str | None:
    """Return why a document's colours are not converted to sRGB; None if they can be."""
    profile = document.icc_profile
    if not profile:
        return "The image has no colour profile; it counts as sRGB."
    if document.is_stack or document.deep or document.dtype.kind != "u":
        return "Colours of 8 bits a channel are converted; others keep their profile."
    if _SPACES.get(profile[16:20]) != document.shape[-1]:
        return "The colour profile does not fit the channels of the image."
    return None


def other_ending(name: str, target: Format) -> str | None:
    """Return a sentence if the ending of a file's name belongs to another format; None if it fits."""
    suffixes: Sequence[str] = target.suffixes
    if name.lower().endswith(tuple(suffixes)):
        return None
    return f"{name} has another format's ending; the name of a {target.title} file ends in {suffixes[0]}."
