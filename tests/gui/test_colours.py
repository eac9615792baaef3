import pytest

from pcaimage.gui.colours import DARK, LIGHT, colours_for, contrast, luminance, mixed

TEXT_AND_GROUND = [
    ("text", "window"),
    ("text", "base"),
    ("text", "button"),
    ("muted", "window"),
    ("muted", "base"),
    ("accent", "window"),
    ("accent", "base"),
    ("accent_text", "accent"),
    ("text", "accent_soft"),
    ("canvas_text", "canvas"),
    ("strip_text", "strip"),
    ("curve", "base"),
    ("warning", "window"),
    ("warning", "warning_soft"),
    ("error", "window"),
    ("error", "error_soft"),
    ("text", "warning_soft"),
    ("text", "error_soft"),
]


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(("text", "ground"), TEXT_AND_GROUND)
def test_text_stands_out_from_what_it_lies_on(colours, text, ground):
    assert contrast(getattr(colours, text), getattr(colours, ground)) >= 4.5


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("ground", ["window", "base"])
def test_outlines_of_fields_stand_out(colours, ground):
    assert contrast(colours.edge, getattr(colours, ground)) >= 3.0


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("image", ["#000000", "#808080", "#ffffff"])
@pytest.mark.parametrize("text", ["strip_text", "accent"])
def test_a_caption_is_readable_over_any_image(colours, image, text):
    seen = mixed(colours.strip, image, colours.strip_alpha)
    assert contrast(getattr(colours, text), seen) >= (4.5 if text == "strip_text" else 3.0)


def test_contrast_is_that_of_wcag():
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.005)
    assert luminance("#ffffff") == pytest.approx(1.0)


def test_a_dark_window_takes_the_dark_scheme():
    assert colours_for("#202020") is DARK
    assert colours_for("#f0f0f0") is LIGHT
