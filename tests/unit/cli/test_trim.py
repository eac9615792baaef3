from pathlib import Path

import numpy as np

import pcaimage
from pcaimage import container


def test_a_trimmed_file_decodes_to_the_first_components(done, pcai):
    result = done("trim", pcai, "small.pcai", "--k", 7)
    assert result.stdout.startswith("small.pcai: ")
    assert "k = 7 of 20" in result.stdout
    small = pcaimage.open("small.pcai")
    assert small.k == 7
    assert small.n_bytes < pcai.stat().st_size
    assert np.array_equal(small.decode(), pcaimage.open(pcai).decode(7))


def test_a_file_can_be_trimmed_in_its_place(done, refused, pcai):
    expected = pcaimage.open(pcai).decode(3)
    assert "already exists" in refused("trim", pcai, pcai, "--k", 3)
    assert pcaimage.open(pcai).k == 20
    done("trim", pcai, pcai, "--k", 3, "--overwrite")
    assert np.array_equal(pcaimage.open(pcai).decode(), expected)


def test_a_link_to_the_file_stays_one(done, pcai):
    Path("link.pcai").symlink_to(pcai)
    done("trim", pcai, "link.pcai", "--k", 2, "--overwrite")
    assert Path("link.pcai").is_symlink()
    assert pcaimage.open(pcai).k == 2


def test_a_trimmed_file_that_cannot_be_read_back_replaces_nothing(refused, pcai, monkeypatch):
    before = pcai.read_bytes()
    monkeypatch.setattr(container, "trim", lambda data, _: data[:-3])
    assert "cut short" in refused("trim", pcai, pcai, "--k", 3, "--overwrite")
    assert pcai.read_bytes() == before


def test_what_cannot_be_trimmed_is_refused(refused, pcai, png):
    assert "20 components" in refused("trim", pcai, "out.pcai", "--k", 21)
    assert "20 components" in refused("trim", pcai, "out.pcai", "--k", 0)
    assert "must end in .pcai" in refused("trim", pcai, "out.png", "--k", 1)
    assert "not a .pcai" in refused("trim", png, "out.pcai", "--k", 1)
    Path("cut.pcai").write_bytes(pcai.read_bytes()[:-4])
    assert "cut short" in refused("trim", "cut.pcai", "out.pcai", "--k", 1)
    assert not Path("out.pcai").exists()
