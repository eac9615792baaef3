"""Checks made while a photo is coded, and their use when it is saved."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from skimage import data

import pcaimage
from pcaimage import Settings, api, codec, container
from pcaimage.codec import Step
from pcaimage.codec.decoding import Decoding
from pcaimage.codec.photo import coding
from pcaimage.codec.photo.analysis import PhotoAnalysis
from pcaimage.core.decoder import Decoder
from pcaimage.errors import FormatError
from pcaimage.progress import no_progress
from pcaimage.quality import mean_squared_error

STEP = Step.nearest(9.0)


@pytest.fixture(scope="module")
def picture():
    return np.ascontiguousarray(data.astronaut()[20:140, 150:250])


@pytest.fixture
def analysis(picture, monkeypatch):
    monkeypatch.setattr("pcaimage.codec.photo.layout.SLICE_BLOCKS", 50)
    found = PhotoAnalysis.fit(picture)
    assert len(coding.quantize(found, 1, STEP).scores) == 4
    return found


@pytest.fixture
def encoding(picture, analysis):
    model = coding.quantize_checked(analysis, 90, STEP, picture, proven=True)
    return codec.complete(picture, analysis, model)


@pytest.mark.slow
def test_checking_changes_nothing_and_finds_error_and_proof_beside_coding_or_afterwards(
    picture, analysis, encoding
):
    plain = coding.quantize(analysis, 90, STEP)
    assert encoding.model.same_as(plain)
    assert api.size_of(encoding.compressed) == api.size_of(coding.pack(plain))
    known = coding.quantize_checked(analysis, 90, STEP, picture, proven=False)
    later = coding.checked(plain, picture)
    exact = mean_squared_error(picture, plain.reconstruct())
    assert known.mean_squared_error(picture) == later.mean_squared_error(picture) == exact
    other = picture[::-1]
    assert known.mean_squared_error(other) == mean_squared_error(other, plain.reconstruct())
    assert plain.measured is known.trimmed(5).measured is None
    assert plain.proven == known.proven == encoding.model.trimmed(5).proven == ()
    assert all(encoding.model.proven)
    assert later.proven == encoding.model.proven


@pytest.mark.slow
def test_what_is_proven_is_not_decoded_again(encoding, tmp_path, monkeypatch):
    monkeypatch.setattr(Decoder, "put_scores", None)
    api.save_encoding(tmp_path / "a.pcai", encoding)
    monkeypatch.undo()
    found = pcaimage.open(tmp_path / "a.pcai").decode()
    assert np.array_equal(found, encoding.decoded())


given = dict[int, np.ndarray]()
honest_place, honest = Decoder.put_scores, Decoding.decode_all


def remembered(self, part, to, levels):
    given[id(self)] = to
    honest_place(self, part, to, levels)


def wrong_in_one_slice(self, *told):
    honest(self, *told)
    scores = given[id(self.core)]
    if scores.shape[1] < 4:  # the last slice is the lowest
        scores[1, -1, -1] += 1


@pytest.fixture
def wrong(monkeypatch):
    monkeypatch.setattr(Decoder, "put_scores", remembered)
    monkeypatch.setattr(Decoding, "decode_all", wrong_in_one_slice)


@pytest.mark.parametrize("settings", [Settings(step=9.0), Settings(psnr=36.0), Settings(size=3000)])
@pytest.mark.usefixtures("wrong")
@pytest.mark.slow
def test_a_wrong_decoder_is_noticed(settings, picture, tmp_path, monkeypatch):
    picture = np.ascontiguousarray(picture[:56, :100])
    monkeypatch.setattr("pcaimage.codec.photo.layout.SLICE_BLOCKS", 40)
    with pytest.raises(FormatError, match="does not decode to the image that was compressed"):
        api.save(tmp_path / "a.pcai", picture, settings)
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(Decoding, "decode_all", honest)
    api.save(tmp_path / "a.pcai", picture, settings)


@pytest.mark.usefixtures("wrong")
@pytest.mark.slow
def test_a_slice_that_was_not_proven_is_decoded_from_the_file(picture, analysis, tmp_path, monkeypatch):
    model = coding.quantize_checked(analysis, 90, STEP, picture, proven=True)
    assert [bool(part) for part in model.proven] == [True, True, True, False]
    encoding, decoded = codec.complete(picture, analysis, model), list[int]()

    def counting(self, *told):
        decoded.append(given[id(self.core)].shape[1])
        honest(self, *told)

    monkeypatch.setattr(Decoding, "decode_all", counting)
    api.save_encoding(tmp_path / "a.pcai", encoding)
    assert decoded == [model.scores[-1].shape[1]]


def test_a_wrong_byte_anywhere_in_the_file_is_noticed(encoding, tmp_path, monkeypatch):
    honest_bytes = Path.read_bytes
    place = 0

    def rotten(path):
        found = bytearray(honest_bytes(path))
        found[place] ^= 16
        return bytes(found)

    monkeypatch.setattr(Path, "read_bytes", rotten)
    for place in range(0, api.size_of(encoding.compressed), 37):  # noqa: B007 - the function above reads it
        with pytest.raises(FormatError):
            api.save_encoding(tmp_path / "a.pcai", encoding)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("part", ["components", "mean", "header"])
@pytest.mark.slow
def test_a_wrong_part_with_the_right_checksum_is_noticed(part, encoding, tmp_path, monkeypatch):
    right = encoding.compressed
    last = right.components[-1]
    wrong = {
        "components": replace(
            right, components=(*right.components[:-1], replace(last, scores=last.scores[:-1] + b"\x07"))
        ),
        "mean": replace(right, mean=right.mean[:1] + bytes([right.mean[1] ^ 1]) + right.mean[2:]),
        "header": replace(right, header=replace(right.header, step=Step.nearest(10.0))),
    }[part]
    written = container.write(wrong)
    assert written != container.write(right)
    monkeypatch.setattr("pcaimage.container.write", lambda _: written)
    with pytest.raises(FormatError, match="does not decode to the image that was compressed"):
        api.save_encoding(tmp_path / "a.pcai", encoding)


@pytest.mark.slow
def test_progress_of_checks_rises_to_its_total(picture, analysis):
    for work in (
        lambda told: coding.quantize_checked(analysis, 30, STEP, picture, told, proven=True),
        lambda told: coding.quantize_checked(analysis, 30, STEP, picture, told, proven=False),
        lambda told: coding.checked(coding.quantize(analysis, 30, STEP), picture, told),
    ):
        shares = list[float]()
        work(lambda done, total, shares=shares: shares.append(done / total))
        assert shares == sorted(shares)
        assert shares[-1] == 1
        assert len(set(shares)) > 4


@pytest.mark.slow
def test_cancelling_a_check_stops_the_work(picture, analysis):
    def stop(done, total):
        if done > 0.6 * total:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        coding.quantize_checked(analysis, 30, STEP, picture, stop, proven=True)
    assert coding.quantize_checked(analysis, 30, STEP, picture, no_progress, proven=True).k == 30
