"""The size that a compressed file may claim is bounded by its length, before memory or disk is taken."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import pcaimage
from pcaimage import Blocks, Channels, Settings, Stack
from pcaimage.api import open_bytes
from pcaimage.api.sizes import check_claims
from pcaimage.cli.main import app
from pcaimage.codec.compressed import header_of
from pcaimage.errors import ImageTooLargeError, ImplausibleSizeError, SettingsError
from pcaimage.imaging import Limits

EMPTY = "4d00b7230e04430301050018e471b7450101ee970ce7"
"""A mean of no bytes, a component of none, and the end."""

BOMBS = {
    "bands": "89504341490d0a1a0300481a0400010100080000000000000000000000f03ff403f403808004c9731a1a" + EMPTY,
    "blocks": "89504341490d0a1a0100480e00400101000800000001018080048e93dc58" + EMPTY,
    "channels": "89504341490d0a1a01004810010001010008000000f0ab01f0ab0101ce97369e" + EMPTY,
    "stack": "89504341490d0a1a0100481102000101000800000001a09c01a09c0101a27b2fa2" + EMPTY,
}


@pytest.mark.parametrize("kind", BOMBS)
def test_a_file_of_some_bytes_takes_no_gigabytes(
    kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    data = bytes.fromhex(BOMBS[kind])
    assert len(data) < 65
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    tracemalloc.start()
    try:
        with pytest.raises(ImplausibleSizeError, match=rf"file of only {len(data)} bytes.*--limit"):
            pcaimage.decode(data)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
    assert not list(tmp_path.iterdir())


FLAT = (
    "89504341490d0a1a0100480e010001000008f40e00dc3dc03e01f65be023730b0178da6360000000020001882c"
    "b07d4d05c01bc0b6963ecb2cbc43080101051800a334b5da67409c450101ee970ce7"
)
"""63 megapixels of one value, by channels."""


@pytest.mark.slow
def test_a_flat_image_takes_little_more_memory_than_its_pixels() -> None:
    if not Path("/proc/self/status").exists():
        pytest.skip("Only Linux tells a process's own peak; elsewhere it includes its parent's.")
    code = f"""
import pcaimage
small = pcaimage.decode(pcaimage.encode(pcaimage.decode(bytes.fromhex("{FLAT}"))[:8, :8]))
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(1024 * int(status["VmHWM"].split()[0]))
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(found.stdout) < 400_000_000


@pytest.mark.parametrize("kind", BOMBS)
def test_a_limit_in_bytes_opens_what_is_trusted(kind: str) -> None:
    assert open_bytes(bytes.fromhex(BOMBS[kind]), limits=Limits.of_bytes(17_000_000_000)).k == 1


def test_the_mean_of_a_stack_counts_as_what_it_takes_in_memory() -> None:
    frame = np.broadcast_to(np.uint8(7), (1, 1500, 2000, 1))
    header = header_of(frame, Stack())
    with pytest.raises(ImplausibleSizeError):
        check_claims(header, 53, Limits(), "flat.pcai")
    check_claims(header, 250_000, Limits(), "noisy.pcai")


def test_a_limit_in_bytes_refuses_what_is_larger() -> None:
    data = pcaimage.encode(np.zeros((40, 50, 3), np.uint8))
    assert open_bytes(data, limits=Limits.of_bytes(6000)).k
    with pytest.raises(ImageTooLargeError):
        open_bytes(data, limits=Limits.of_bytes(5999))
    with pytest.raises(SettingsError):
        Limits.of_bytes(0)


def test_many_large_images_of_the_user_do_not_vouch_for_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PCAIMAGE_MAX_PIXELS", str(10**10))
    with pytest.raises(ImplausibleSizeError):
        pcaimage.decode(bytes.fromhex(BOMBS["stack"]))


@pytest.mark.slow
def test_flat_images_of_a_screen_open_without_asking() -> None:
    flat = np.full((1080, 1920), 200, np.uint8)
    for settings in (Settings(), Settings(Channels(), k=1), Settings(Blocks(64), k=1)):
        assert open_bytes(pcaimage.encode(flat, settings)).compressed.header.shape[:2] == flat.shape


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", [("decode", "a.pcai", "a.tif"), ("info", "a.pcai"), ("trim", "a.pcai", "b.pcai", "--k", "1")]
)
def test_the_command_line_tells_the_size_and_takes_it(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    flat = pcaimage.encode(np.zeros((60, 50, 3), np.uint8), Settings(Blocks(8), k=1))
    Path("a.pcai").write_bytes(flat)
    monkeypatch.setattr("pcaimage.api.sizes.PIXEL_BYTES_PER_BYTE", 0)
    monkeypatch.setattr(Limits, "default", classmethod(lambda cls: cls(max_unbacked_bytes=1)))
    refused = CliRunner().invoke(app, [*words])
    assert refused.exit_code == 1
    assert refused.stderr.startswith(
        "pcaimage: a.pcai claims to be an image of 60 × 50 × 3 numbers, which takes 1MB, "
    )
    assert refused.stderr.endswith("(--limit 1MB) to open it.\n")
    accepted = CliRunner().invoke(app, [*words, "--limit", "1MB"])
    assert accepted.exit_code == 0, accepted.output


@pytest.mark.slow
def test_encode_takes_a_limit(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros((30, 20, 3), np.uint8))
    words = ["encode", str(tmp_path / "a.npy"), str(tmp_path / "a.pcai"), "--limit"]
    refused = CliRunner().invoke(app, [*words, "1KB"])
    assert refused.exit_code == 1
    assert "30 pixels" in refused.stderr
    assert CliRunner().invoke(app, [*words, "2KB"]).exit_code == 0


def test_more_bands_than_a_tiff_counts_are_refused_in_a_sentence(tmp_path: Path) -> None:
    header = "89504341490d0a1a030048180400020100080000000000000000000000f03f0101808004160f7b52"
    (tmp_path / "a.pcai").write_bytes(bytes.fromhex(header + EMPTY))
    refused = CliRunner().invoke(app, ["decode", str(tmp_path / "a.pcai"), str(tmp_path / "a.tif")])
    assert refused.exit_code == 1
    assert refused.stderr == "pcaimage: TIFF cannot hold 65536 bands; save the image as ENVI or NPY.\n"
    assert not (tmp_path / "a.tif").exists()
