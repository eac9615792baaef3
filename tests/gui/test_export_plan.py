"""The plan of an export: what is proposed, offered and remembered."""

import math

import numpy as np
import pytest

from pcaimage.gui.export.plan import (
    PCAI,
    ExportPlan,
    comparable,
    dragged,
    exported,
    format_called,
    kind_of,
    offers,
    other_ending,
    proposed,
    resize_reason,
    saving,
    size_words,
    srgb_reason,
)
from pcaimage.gui.export.sheet import row_words
from pcaimage.gui.session.document import Document
from pcaimage.imaging import Alternative, Image
from pcaimage.insight.formatting import file_size


def document(*shape, dtype=np.uint8, alpha=False, of="PNG"):
    opacity = np.zeros(shape[:-1], dtype) if alpha else None
    return Document("holiday", image=Image(np.zeros(shape, dtype), alpha=opacity, format=of))


JPEG = document(8, 8, 3, of="JPEG")
PNG = document(8, 8, 3)
CLEAR = document(8, 8, 3, alpha=True)
DEEP = document(8, 8, 3, dtype=np.uint16)
CUBE = document(8, 8, 9, dtype=np.int16)
STACK = document(5, 8, 8, 1)


@pytest.mark.parametrize(
    ("source", "kind", "first"),
    [
        (JPEG, "photograph", "JPEG"),
        (PNG, "picture", "JPEG"),
        (CLEAR, "transparent", "WEBP-LOSSLESS"),
        (DEEP, "deep", "PNG"),
        (CUBE, "measured", "TIFF"),
        (STACK, "measured", "TIFF"),
    ],
)
def test_the_smallest_that_others_open_comes_first(source, kind, first):
    assert kind_of(source) == kind
    assert proposed(source, None).format == first


def test_what_was_chosen_is_proposed_again_if_it_is_possible_but_never_a_jpeg_as_a_lossless_file():
    last = ExportPlan("WEBP", resize_by="edge", length=800, strip="place").with_quality(70)
    assert proposed(JPEG, last) == last
    huge = proposed(document(1, 20_000, 3, of="JPEG"), last)
    assert (huge.format, huge.length) == ("JPEG", 800)
    for lossless in ("PNG", "TIFF", "BMP"):
        assert proposed(JPEG, ExportPlan(lossless)).format == "JPEG"
        assert proposed(PNG, ExportPlan(lossless)).format == lossless
    # Who learns gets the reconstruction where pixels are kept.
    assert proposed(JPEG, None, learning=True).picture == "original"
    assert proposed(PNG, ExportPlan("PNG"), learning=True).picture == "reconstruction"
    assert proposed(PNG, ExportPlan("PNG")).picture == "original"


def test_impossible_formats_are_offered_with_the_reason():
    reasons = {each.format.name: each.reason for each in offers(CLEAR)}
    assert reasons["JPEG"] == "cannot hold transparency"
    assert reasons["PNG"] == reasons["PCAI"] == ""
    deep = {each.format.name: each.reason for each in offers(DEEP)}
    assert deep["WEBP"] == "cannot hold 16 bits a channel"
    possible = [each.format.name for each in offers(CUBE) if not each.reason]
    assert possible == ["TIFF", "ENVI", "OME-Zarr", "NPY", "NPZ", "PCAI", "PAGE"]


def test_a_plan_is_remembered_as_text():
    plan = ExportPlan("AVIF", resize_by="percent", percent=30, srgb=True, strip="all").with_quality(44)
    assert ExportPlan.from_text(plan.to_text()) == plan


WRONG = {"length": 0, "resize_by": "edge"}, {"percent": 900, "resize_by": "percent"}, {"strip": "some"}
WRONG += {"qualities": (("JPEG", 1000),)}, {"qualities": (("GIF", 10),)}
OTHER = ("format", "shape"), ("1920", '"wide"'), ("50", '"half"')
TEXTS = [*(ExportPlan(**each) for each in WRONG), ExportPlan("PSD")]


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", *(e.to_text() for e in TEXTS), *(ExportPlan().to_text().replace(*o) for o in OTHER)],
)
def test_text_that_is_no_plan_is_ignored(text):
    assert ExportPlan.from_text(text) is None


def test_what_cannot_be_done_has_a_reason():
    assert resize_reason(JPEG) is None
    assert "bands" in resize_reason(CUBE)
    assert "stack" in resize_reason(STACK)
    assert "no colour profile" in srgb_reason(JPEG)
    assert ExportPlan("TIFF", resize_by="edge", length=2, srgb=True).adaptation(CUBE).resize.width is None
    target = ExportPlan("JPEG").target
    assert other_ending("a.JPEG", target) is None
    assert "end in .jpg" in other_ending("a.webp", target)


@pytest.mark.parametrize(
    ("n_bytes", "original", "words"),
    [
        (69, 100, "31\u00a0% smaller than the original"),
        (150, 100, "50\u00a0% larger than the original"),
        (450, 100, "4.5 times as large as the original"),
        (1000, 1002, "as large as the original"),
        (1, 1000, "more than 99\u00a0% smaller than the original"),
        (5, None, ""),
    ],
)
def test_the_saving_is_said_in_words(n_bytes, original, words):
    assert saving(n_bytes, original) == words
    notice = exported("holiday.jpg", n_bytes, original)
    assert notice == f"Exported holiday.jpg: {file_size(n_bytes)}{', ' * bool(words)}{words}."
    assert size_words(2_000, None, exact=False)[0].startswith("≈")


def test_formats_for_pictures_are_tried_side_by_side():
    assert {"JPEG", "WEBP-LOSSLESS", "AVIF-444", "PNG"} <= {each.name for each in comparable(JPEG)}
    assert "JPEG" not in {each.name for each in comparable(CLEAR)}
    assert not {"BMP", "TIFF", "PCAI"} & {each.name for each in comparable(PNG)}
    assert comparable(DEEP) == comparable(CUBE) == comparable(STACK) == []


def test_the_words_of_a_row_mark_estimates():
    row = Alternative(format_called("AVIF-444"), 62, 12_300, 41.98, 83.4, exact=False)
    shown = ("AVIF 4:4:4", "62", "≈\u00a012.3\u00a0KB", "≈\u00a041.98\u00a0dB", "83\u00a0%")
    assert row_words(row) == shown
    own = Alternative(PCAI, None, 12_300, math.inf, 100.0, exact=True)
    assert row_words(own) == ("pcaimage (.pcai)", "–", "12.3\u00a0KB", "lossless", "as the original")


def test_what_is_dragged_has_the_last_format_but_a_jpeg_is_never_made_a_png():
    assert dragged(PNG).format == dragged(CLEAR).format == "PNG"
    assert dragged(PNG, ExportPlan("WEBP")).format == "WEBP"
    assert dragged(JPEG).format == "JPEG"
    assert dragged(JPEG).picture == "reconstruction"
    for remembered in (ExportPlan("PNG"), ExportPlan("PCAI")):
        plan = dragged(JPEG, remembered)
        assert plan.format == "JPEG"
    assert dragged(CUBE).format == "TIFF"
