import json
from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("in_threads")


def test_a_model_is_trained_and_used(done, figures, frames, png):
    told = done("train", frames, "-o", "model.pcai", "--variance", "99%")
    assert told.stdout.startswith("model.pcai: ")
    assert " samples from 6 images, " in told.stdout
    identifier = told.stdout.rsplit(maxsplit=1)[1]
    done("encode", png, "lent.pcai", "--model", "model.pcai")
    basis = figures("info", "lent.pcai")["basis"]
    assert (basis["in_model_file"], basis["id"]) == (True, identifier)
    done("decode", "lent.pcai", "back.png", "--model", "model.pcai")
    assert figures("compare", png, "back.png")["psnr"] > 25
    model = figures("info", "model.pcai")
    assert (model["method"], model["block"]) == ("blocks", 8)


def test_images_that_are_not_used_are_listed(command, frames):
    (frames / "bad.png").write_bytes(b"no image")
    told = command("train", frames, "-o", "model.pcai", "--k", "5", "--json")
    assert told.exit_code == 2
    found = json.loads(told.stdout)
    assert (found["images"], found["k"], found["k_max"]) == (6, 5, 192)
    assert told.stderr.splitlines()[0] == "pcaimage: 1 image was not used:"
    assert Path("model.pcai").exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["-o", "model.png"], "must end in .pcai"),
        (["-o", "m.pcai", "--method", "photo"], "blocks, channels or a stack"),
        (["-o", "m.pcai", "--k", "3", "--variance", "0.5"], "Give one of k and variance"),
        (["-o", "m.pcai", "--k", "300"], "k must be from 1 to 192"),
    ],
)
def test_what_cannot_be_is_refused(refused, frames, words, sentence):
    assert sentence in refused("train", frames, *words)
    assert not [*Path().glob("m*.pcai")]
