"""Opening the file of the command line before there is a window."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image as Pillow

from pcaimage.errors import Cancelled, ImageError
from pcaimage.gui.session import ahead
from pcaimage.gui.session.ahead import Ahead
from pcaimage.gui.session.choice import Choice
from pcaimage.imaging import Limits
from pcaimage.machine.parallel import cores
from pcaimage.progress import no_progress


@pytest.fixture(autouse=True)
def _nothing_stays():
    yield
    ahead.stop()


@pytest.fixture
def photo(tmp_path):
    path = tmp_path / "photo.png"
    Pillow.fromarray(np.random.default_rng(1).integers(0, 255, (24, 32, 3), np.uint8)).save(path)
    return str(path)


def other(_):
    return "other"


def opened(photo):
    return ahead.opening([photo], Limits.default(), other)(no_progress)


def test_the_session_gets_document_and_components(photo):
    ahead.begin([photo])
    document = opened(photo).document
    assert document.path == Path(photo)
    fit = ahead.fitting(document.image, Choice(), other)(no_progress)
    assert fit.choice == Choice()
    assert fit.analysis.header.shape == (24, 32, 3)


@pytest.mark.parametrize("choice", [Choice(block=16), Choice("blocks")])
def test_another_choice_file_or_other_limits_begin_anew(photo, tmp_path, choice):
    ahead.begin([photo])
    assert ahead.fitting(opened(photo).document.image, choice, other) is other
    ahead.begin([photo])
    assert ahead.opening([str(tmp_path / "other.png")], None, other) is other
    assert ahead.opening([photo], None, other) is other
    ahead.begin([photo])
    assert ahead.opening([photo], Limits(max_pixels=100), other) is other


def test_an_error_is_that_of_opening(tmp_path):
    damaged = tmp_path / "damaged.png"
    damaged.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(40))
    before = cores()
    ahead.begin([str(damaged)])
    with pytest.raises(ImageError):
        opened(str(damaged))
    assert cores() == before


def test_waiting_is_cancelled_and_stops_the_work(photo, monkeypatch):
    heard = []

    def slow(_paths, progress):
        try:
            while True:
                progress(1, 2)
        except Cancelled as error:
            heard.append(error)
            raise

    def cancelled(done, total):
        if (done, total) == (1, 2):
            raise Cancelled

    monkeypatch.setattr(ahead, "open_document", slow)
    begun = Ahead(Path(photo))
    with pytest.raises(Cancelled):
        begun.opened(cancelled)
    with pytest.raises(Cancelled):
        begun.opened(no_progress)
    assert len(heard) == 1
