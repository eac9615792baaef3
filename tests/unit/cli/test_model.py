"""Images are compressed with the components of another file, which is then needed to decode them."""

import json
from pathlib import Path

import numpy as np
import pytest
import tifffile
from PIL import Image as PillowImage

import pcaimage
from pcaimage import codec, container


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
    done("decode", "new.pcai", "back.png", "--model", "faces.pcai", "--index", 1)
    back = np.asarray(PillowImage.open("back.png")).astype(float)
    assert back.shape == picture.shape
    assert np.square(back - picture).mean() < 200
    assert Path("new.pcai").stat().st_size < 200


@pytest.mark.slow
def test_one_image_of_a_stack_is_decoded(done, refused, command, frames, pcai):
    done("encode", frames, "stack.pcai", "--method", "stack", "--k", 5)
    whole, less = pcaimage.open("stack.pcai").decode(), pcaimage.open("stack.pcai").decode(2)
    for index in (1, 4, 6):
        line = done("decode", "stack.pcai", f"{index}.png", "--index", index).stdout
        assert line.startswith(f"{index}.png: 104 × 72, ")
        assert np.array_equal(np.asarray(PillowImage.open(f"{index}.png")), whole[index - 1])
        done("decode", "stack.pcai", f"less{index}.png", "--index", index, "--k", 2)
        assert np.array_equal(np.asarray(PillowImage.open(f"less{index}.png")), less[index - 1])
    there = refused("decode", "stack.pcai", "one.png", "--index", 7)
    assert there == "The stack has 6 images; there is no image 7."
    assert "Only a stack has images" in refused("decode", pcai, "one.png", "--index", 1)
    assert command("decode", "stack.pcai", "one.png", "--index", 0).exit_code == 2


def test_one_image_keeps_its_opacity(done, tmp_path):
    rgba = np.random.default_rng(2).integers(0, 256, (5, 8, 9, 4), np.uint8)
    tifffile.imwrite(tmp_path / "rgba.tif", rgba, photometric="rgb", extrasamples=["unassalpha"])
    done("encode", "rgba.tif", "stack.pcai", "--method", "stack")
    done("decode", "stack.pcai", "one.png", "--index", 3)
    assert np.array_equal(np.asarray(PillowImage.open("one.png"))[..., 3], rgba[2, ..., 3])
