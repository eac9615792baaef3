"""The library: arrays and images to bytes and files, and back."""

import base64
import hashlib
import inspect
import io
import json
import re
import subprocess
import sys
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import pcaimage
from pcaimage import Bands, Blocks, Channels, Image, Metadata, Settings, Stack, api, container, errors
from pcaimage.api import pages
from pcaimage.codec.linear import coding
from pcaimage.codec.photo import pruning
from pcaimage.codec.photo.tables import Tables, flat
from pcaimage.errors import ImageError, ModelError
from pcaimage.imaging import Limits
from pcaimage.language import spoken
from pcaimage.sampling import Lapped
from pcaimage.varint import write_varint
from tests.flat import logo
from tests.typed import typed
from tests.unit.container.files import assembled


@pytest.fixture(scope="module")
def picture():
    rows, columns, bands = np.indices((40, 50, 3))
    noise = np.random.default_rng(0).integers(0, 12, rows.shape)
    return ((rows * 3 + columns * 2 + bands * 20 + noise) % 256).astype(np.uint8)


@pytest.fixture(scope="module")
def image(picture):
    return Image(
        pixels=picture,
        alpha=picture[..., 0] // 64 * 85,
        icc_profile=b"profile",
        exif=b"MM\0*exif",
        name="beach.png",
        format="PNG",
        file_size=1234,
    )


def test_arrays_come_back_in_their_shape_and_type(picture):
    stack = np.stack([picture, picture[::-1], picture // 2, 255 - picture])
    cases = [
        (picture, Settings(step=0.4)),
        (picture, Settings(Blocks(8), k=35, step=0.5)),
        (picture[..., 0], Settings(Blocks(4), k=16, step=0.5)),
        (picture.astype(np.uint16) * 257, Settings(Channels(), k=3, step=0.5)),
        (stack, Settings(Stack(), k=4, step=0.5)),
        (stack[..., 0], Settings(Stack(), k=4, step=0.5)),
        (np.asfortranarray(picture), Settings(Channels(), k=3, step=0.5)),
        (picture[::2, ::-1], Settings(Channels(), k=3, step=0.5)),
    ]
    for array, settings in cases:
        decoded = pcaimage.decode(pcaimage.encode(array, settings))
        assert (decoded.shape, decoded.dtype) == (array.shape, array.dtype)
        assert np.abs(decoded.astype(int) - array).max() <= 1 + int(array.max()) // 256


def test_default_settings_keep_99_percent_of_the_variance_of_stacks(picture):
    stack = np.stack([picture, picture])
    chosen = Settings(pcaimage.Stack())
    assert pcaimage.encode(stack, chosen) == pcaimage.encode(stack, Settings(pcaimage.Stack(), variance=0.99))


def test_default_settings_take_up_to_four_channels_for_photos_and_give_more_about_50_decibels(picture):
    for array in (picture, picture[..., 0], picture.astype(np.uint16) * 257):
        header = container.peek(pcaimage.encode(array))
        assert header.sampling == Lapped()
        assert float(header.step) == pytest.approx(9 * np.iinfo(array.dtype).max / 255, rel=1e-3)
    assert container.peek(pcaimage.encode(picture, Settings(standardize=True))).sampling != Lapped()
    bands = np.dstack([picture, picture])
    data = pcaimage.encode(bands)
    assert container.peek(data).sampling == Bands()
    error = np.square(pcaimage.decode(data).astype(float) - bands).mean()
    assert 10 * np.log10(float(bands.max()) ** 2 / error) == pytest.approx(50, abs=1.5)


def test_encoding_is_deterministic_and_fewer_components_can_be_decoded(picture):
    data = pcaimage.encode(picture, Settings(k=9, step=4))
    assert pcaimage.encode(picture.copy(), Settings(k=9, step=4)) == data
    assert np.array_equal(pcaimage.decode(data, 9), pcaimage.decode(data))
    assert not np.array_equal(pcaimage.decode(data, 2), pcaimage.decode(data))
    with pytest.raises(errors.SettingsError, match="9 components; 10"):
        pcaimage.decode(data, 10)


def test_images_come_back_with_all_that_belongs_to_them(image, tmp_path):
    path = tmp_path / "beach.pcai"
    size = pcaimage.save(path, image, Settings(k=30))
    opened = pcaimage.open(path)
    assert size == opened.n_bytes == path.stat().st_size
    assert (opened.k, opened.damaged) == (30, False)
    back = opened.image()
    assert np.array_equal(back.pixels, opened.decode())
    assert np.array_equal(back.alpha, image.alpha)
    assert (back.icc_profile, back.exif, back.name) == (image.icc_profile, image.exif, image.name)
    assert (back.format, back.file_size) == ("PCAI", 1234)
    assert np.array_equal(opened.image(3).pixels, opened.decode(3))


def test_grey_arrays_become_images_of_one_channel_and_stacks_of_four_axes(picture, tmp_path):
    pcaimage.save(tmp_path / "grey.pcai", picture[..., 0], Settings(k=5))
    opened = pcaimage.open(tmp_path / "grey.pcai")
    assert opened.decode().shape == (40, 50)
    assert opened.image().pixels.shape == (40, 50, 1)
    alpha = np.stack([picture[..., 1]] * 3)
    stack = Image(pixels=np.stack([picture, picture // 2, picture // 3]), alpha=alpha)
    pcaimage.save(tmp_path / "stack.pcai", stack, Settings(Stack(), k=3))
    back = pcaimage.open(tmp_path / "stack.pcai").image()
    assert back.is_stack
    assert np.array_equal(back.alpha, stack.alpha)


def test_metadata_and_opacity_can_be_given_with_an_array(picture):
    metadata = Metadata("x.tif", 5, b"icc", b"exif")
    compressed = container.read(
        pcaimage.encode(picture, Settings(k=2), alpha=picture[..., 2], metadata=metadata)
    )
    assert compressed.metadata == metadata
    assert np.array_equal(compressed.alpha, picture[..., 2])
    assert api.metadata_of(api.image_of(compressed, picture)) == metadata


def test_existing_files_are_replaced_only_when_asked(picture, tmp_path):
    path = tmp_path / "a.pcai"
    path.write_bytes(b"precious")
    with pytest.raises(errors.ImageError, match=r"a\.pcai already exists"):
        pcaimage.save(path, picture)
    assert path.read_bytes() == b"precious"
    pcaimage.save(path, picture, overwrite=True)
    assert np.array_equal(pcaimage.open(path).decode(), pcaimage.decode(pcaimage.encode(picture)))
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.pcai"]


def with_another(encoding, name, place):
    """Return a file of which one number of scores or of entries is another."""
    values = getattr(encoding.model, name).copy()
    values[place] += 1
    return container.write(coding.pack(replace(encoding.model, **{name: values}), np.zeros(0)))


def test_binary_files_are_saved_to_and_opened(picture, tmp_path):
    stream = io.BytesIO()
    assert pcaimage.save(stream, picture) == len(stream.getvalue())
    assert pcaimage.save(tmp_path / "same.pcai", picture) == len(stream.getvalue())
    assert (tmp_path / "same.pcai").read_bytes() == stream.getvalue() == pcaimage.encode(picture)
    stream.seek(0)
    assert np.array_equal(pcaimage.open(stream).decode(), pcaimage.open(tmp_path / "same.pcai").decode())
    with pytest.raises(errors.FormatError, match=r"not a \.pcai file"):
        pcaimage.open(io.BytesIO(bytes(64)))


@pytest.mark.parametrize(
    "change",
    [
        lambda encoding: with_another(encoding, "scores", (0, -1)),
        lambda encoding: with_another(encoding, "entries", (-1, 5)),
        lambda encoding: container.write(replace(encoding.compressed, alpha=encoding.compressed.alpha ^ 1)),
        lambda encoding: container.write(replace(encoding.compressed, alpha=None)),
        lambda encoding: container.write(encoding.compressed.trimmed(5)),
    ],
    ids=["another score", "another entry", "another opacity", "no opacity", "fewer components"],
)
@pytest.mark.parametrize("before", [b"precious", None])
@pytest.mark.sweep(3)
def test_what_does_not_decode_as_it_should_is_not_saved(image, tmp_path, monkeypatch, change, before):
    path = tmp_path / "a.pcai"
    if before:
        path.write_bytes(before)
    encoding = api.compress_image(image, Settings(Blocks(8), k=9))
    wrong = change(encoding)
    pcaimage.decode(wrong)
    monkeypatch.setattr("pcaimage.container.write", lambda _: wrong)
    with pytest.raises(errors.FormatError, match="does not decode to the image that was compressed"):
        api.save_encoding(path, encoding, overwrite=True)
    assert [entry.read_bytes() for entry in tmp_path.iterdir()] == ([before] if before else [])


@pytest.mark.parametrize("standardize", [False, True])
def test_a_disk_that_gives_back_other_bytes_is_noticed(image, tmp_path, monkeypatch, *, standardize):
    encoding = api.compress_image(image, Settings(k=9, standardize=standardize))
    honest = Path.read_bytes

    def rotten(path):
        data = bytearray(honest(path))
        data[len(data) // 2] ^= 4
        return bytes(data)

    monkeypatch.setattr(Path, "read_bytes", rotten)
    with pytest.raises(errors.FormatError):
        api.save_encoding(tmp_path / "a.pcai", encoding)
    with pytest.raises(errors.FormatError, match="not written as it should"):
        api.save_compressed(tmp_path / "a.pcai", encoding.compressed)
    assert list(tmp_path.iterdir()) == []
    monkeypatch.undo()
    api.save_encoding(tmp_path / "a.pcai", encoding)
    assert pcaimage.open(tmp_path / "a.pcai").k == 9


def test_fewer_components_are_saved_without_coding_again(image, tmp_path):
    path = tmp_path / "a.pcai"
    pcaimage.save(path, image, Settings(k=9))
    opened = pcaimage.open(path)
    size = api.save_compressed(tmp_path / "b.pcai", opened.compressed.trimmed(4))
    assert (tmp_path / "b.pcai").read_bytes() == container.trim(path.read_bytes(), 4)
    assert size == api.size_of(opened.compressed.trimmed(4))
    assert container.write(opened.compressed) == path.read_bytes()


def test_missing_files_are_named(tmp_path):
    with pytest.raises(errors.ImageError, match=r"^gone\.pcai cannot be read: no such file or directory\.$"):
        pcaimage.open(tmp_path / "gone.pcai")
    with pytest.raises(errors.ImageError, match=r"cannot be read: is a directory"):
        pcaimage.open(tmp_path)


def test_truncated_files_open_only_when_asked(image, tmp_path):
    data = container.write(api.compress_image(image, Settings(Blocks(8), k=9)).compressed)
    path = tmp_path / "a.pcai"
    path.write_bytes(data[:-40])
    with pytest.raises(errors.TruncatedError, match="cut short"):
        pcaimage.open(path)
    opened = pcaimage.open(path, salvage=True)
    assert opened.damaged
    assert 0 < opened.k < 9
    assert np.array_equal(opened.decode(), pcaimage.decode(data, opened.k))
    assert np.array_equal(opened.image().alpha, image.alpha)


def test_images_over_the_limits_are_refused_from_the_header(picture, tmp_path):
    pcaimage.save(tmp_path / "a.pcai", picture)
    with pytest.raises(errors.ImageTooLargeError, match="50 x 40 pixels"):
        pcaimage.open(tmp_path / "a.pcai", limits=Limits(max_pixels=1999))
    assert pcaimage.open(tmp_path / "a.pcai", limits=Limits(max_pixels=2000)).k


def test_padding_of_a_thin_image_is_limited(tmp_path):
    payload = bytes([0, 64, 1, 1, 0, 8, 0, 0, 0, 0, 1]) + write_varint(1 << 24) + b"\3"
    (tmp_path / "a.pcai").write_bytes(assembled([(b"H", payload)]))
    with pytest.raises(errors.FormatError, match="more numbers than the limit"):
        pcaimage.open(tmp_path / "a.pcai")


def test_thin_images_open(tmp_path):
    array = np.arange(3000, dtype=np.uint16).reshape(1, 1000, 3)
    pcaimage.save(tmp_path / "a.pcai", array, Settings(Blocks(64), k=1))
    assert pcaimage.open(tmp_path / "a.pcai").decode().shape == (1, 1000, 3)


class CancelAt:
    """Cancels at a report."""

    def __init__(self, at):
        self.at, self.reports = at, 0

    def __call__(self, *_):
        self.reports += 1
        if self.reports >= self.at:
            raise errors.Cancelled


def reports_of(work):
    reports = []
    work(lambda done, total: reports.append((done, total)))
    return reports


def test_progress_rises_to_its_total_and_can_cancel(image, tmp_path):
    path = tmp_path / "a.pcai"
    works = [
        lambda p: pcaimage.encode(image.pixels, Settings(k=5), progress=p),
        lambda p: pcaimage.save(path, image, Settings(k=5), progress=p, overwrite=True),
        lambda p: pcaimage.open(path).decode(progress=p),
        lambda p: pcaimage.open(path).image(progress=p),
        lambda p: pcaimage.decode(path.read_bytes(), progress=p),
    ]
    for work in works:
        reports = reports_of(work)
        assert reports == sorted(reports)
        assert reports[-1] == (1000, 1000)
        with pytest.raises(errors.Cancelled):
            work(CancelAt(3))


@pytest.mark.parametrize("share", [0.0, 0.4, 0.9, 1.0])
@pytest.mark.sweep(2)
def test_cancelling_stops_the_work_and_leaves_no_file(image, tmp_path, share):
    path = tmp_path / "a.pcai"
    other = tmp_path / "other.pcai"
    count = len(reports_of(lambda p: pcaimage.save(other, image, Settings(k=5), progress=p)))
    other.unlink()
    cancel = CancelAt(max(1, round(share * count)))
    with pytest.raises(errors.Cancelled):
        pcaimage.save(path, image, Settings(k=5), progress=cancel)
    assert cancel.reports == cancel.at
    assert list(tmp_path.iterdir()) == []


def takers_of_progress():
    """Collect the functions of the library's front, and the methods of its classes, that report progress."""
    found = {}
    for module in (pcaimage, api):
        for name in module.__all__:
            value = getattr(module, name)
            found |= {name: value} if inspect.isfunction(value) else {}
            if inspect.isclass(value):
                methods = inspect.getmembers(value, inspect.isfunction)
                found |= {f"{name}.{method}": function for method, function in methods}
    return {name: value for name, value in found.items() if "progress" in inspect.signature(value).parameters}


def test_progress_is_given_by_name_everywhere():
    takers = takers_of_progress()
    assert {"encode", "save_encoding", "PCA.fit", "PCA.fit_transform", "CompressedImage.frame"} <= set(takers)
    for name, function in takers.items():
        assert inspect.signature(function).parameters["progress"].kind is inspect.Parameter.KEYWORD_ONLY, name


def test_names_are_those_of_the_package():
    assert set(pcaimage.__all__) <= set(dir(pcaimage))
    for name in pcaimage.__all__:
        assert getattr(pcaimage, name) is not None
    assert pcaimage.open is api.open_file
    assert issubclass(errors.FormatError, errors.PcaImageError)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = pcaimage.nothing


def test_importing_the_package_is_light():
    program = "import sys, json, pcaimage; print(json.dumps([m for m in sys.modules]))"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, timeout=120)
    loaded = set(json.loads(result.stdout))
    heavy = {"numpy", "PIL", "tifffile", "argcomplete"}
    assert not loaded & (heavy | {"PySide6", "pyqtgraph"})
    assert {name for name in loaded if name.startswith("pcaimage")} == {"pcaimage"}


@pytest.mark.slow
def test_coding_arrays_loads_no_window_and_no_image_library():
    program = (
        "import sys, numpy as np, pcaimage; pcaimage.decode(pcaimage.encode(np.eye(9, dtype=np.uint8)));"
        "print(' '.join(m for m in ('PySide6', 'pyqtgraph', 'skimage', 'argcomplete') if m in sys.modules))"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, text=True, timeout=120
    )
    assert result.stdout.strip() == ""


def test_flat_colours_are_kept_exactly_where_that_is_smaller():
    picture = logo()
    exact = api.compress_image(Image(picture), Settings(lossless=True))
    assert api.size_of(api.compress_array(picture, Settings()).compressed) > api.size_of(exact.compressed)
    found = api.compress_image(Image(picture), Settings())
    assert api.size_of(found.compressed) == api.size_of(exact.compressed)
    assert np.array_equal(found.decoded(), picture)


@pytest.mark.parametrize("settings", [Settings(lossless=True), Settings(max_error=2)])
def test_opacity_alters_no_value_that_is_exact_or_within_an_error(settings):
    noise = np.random.default_rng(4).integers(0, 255, (16, 16, 3)).astype("uint8")
    found = api.compress_image(Image(noise, alpha=noise[..., 0] // 99), settings).decoded()
    assert np.abs(found.astype(int) - noise).max() <= (settings.max_error or 0)


ALPHABET = "".join(chr(code) for code in range(33, 127) if chr(code) not in "<&-")


@pytest.fixture(scope="module")
def photo(golden_folder):
    return (golden_folder / "tools-eye.pcai").read_bytes()


@pytest.fixture(scope="module")
def golden_folder(request):
    return request.config.rootpath / "tests" / "golden"


@pytest.fixture
def without_wasm(monkeypatch):
    """Where `make web` was not called, do without the decoder itself."""
    try:
        pages.decoder()
    except ImageError:
        monkeypatch.setattr(pages, "decoder", lambda: b"\0asm")


@pytest.fixture
def page(photo, without_wasm):  # noqa: ARG001
    return pages.web_page(photo, "</script> & 'photo'").decode()


def block(page, name):
    size, text = re.search(
        rf'<script type="text/plain" id="{name}" data-size="(\d+)">(.*?)</script>', page, re.DOTALL
    ).groups()
    codes = [ALPHABET.index(each) for each in text if each != "\n"]
    bits = "".join(
        f"{91 * first + second:013b}" for first, second in zip(codes[::2], codes[1::2], strict=True)
    )
    return int(bits[: 8 * int(size)] or "0", 2).to_bytes(int(size))


def test_a_page_holds_the_file_itself_and_names_end_no_script(page, photo):
    assert block(page, "picture") == photo
    assert page.count("</script>") == page.count("<script")
    assert "<title>&lt;/script&gt; &amp; &#x27;photo&#x27;</title>" in page


def test_a_page_speaks_the_language_in_use_and_has_all_that_it_says(photo, without_wasm):  # noqa: ARG001
    with spoken("de"):
        page = pages.web_page(photo).decode()
    assert '<html lang="de">' in page
    about = json.loads(re.search(r'id="about">(.*?)</script>', page)[1])
    assert about["languages"]["de"]["Compared with"] == "Verglichen mit"
    assert {"{count} of {k}", "Save as PNG", "Play"} <= set(about["languages"]["de"])
    assert not re.search(r"\d channels|bytes<", page)


def test_the_policy_allows_what_is_in_the_page_alone(page):
    policy = re.search(r'Content-Security-Policy" content="(.*?)"', page)[1]
    script, style = (
        re.search(rf"<{name}>(.*?)</{name}>", page, re.DOTALL)[1] for name in ("script", "style")
    )
    for text in (script, style):
        assert base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() in policy
    assert "unsafe-inline" not in policy
    assert "'unsafe-eval'" not in policy
    assert "connect-src 'none'" in policy
    assert not re.search(r"\beval\(|new Function|^import |^export ", script, re.MULTILINE)
    assert not re.search(r'(src|href)="(?!data:)', page)


def test_tables_in_planes_are_those_of_the_file(page, photo):
    compressed = pcaimage.api.open_bytes(photo).compressed
    shared, own, grade = pruning.used_tables(compressed)
    for name, tables in (("shared", shared), (f"grade-{grade}", own)):
        head, rest = zlib.decompress(block(page, name)).split(b"\n", 1)
        for title, kind, shape, differs in json.loads(head):
            dtype, count = np.dtype(f"<{kind}"), int(np.prod(shape))
            size = count * dtype.itemsize
            planes, rest = np.frombuffer(rest[:size], np.uint8).reshape(-1, count), rest[size:]
            values = planes.T.copy().view(dtype).reshape(-1)
            if differs:
                values = np.cumsum(values, dtype=dtype)
            assert (values.reshape(shape) == tables[title]).all()
        assert not rest


def test_the_tables_of_a_page_are_fewer_and_give_the_same_pixels_but_not_without_what_is_used(photo):
    compressed = pcaimage.api.open_bytes(photo).compressed
    shared, own, grade = pruning.used_tables(compressed)
    whole = Tables.of(compressed.header.tables).graded(grade).tobytes()
    assert len(zlib.compress(flat(own))) < 0.7 * len(zlib.compress(whole))
    assert pruning.same_pixels(compressed, (shared, own), grade)
    wrong = own | {"scores_weights": own["scores_weights"] * 0}
    assert not pruning.same_pixels(compressed, (shared, wrong), grade)


def test_without_a_decoder_a_sentence_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr(pages, "asset", tmp_path.joinpath)
    with pytest.raises(ImageError, match="make web"):
        pages.decoder()


@pytest.mark.usefixtures("without_wasm")
def test_a_basis_in_a_model_file_must_be_given(golden_folder):
    with pytest.raises(ModelError):
        pages.web_page((golden_folder / "lent-blocks.pcai").read_bytes())


@pytest.mark.usefixtures("without_wasm")
def test_the_command_writes_a_page(golden_folder, tmp_path):
    target = tmp_path / "bands.html"
    result = typed("page", golden_folder / "bands.pcai", target)
    assert target.read_text("utf-8").startswith("<!DOCTYPE html>")
    assert "with the image of" in result.output
