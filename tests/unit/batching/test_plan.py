from pathlib import Path

import pytest

from pcaimage.batching.plan import READ, make_plan
from pcaimage.batching.record import source_key
from pcaimage.errors import ImageError, SettingsError


def touch(folder, *names):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    return folder


def targets(*inputs, out, suffix=".pcai", recursive=False):
    plan = make_plan(inputs, out, suffix, recursive=recursive)
    return {Path(source).name: target for source, target in plan.files}


def test_a_folder_s_images_keep_their_places_in_natural_order(tmp_path):
    photos = touch(tmp_path / "in", "10.png", "2.JPG", "notes.txt", ".hidden.png", "deep/er/1.webp")
    flat = make_plan([photos], tmp_path / "out", ".pcai")
    assert [target for _, target in flat.files] == ["2.pcai", "10.pcai"]
    assert flat.left_alone == 1
    deep = targets(photos, out=tmp_path / "out", recursive=True)
    assert list(deep.values()) == ["2.pcai", "10.pcai", "deep/er/1.pcai"]


def test_several_inputs_have_folders_of_their_own_and_no_image_comes_twice(tmp_path):
    first, second = touch(tmp_path / "x", "a.png"), touch(tmp_path / "y", "a.png", "b.png")
    single = touch(tmp_path, "z.png") / "z.png"
    plan = make_plan([first, second, first / "a.png", single, first], tmp_path / "out", ".pcai")
    assert [target for _, target in plan.files] == ["x/a.pcai", "y/a.pcai", "y/b.pcai", "z.pcai"]


def test_names_that_would_be_equal_keep_their_endings_and_are_told(tmp_path):
    photos = touch(tmp_path / "in", "a.png", "a.jpg", "B.png", "b.jpg", "c.png")
    plan = make_plan([photos], tmp_path / "out", ".pcai")
    kept = {name: f"{name}.pcai" for name in ("a.png", "a.jpg", "B.png", "b.jpg")}
    assert {Path(source).name: target for source, target in plan.files} == kept | {"c.png": "c.pcai"}
    assert len(plan.renamed) == 2
    assert plan.renamed[0] == "a.jpg, a.png would be a.pcai, and will be a.jpg.pcai, a.png.pcai."
    of_the_format = targets(touch(tmp_path / "x", "a.png", "a.jpg"), out=tmp_path / "out", suffix=".png")
    assert of_the_format == {"a.jpg": "a.jpg.png", "a.png": "a.png"}


@pytest.mark.parametrize(
    "names",
    [("a.png", "a.jpg", "a.png.tif"), ("a.png", "a.jpg", "a.png.tif", "a.png.bmp"), ("é.png", "e\u0301.jpg")],
)
def test_new_names_are_never_equal(tmp_path, names):
    found = targets(touch(tmp_path / "in", *names), out=tmp_path / "out")
    assert len({name.casefold() for name in found.values()}) == len(names)


def test_outputs_of_an_earlier_batch_keep_their_names(tmp_path):
    photos = touch(tmp_path / "in", "a.jpg", "a.png")
    known = {source_key(str(photos / "a.png")): "a.pcai"}
    plan = make_plan([photos], tmp_path / "out", ".pcai", known=known)
    assert [target for _, target in plan.files] == ["a.jpg.pcai", "a.pcai"]


def test_neither_outputs_nor_values_of_a_cube_are_inputs_and_compressed_files_for_exports_alone(tmp_path):
    photos = touch(tmp_path, "a.png", "out/b.png", "c.hdr", "c.img")
    found = targets(photos, out=tmp_path / "out", recursive=True)
    assert found == {"a.png": "a.pcai", "c.hdr": "c.pcai"}
    packed = touch(tmp_path / "in", "a.pcai")
    assert not make_plan([packed], tmp_path / "out", ".pcai").files
    assert make_plan([packed], tmp_path / "out", ".png", compressed=True).files
    assert ".pcai" not in READ


def test_an_output_in_the_place_of_an_image_and_a_missing_input_are_refused(tmp_path):
    photos = touch(tmp_path / "in", "a.png", "b.jpg")
    (tmp_path / "link").symlink_to(photos)
    with pytest.raises(SettingsError, match=r"a\.png would take the place of an image"):
        make_plan([photos], tmp_path / "link", ".png")
    with pytest.raises(ImageError, match="no such file or folder"):
        make_plan([tmp_path / "none"], tmp_path / "out", ".pcai")
