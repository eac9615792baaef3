import io

import numpy as np
import pytest
from PIL import Image as PillowImage

from pcaimage.errors import ImageError, ImageTooLargeError
from pcaimage.imaging import Image, Limits, encode_image, read_stack, write_image


@pytest.fixture
def folder(tmp_path, noise):
    for number in (10, 2, 1):
        write_image(tmp_path / f"frame{number}.png", Image(noise(5, 6, 3, seed=number)))
    (tmp_path / "notes.txt").write_text("not an image")
    (tmp_path / ".hidden.png").write_bytes(b"")
    return tmp_path


def test_a_folder_is_read_in_natural_order_and_a_list_in_its_own(folder, noise):
    stack = read_stack(folder)
    np.testing.assert_array_equal(stack.pixels, [noise(5, 6, 3, seed=number) for number in (1, 2, 10)])
    assert (stack.name, stack.file_size) == (folder.name, None)
    stack = read_stack([folder / "frame10.png", str(folder / "frame1.png")])
    np.testing.assert_array_equal(stack.pixels, [noise(5, 6, 3, seed=number) for number in (10, 1)])
    assert stack.name == "frame10.png"


@pytest.mark.parametrize(
    ("odd", "difference"),
    [
        (np.zeros((5, 7, 3), np.uint8), "7 x 5 pixels with 3 channels of 8 bits"),
        (np.zeros((5, 6, 1), np.uint8), "6 x 5 pixels with 1 channel of 8 bits"),
        (np.zeros((5, 6, 3), np.uint16), "6 x 5 pixels with 3 channels of 16 bits"),
    ],
)
def test_the_odd_one_is_named(folder, odd, difference):
    write_image(folder / "frame3.png", Image(odd))
    with pytest.raises(ImageError, match=f"frame3.png is {difference}, and frame1.png is 6 x 5"):
        read_stack(folder)


def test_the_damaged_one_is_named(folder):
    (folder / "frame2.png").write_bytes((folder / "frame2.png").read_bytes()[:50])
    with pytest.raises(ImageError, match=r"frame2\.png is damaged"):
        read_stack(folder)


def test_images_without_alpha_count_as_opaque(noise):
    alpha = noise(5, 6)
    plain, clear = Image(noise(5, 6, 3)), Image(noise(5, 6, 3), alpha)
    for order in ([plain, clear], [clear, plain]):
        stack = read_stack([encode_image(image, "PNG") for image in order])
        expected = [np.full((5, 6), 255) if image is plain else alpha for image in order]
        np.testing.assert_array_equal(stack.alpha, expected)


def test_limits_hold_for_all_images_together(folder):
    read_stack(folder, Limits(max_bytes=270))
    with pytest.raises(ImageTooLargeError, match="x 3 images"):
        read_stack(folder, Limits(max_bytes=269))


def test_nothing_is_no_stack_nor_a_folder_that_may_not_be_read(tmp_path, monkeypatch):
    with pytest.raises(ImageError, match="at least one"):
        read_stack([])
    with pytest.raises(ImageError, match="has no images in it"):
        read_stack(tmp_path)

    def refuse(_):
        raise PermissionError

    monkeypatch.setattr("pathlib.Path.iterdir", refuse)
    with pytest.raises(ImageError, match="may not be read"):
        read_stack(tmp_path)


@pytest.mark.parametrize(
    ("height", "cut", "message"),
    [(9, None, r"page 2 is 90 x 9 .* page 1 is 90 x 80"), (80, -7000, "damaged")],
)
def test_an_odd_or_damaged_page_is_an_image_error(noise, height, cut, message):
    buffer, pages = io.BytesIO(), [PillowImage.fromarray(noise(side, 90)) for side in (80, height)]
    pages[0].save(buffer, "TIFF", save_all=True, append_images=pages[1:])
    with pytest.raises(ImageError, match=message):
        read_stack(buffer.getvalue()[:cut])
