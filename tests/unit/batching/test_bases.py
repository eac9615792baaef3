from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import pcaimage
from pcaimage import PCA, Blocks, Channels, Settings, Stack
from pcaimage.batching import Compress, Export, Goal, State, train
from pcaimage.batching.batches import Batch
from pcaimage.batching.plan import READ, make_plan
from pcaimage.batching.record import source_key
from pcaimage.batching.sharing import Curve, Point
from pcaimage.errors import ImageError, SettingsError
from pcaimage.imaging import Image, read_image, write_image
from pcaimage.imaging.measures.metrics import Ssimulacra
from pcaimage.sampling import Lapped

from .conftest import draw


@pytest.fixture
def ten(tmp_path):
    """Return a folder of ten images of equal size, more than one group."""
    for seed in range(10):
        draw(tmp_path / "in" / f"{seed}.png", seed, side=16)
    return tmp_path / "in"


@pytest.mark.parametrize("sampling", [Blocks(4), Channels(), Blocks(8)])
@pytest.mark.parametrize("standardize", [False, True])
@pytest.mark.slow
def test_the_basis_is_that_of_all_samples_together(ten, inline, sampling, *, standardize):
    trained = train(ten, sampling, standardize=standardize, executor=inline)
    images = [read_image(path).pixels for path in sorted(ten.iterdir())]
    whole = PCA(standardize=standardize).fit(np.concatenate([sampling.to_samples(each) for each in images]))
    np.testing.assert_allclose(trained.pca.mean_, whole.mean_)
    count = min(whole.n_components_, trained.pca.n_components_)
    np.testing.assert_allclose(
        trained.pca.explained_variance_[:count],
        whole.explained_variance_[:count],
        rtol=1e-9,
        atol=1e-9 * whole.explained_variance_[0],
    )
    assert len(trained.used) == 10


@pytest.mark.parametrize("sampling", [Blocks(4), Channels(), Stack()])
@pytest.mark.sweep(2)
def test_a_model_file_serves_other_images(ten, tmp_path, inline, sampling):
    trained = train(ten, sampling, executor=inline)
    n_bytes = trained.save(tmp_path / "model.pcai", 3)
    model = pcaimage.open(tmp_path / "model.pcai")
    assert (model.k, model.n_bytes) == (3, n_bytes)
    found = model.compressed.spectrum
    np.testing.assert_allclose(found, trained.pca.explained_variance_[:3], rtol=1e-3)
    new = draw(tmp_path / "new.png", 77, side=16)
    pixels = read_image(new).pixels
    pixels = pixels[None] if isinstance(sampling, Stack) else pixels
    lender = (tmp_path / "model.pcai").read_bytes()
    data = pcaimage.encode(pixels, Settings(sampling, k=3), model=lender)
    own = trained.pca.inverse_transform(
        trained.pca.transform(sampling.to_samples(pixels))[:, :3] @ np.eye(3, trained.pca.n_components_)
    )
    best = np.mean((sampling.from_samples(own, pixels.shape) - pixels) ** 2)
    restored = pcaimage.decode(data, model=lender).astype(float)
    assert np.mean((restored - pixels) ** 2) < 1.1 * best + 1


@pytest.mark.slow
def test_the_file_does_not_depend_on_who_worked(ten, tmp_path, inline):
    train(ten, executor=inline).save(tmp_path / "one.pcai", variance=0.95)
    steps = list[tuple[int, int]]()
    train(ten, workers=2, on_done=lambda done, total: steps.append((done, total))).save(
        tmp_path / "two.pcai", variance=0.95
    )
    assert (tmp_path / "one.pcai").read_bytes() == (tmp_path / "two.pcai").read_bytes()
    assert steps == [(8, 10), (10, 10)]


def test_images_that_cannot_be_used_are_told_of(ten, inline):
    (ten / "bad.png").write_bytes(b"no image")
    write_image(ten / "grey.png", Image(np.zeros((9, 9, 1), np.uint8)))
    np.save(ten / "real.npy", np.zeros((9, 9, 3), np.float32))
    trained = train(ten, executor=inline)
    assert len(trained.used) == 10
    assert {Path(name).name for name, _ in trained.failures} == {"bad.png", "grey.png", "real.npy"}
    reasons = {Path(name).name: reason for name, reason in trained.failures}
    assert reasons["grey.png"] == (
        "It is of another kind (grey, uint8, 8 × 8) than the first (colour, uint8, 8 × 8)."
    )


def test_what_has_no_basis_is_refused(ten, tmp_path, inline):
    with pytest.raises(SettingsError, match="blocks, channels or a stack"):
        train(ten, Lapped(), executor=inline)
    with pytest.raises(ImageError, match=r"None of the images can be used; .*12,288 values are too large"):
        train(ten, Blocks(64), executor=inline)
    (tmp_path / "empty").mkdir()
    with pytest.raises(SettingsError, match="no images"):
        train(tmp_path / "empty", executor=inline)
    with pytest.raises(SettingsError, match="k must be from 1 to 3"):
        train(ten, Channels(), executor=inline).encoding(k=4)


JPEG = Export("jpeg")


QUALITIES = (5, 40, 70, 97)


def curve(size, loss=1.0, most=10**9):
    """Return a curve whose sizes double with every twenty steps of quality."""
    return Curve(tuple(Point(q, size * 2 ** (q / 20), 100 - (100 - q) * loss) for q in QUALITIES), most)


CURVES = {"plain": curve(1000), "busy": curve(4000, 1.3), "flat": curve(200, 0.8)}


@pytest.fixture
def pictures(tmp_path):
    """Return pictures of more and more detail, and which of two scales it has."""
    folder, rng = tmp_path / "pictures", np.random.default_rng(3)
    folder.mkdir()
    for number, strength in enumerate((6, 20, 45)):
        noise = rng.normal(0, strength, (96 // (1 + number % 2), 128 // (1 + number % 2), 1))
        noise = noise.repeat(1 + number % 2, 0).repeat(1 + number % 2, 1)
        ramp = np.linspace((60, 90, 80), (190, 150, 170), 128)[None]
        pixels = np.clip(ramp + noise, 0, 255).astype(np.uint8)
        write_image(folder / f"{number}.png", Image(pixels))
    return folder


def scores(pictures, out):
    found = [
        (read_image(each).pixels, read_image(out / f"{each.stem}.jpg").pixels) for each in pictures.iterdir()
    ]
    return [Ssimulacra(one).score(two) for one, two in found]


@pytest.mark.parametrize("total", [20_000, 60_000, 400_000])
def test_sizes_fit_and_all_look_alike(total):
    portions = Goal(total).shared(CURVES)
    assert sum(each.n_bytes for each in portions.values()) <= total
    assert sum(each.most for each in portions.values()) <= total
    visible = [each.visible for each in portions.values()]
    assert max(visible) - min(visible) < 1
    for source, portion in portions.items():
        seen = np.interp(portion.quality, QUALITIES, [each.visible for each in CURVES[source].points])
        assert seen == pytest.approx(portion.visible, abs=0.8)


def test_more_bytes_never_look_worse_and_no_more_than_needed_are_spent():
    visible = [Goal(total).shared(CURVES)["busy"].visible for total in range(3_000, 1_000_000, 20_000)]
    assert visible == sorted(visible)
    assert visible[-1] == pytest.approx(Goal().visible, abs=0.5)
    enough = Goal(10**12, visible=70.0).shared(CURVES).values()
    assert [each.visible for each in enough] == pytest.approx([70.0] * 3, abs=0.5)


def test_no_original_is_exceeded_and_photographs_without_curves_get_their_share():
    portions = Goal(each=9_000).shared({**CURVES, "small": curve(1000, most=3_000)}).values()
    assert [each.most for each in portions] == [9_000, 9_000, 9_000, 3_000]
    assert all(each.n_bytes <= each.most for each in portions)
    assert len({each.visible for each in portions}) > 1
    assert Goal(40_000).shared(CURVES, 6) == Goal(20_000).shared(CURVES)
    assert Goal(40_000).shared({}) == {}
    moved = curve(1000).through(Point(60, 12_000, 50.0))  # a file that was made
    (level,) = Goal(visible=50.0).shared({"": moved}).values()
    assert level.quality == 60
    assert level.n_bytes == pytest.approx(12_000)


def test_files_of_a_batch_fit_together_and_look_alike(pictures, tmp_path, inline):
    lossless = pcaimage.batch(pictures, tmp_path / "best", JPEG, executor=inline).target_bytes
    total = lossless // 3
    report = pcaimage.batch(pictures, tmp_path / "out", JPEG, goal=Goal(total), executor=inline)
    assert not report.failures
    assert total * 0.6 < report.target_bytes <= total
    found = scores(pictures, tmp_path / "out")
    alike = pcaimage.batch(pictures, tmp_path / "alike", replace(JPEG, quality=50), executor=inline)
    assert not alike.failures
    before = scores(pictures, tmp_path / "alike")
    assert max(found) - min(found) < 3 < max(before) - min(before)


def test_files_keep_to_a_size_of_each_or_a_visible_quality(pictures, tmp_path, inline):
    report = pcaimage.batch(pictures, tmp_path / "each", JPEG, goal=Goal(each=3000), executor=inline)
    assert all(each.target_bytes <= 3000 for each in report.results)
    pcaimage.batch(pictures, tmp_path / "seen", JPEG, goal=Goal(visible=70.0), executor=inline)
    assert scores(pictures, tmp_path / "seen") == pytest.approx([70] * 3, abs=2)


def test_what_cannot_be_read_leaves_its_bytes_to_the_others(pictures, tmp_path, inline):
    (pictures / "broken.png").write_bytes(b"no image")
    report = pcaimage.batch(pictures, tmp_path / "out", JPEG, goal=Goal(9000), executor=inline)
    assert [each.target for each in report.failures] == ["broken.jpg"]
    assert "broken.png" in report.failures[0].reason
    assert 7000 < report.target_bytes <= 9000
    again = pcaimage.batch(pictures, tmp_path / "out", JPEG, goal=Goal(9000), resume=True, executor=inline)
    assert again.count(State.KEPT) == 3


def test_a_file_is_made_again_until_it_fits(pictures, tmp_path):
    whole = replace(JPEG, quality=95).make(pictures / "2.png", tmp_path / "whole.jpg")
    assert whole is None
    for share in (0.97, 0.5, 0.2):
        most = int((tmp_path / "whole.jpg").stat().st_size * share)
        path = tmp_path / f"{share}.jpg"
        replace(JPEG, quality=95, most=most).make(pictures / "2.png", path)
        assert most / 3 < path.stat().st_size <= most
    with pytest.raises(ImageError, match=r"2.png takes .* at least"):
        replace(JPEG, quality=95, most=100).make(pictures / "2.png", tmp_path / "none.jpg")
    assert not (tmp_path / "none.jpg").exists()


def test_goals_that_make_no_sense_are_refused(pictures, tmp_path):
    for recipe in (Compress(), Export("png"), Export("jpeg", quality=80)):
        with pytest.raises(SettingsError):
            Batch([pictures], tmp_path, recipe, goal=Goal(1000))
    for wrong in ({"total": 0}, {"each": -1}, {"visible": 0.0}, {"visible": 101.0}):
        with pytest.raises(SettingsError):
            Goal(**wrong)


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
