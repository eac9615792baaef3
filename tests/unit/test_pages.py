"""Web pages as files; `make pages` tries them in browsers."""

import base64
import hashlib
import json
import re
import zlib

import numpy as np
import pytest

import pcaimage
from pcaimage.api import pages
from pcaimage.codec.photo import pruning
from pcaimage.codec.photo.tables import Tables, flat
from pcaimage.errors import ImageError, ModelError
from tests.typed import typed

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
