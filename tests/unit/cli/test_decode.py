import json
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import tifffile
from PIL import Image as PillowImage
from PIL import ImageCms

import pcaimage
from pcaimage import codec, container
from pcaimage.cli import decode
from pcaimage.errors import FormatError
from pcaimage.imaging import BandInfo, Image, write_image


def test_one_line_tells_the_dimensions_and_k(done, pcai):
    result = done("decode", pcai, "out.png", "--k", 4)
    assert result.stdout.startswith("out.png: 104 × 72, ")
    assert "k = 4 of 20" in result.stdout
    assert np.array_equal(np.asarray(PillowImage.open("out.png")), pcaimage.open(pcai).decode(4))


@pytest.mark.slow
def test_opacity_profile_and_exif_come_back(done, picture):
    alpha = np.arange(picture[..., 0].size, dtype=np.uint8).reshape(picture.shape[:2])
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    exif = PillowImage.Exif()
    exif[0x010E] = "a description"
    PillowImage.fromarray(np.dstack([picture, alpha])).save("rgba.png", icc_profile=profile, exif=exif)
    done("encode", "rgba.png", "rgba.pcai")
    done("decode", "rgba.pcai", "out.png")
    back = PillowImage.open("out.png")
    assert np.array_equal(np.asarray(back)[..., 3], alpha)
    assert back.info["icc_profile"] == profile
    assert back.getexif()[0x010E] == "a description"


def test_what_cannot_be_written_is_refused(command, refused, pcai, png):
    Path("old.png").write_bytes(b"precious")
    for words, reason in {
        ("old.png",): "already exists",
        ("out.pcai",): "not a format that images can be saved in",
        ("out",): "no ending",
        ("out.png", "--k", "21"): "20 components",
        ("out.png", "--k", "-1"): "-1",
        ("out.jpg", "--quality", "101"): "1 to 100",
    }.items():
        assert reason in refused("decode", pcai, *words)
        assert not Path(words[0]).exists() or Path(words[0]).read_bytes() == b"precious"
    for wrong in (("--quality", 300), ("--resize", "0"), ("--resize", "axb")):
        assert command("decode", pcai, "out.jpg", *wrong).exit_code == 2
        assert not Path("out.jpg").exists()
    assert refused("decode", png, "out.png") == "in.png: This is not a .pcai file."
    assert "gone.pcai cannot be read" in refused("decode", "gone.pcai", "out.png")


def test_a_file_cut_short_is_refused_with_the_way_to_save_it(refused, done, pcai):
    data = pcai.read_bytes()
    Path("cut.pcai").write_bytes(data[: len(data) * 3 // 4])
    sentence = refused("decode", "cut.pcai", "out.png")
    assert sentence.startswith("cut.pcai: The file is cut short (at byte ")
    assert "--salvage" in sentence
    result = done("decode", "cut.pcai", "out.png", "--salvage")
    assert result.stderr.startswith("pcaimage: cut.pcai is damaged; its first ")
    whole = pcaimage.open("cut.pcai", salvage=True).k
    assert 0 < whole < 20
    assert np.array_equal(np.asarray(PillowImage.open("out.png")), pcaimage.open(pcai).decode(whole))


def test_what_is_saved_ends_with_the_first_damaged_component(refused, done, pcai):
    data = bytearray(pcai.read_bytes())
    assert not done("decode", pcai, "whole.png", "--salvage").stderr
    Path("cut.pcai").write_bytes(data[:60])
    sentence = refused("decode", "cut.pcai", "out.png", "--salvage")
    assert "cut short" in sentence
    assert sentence.endswith("; no component is intact.")
    data[-200] ^= 1
    Path("bad.pcai").write_bytes(data)
    assert "checksum" in refused("decode", "bad.pcai", "out.png")
    done("decode", "bad.pcai", "out.png", "--salvage")


@pytest.mark.slow
def test_a_greater_effort_makes_a_smaller_file(done, pcai):
    for suffix in ("png", "tif"):
        for effort in (0, 9):
            done("decode", pcai, f"{effort}.{suffix}", "--compression", effort)
            pixels = np.asarray(PillowImage.open(f"{effort}.{suffix}"))
            assert np.array_equal(pixels, pcaimage.open(pcai).decode())
        done("decode", pcai, f"usual.{suffix}")
        sizes = [Path(f"{name}.{suffix}").stat().st_size for name in ("0", "usual", "9")]
        assert sizes[0] > sizes[1]
        assert sizes[0] > sizes[2]


@pytest.mark.parametrize("suffix", ["png", "tif", "bmp", "npy", "hdr", "jpg"])
@pytest.mark.sweep(3)
def test_damage_that_is_found_on_the_way_leaves_nothing(refused, photo, monkeypatch, suffix):
    strips = codec.decode_strips

    def broken(*given):
        lines = next(strips(*given))
        yield lines[: len(lines) // 2]
        raise FormatError("The file is damaged.")

    monkeypatch.setattr(codec, "decode_strips", broken)
    before = sorted(photo.parent.iterdir())
    assert refused("decode", photo, f"out.{suffix}") == f"{photo.name}: The file is damaged."
    assert sorted(photo.parent.iterdir()) == before


@pytest.mark.parametrize("suffix", ["png", "tif", "bmp", "npy", "hdr"])
@pytest.mark.sweep(2)
def test_progress_goes_from_nothing_to_all(done, photo, monkeypatch, suffix):
    reported = list[float]()

    @contextmanager
    def bar(_):
        yield lambda count, total: reported.append(count / total)

    monkeypatch.setattr(decode, "progress_bar", bar)
    done("decode", photo, f"out.{suffix}")
    assert reported == sorted(reported)
    assert reported[0] < 0.1
    assert reported[-1] == 1
    assert len(reported) > 10


@pytest.fixture
def located(done, picture):
    """A compressed photograph with a camera, a place and a colour profile."""
    exif = PillowImage.Exif()
    exif[0x010F] = "Maker"
    exif.get_ifd(0x8825)[1] = "N"
    exif.get_ifd(0x8825)[2] = (48.0, 8.0, 31.0)
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    PillowImage.fromarray(picture).save("located.png", exif=exif, icc_profile=profile)
    done("encode", "located.png", "located.pcai")
    return Path("located.pcai")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "camera", "place", "profile"),
    [
        ((), True, True, True),
        (("--strip", "place"), True, False, True),
        (("--strip", "all"), False, False, True),
        (("--srgb",), True, True, False),
    ],
)
def test_metadata_are_removed_and_colours_become_srgb(done, located, words, camera, place, profile):
    done("decode", located, "out.jpg", *words)
    with PillowImage.open("out.jpg") as file:
        exif = file.getexif()
        assert (0x010F in exif, bool(exif.get_ifd(0x8825))) == (camera, place)
        assert ("icc_profile" in file.info) == profile


@pytest.mark.parametrize(("size", "expected"), [("52x", (52, 36)), ("x36", (52, 36)), ("25%", (26, 18))])
def test_a_picture_is_made_smaller(done, pcai, size, expected):
    result = done("decode", pcai, "out.jpg", "--resize", size)
    with PillowImage.open("out.jpg") as file:
        assert file.size == expected
    assert f"{expected[0]} × {expected[1]}, " in result.stdout


def test_a_place_is_not_lost_without_a_sentence(done, refused, tmp_path):
    info = BandInfo(fields=(("map info", "{UTM, 1, 1, 5e5, 4e6, 30, 20, 32, North, WGS-84}"),))
    write_image(tmp_path / "a.tif", Image(np.zeros((8, 9, 3), np.uint8), bands=info))
    done("encode", "a.tif", "a.pcai")
    told = done("decode", "a.pcai", "a.png").stderr
    assert "PNG does not hold where the image lies; TIFF and ENVI do. --world-file writes it" in told
    assert not done("decode", "a.pcai", "b.png", "--world-file").stderr
    lines = (tmp_path / "b.pgw").read_text().split()
    assert [float(line) for line in lines] == [30, 0, 0, -20, 500_015, 3_999_990]
    assert "<SRS>EPSG:32632</SRS>" in (tmp_path / "b.png.aux.xml").read_text()
    (tmp_path / "b.png").unlink()
    assert "b.pgw already exists" in refused("decode", "a.pcai", "b.png", "--world-file")
    for target in ("c.tif", "c.hdr", "c.npz"):
        assert not done("decode", "a.pcai", target).stderr
    assert not done("decode", "a.pcai", "d.png", "--strip", "place").stderr
    done("encode", "d.png", "d.pcai")
    assert "not georeferenced" in refused("decode", "d.pcai", "e.png", "--world-file")
    assert "beside its file" in refused("decode", "a.pcai", "-", "--world-file")


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


@pytest.fixture
def other(tmp_path, picture):
    path = tmp_path / "other.png"
    PillowImage.fromarray(picture[::-1, 8:80]).save(path)
    return path


@pytest.fixture
def lent(done, pcai, other):
    path = other.with_name("lent.pcai")
    done("encode", other, path, "--model", pcai)
    return path


def model_id(path):
    return str(codec.basis_id(container.read(path.read_bytes())))


@pytest.mark.slow
def test_the_basis_is_not_stored_again(done, figures, pcai, other, lent):
    own = done("encode", other, "own.pcai", "--method", "blocks", "--k", 20, "--json")
    assert lent.stat().st_size < json.loads(own.stdout)["file_bytes"] / 2
    result = done("encode", other, lent, "--model", pcai, "--k", 12, "--overwrite")
    assert "k = 12 of 20" in result.stdout
    assert result.stdout.rstrip().endswith(f"basis in model file, id {model_id(pcai)}")
    found = figures("encode", other, lent, "--model", pcai, "--overwrite")
    assert (found["model"], found["k_max"]) == (model_id(pcai), 20)
    assert json.loads(own.stdout)["model"] is None


def test_without_that_very_model_it_is_refused(done, refused, pcai, other, lent):
    sentence = refused("decode", lent, "back.png")
    assert sentence == (
        f"lent.pcai: The basis is in a model file with the id {model_id(pcai)}; name that file with --model."
    )
    done("encode", other, "another.pcai", "--method", "blocks", "--k", 20)
    assert "this model's id is" in refused("decode", lent, "back.png", "--model", "another.pcai")
    assert "needs no model" in refused("decode", pcai, "back.png", "--model", "another.pcai")
    assert "cannot be read" in refused("decode", lent, "back.png", "--model", "none.pcai")
    assert "is in a model file, with the id" in refused("compare", other, lent)
    assert not Path("back.png").exists()


@pytest.mark.slow
def test_info_tells_where_the_basis_is(done, figures, pcai, lent, photo):
    own, borrowed, trained = (figures("info", path) for path in (pcai, lent, photo))
    assert own["basis"] == {"in_model_file": False, "id": model_id(pcai), "components": 20}
    assert borrowed["basis"] == {"in_model_file": True, "id": model_id(pcai), "components": 20}
    assert trained["basis"] is None
    assert (borrowed["format_version"], borrowed["bytes"]["basis"], borrowed["k_max"]) == ("1.0", 0, 20)
    assert sum(borrowed["bytes"].values()) == borrowed["file_bytes"] == lent.stat().st_size
    assert f"in model file, id {model_id(pcai)}, 20 components" in done("info", lent).stdout
    assert f"its own, id {model_id(pcai)}" in done("info", pcai).stdout
    assert "Basis" not in done("info", photo).stdout


def test_a_file_is_trimmed_without_its_model(done, pcai, lent):
    done("trim", lent, "small.pcai", "--k", 5)
    assert np.array_equal(
        pcaimage.open("small.pcai", model=pcai).decode(), pcaimage.open(lent, model=pcai).decode(5)
    )


@pytest.mark.slow
def test_what_does_not_fit_the_model_is_refused(refused, pcai, photo, other, lent, frames):
    PillowImage.open(other).convert("L").save("grey.png")
    of_type = "one of blocks of 8 × 8 × 3 of type uint8; this image's samples are 8 × 8 × 1"
    for source, model, words, reason in (
        ("grey.png", pcai, (), of_type),
        (other, pcai, ("--method", "channels"), "another method cannot use it"),
        (other, pcai, ("--block", 4), "another method"),
        (other, pcai, ("--standardize",), "not standardised"),
        (other, photo, (), "Only images in blocks, channels or a stack"),
        (other, lent, (), "no basis of its own"),
        (frames, pcai, (), "--method stack"),
        (other, pcai, ("--k", 21), "20 components; k = 21"),
    ):
        assert reason in refused("encode", source, "out.pcai", "--model", model, *words)
    assert not Path("out.pcai").exists()


@pytest.mark.slow
def test_new_images_are_projected_on_a_stack(done, figures, frames, picture):
    done("encode", frames, "faces.pcai", "--method", "stack", "--k", 4)
    PillowImage.fromarray(picture).save("new.png")
    found = figures("encode", "new.png", "new.pcai", "--model", "faces.pcai")
    assert found["k"] <= 4
    done("decode", "new.pcai", "back.png", "--model", "faces.pcai", "--frame", 1)
    back = np.asarray(PillowImage.open("back.png")).astype(float)
    assert back.shape == picture.shape
    assert np.square(back - picture).mean() < 200
    assert Path("new.pcai").stat().st_size < 200


@pytest.mark.slow
def test_one_image_of_a_stack_is_decoded(done, refused, command, frames, pcai):
    done("encode", frames, "stack.pcai", "--method", "stack", "--k", 5)
    whole, less = pcaimage.open("stack.pcai").decode(), pcaimage.open("stack.pcai").decode(2)
    for index in (1, 4, 6):
        line = done("decode", "stack.pcai", f"{index}.png", "--frame", index).stdout
        assert line.startswith(f"{index}.png: 104 × 72, ")
        assert np.array_equal(np.asarray(PillowImage.open(f"{index}.png")), whole[index - 1])
        done("decode", "stack.pcai", f"less{index}.png", "--frame", index, "--k", 2)
        assert np.array_equal(np.asarray(PillowImage.open(f"less{index}.png")), less[index - 1])
    there = refused("decode", "stack.pcai", "one.png", "--frame", 7)
    assert there == "The stack has 6 images; there is no image 7."
    assert "Only a stack has images" in refused("decode", pcai, "one.png", "--frame", 1)
    assert command("decode", "stack.pcai", "one.png", "--frame", 0).exit_code == 2


def test_one_image_keeps_its_opacity(done, tmp_path):
    rgba = np.random.default_rng(2).integers(0, 256, (5, 8, 9, 4), np.uint8)
    tifffile.imwrite(tmp_path / "rgba.tif", rgba, photometric="rgb", extrasamples=["unassalpha"])
    done("encode", "rgba.tif", "stack.pcai", "--method", "stack")
    done("decode", "stack.pcai", "one.png", "--frame", 3)
    assert np.array_equal(np.asarray(PillowImage.open("one.png"))[..., 3], rgba[2, ..., 3])
