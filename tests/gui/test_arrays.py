"""Files of several arrays, and arrays of more axes than an image has."""

from pathlib import Path

import numpy as np
import pytest

from pcaimage.errors import ImageError, ImplausibleSizeError
from pcaimage.gui.session.command_line import command_for
from pcaimage.gui.session.kept import kept_from, kept_of
from pcaimage.gui.session.opening import AmbiguousError, OpenOptions, open_document
from pcaimage.gui.session.state import SessionState
from pcaimage.imaging import BandInfo, Image, Limits, write_image
from pcaimage.machine.handover import located
from pcaimage.progress import no_progress

pytestmark = pytest.mark.usefixtures("_h5py")
ERA = Path(__file__).parents[1] / "netcdf" / "era.nc"


@pytest.fixture
def _h5py():
    pytest.importorskip("h5py")


def test_the_array_and_its_part_are_asked_for(user, answers):
    answers.offers = ["t", "t[time=1]"]
    user.drop(ERA)
    user.until(lambda: user.state.document is not None)
    document = user.state.document
    assert answers.asked == ["era.nc holds 2 arrays of one size", "era.nc holds t for 2 places of time"]
    assert (document.name, document.suggested_name, document.shape) == ("era.nc, t[time=1]", "era", (4, 5, 3))
    kept = kept_of(user.state)
    again = kept_from(kept.to_values())
    found = open_document(list(again.paths), no_progress, again.options).document
    assert (found.name, found.source) == (document.name, document.source)
    assert again.seal
    user.rest()
    assert "--array 't[time=1]'" in (command_for(user.state) or "")


def test_a_question_without_an_answer_opens_nothing(user, answers):
    user.drop(ERA)
    user.until(lambda: len(answers.asked) == 1)
    assert user.state.document is None


def test_the_command_line_answers_it(tmp_path):
    opened = open_document([f"{ERA}::u[time=0]"], no_progress)
    assert opened.document.shape == (4, 5, 3)
    assert opened.document.path == ERA
    with pytest.raises(AmbiguousError, match="u for 2 places of time"):
        open_document([f"{ERA}::u"], no_progress)
    with pytest.raises(ImageError, match="has no array 'w'"):
        open_document([f"{ERA}::w"], no_progress)
    (odd := tmp_path / "a::b").touch()
    assert located(str(odd)) == (odd, None)
    assert kept_of(SessionState()) is None


def test_an_export_says_what_it_does_not_hold(user, answers, tmp_path):
    info = BandInfo(fields=(("map info", "{UTM, 1, 1, 5e5, 4e6, 30, 20, 32, North, WGS-84}"),))
    write_image(tmp_path / "a.tif", Image(np.zeros((8, 9, 3), np.uint8), bands=info))
    user.open(tmp_path / "a.tif")
    user.until(lambda: user.state.document is not None)
    user.rest()
    answers.export = tmp_path / "a.png"
    user.export(answers.export)
    user.until(lambda: user.message.startswith("Exported a.png"))
    assert user.message.endswith("PNG does not hold where the image lies; TIFF and ENVI do.")


def test_an_array_that_was_never_written_opens_only_if_it_is_trusted(tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("a", (60, 40, 3), "u1", chunks=(10, 10, 3), compression="gzip")
    path, limits = [str(tmp_path / "a.h5")], Limits(max_unbacked_bytes=1000)
    with pytest.raises(ImplausibleSizeError, match=r"it has 0 bytes\. Open it only if you trust it\."):
        open_document(path, no_progress, OpenOptions(limits=limits))
    trusted = OpenOptions(limits=limits, trusted=True)
    assert open_document(path, no_progress, trusted).document.shape == (60, 40, 3)
