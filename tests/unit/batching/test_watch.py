from contextlib import suppress

from pcaimage import Blocks, Settings
from pcaimage.batching import Batch, Compress, State
from pcaimage.batching.batches import run, watch

from .conftest import draw


class EndedError(Exception):
    """Raised to end a watch."""


def test_images_are_taken_once_when_nobody_writes_to_them(tmp_path, inline):
    (tmp_path / "in").mkdir()
    happens = [
        lambda: draw(tmp_path / "in/a.png", 1),
        lambda: (tmp_path / "in/b.png").write_bytes(b"half of it"),
        lambda: draw(tmp_path / "in/b.png", 2),
        lambda: None,
        lambda: draw(tmp_path / "in/a.png", 3, side=32),
        (tmp_path / "in/b.png").unlink,
        lambda: None,
    ]
    steps = iter(happens)

    def wait():
        step = next(steps, None)
        if step is None:
            raise EndedError
        step()

    batch = Batch([tmp_path / "in"], tmp_path / "out", Compress(Settings(Blocks(8), k=3)), resume=True)
    (tmp_path / "out").mkdir()
    taken = list[tuple[str, State]]()
    with suppress(EndedError):
        for tasks in watch(batch, wait):
            taken += [(each.target, each.state) for each in run(tasks, inline, 4)]
    assert taken == [("a.pcai", State.MADE), ("b.pcai", State.MADE), ("a.pcai", State.MADE)]


def test_a_watch_that_begins_again_keeps_what_was_made(tmp_path, inline):
    draw(tmp_path / "in/a.png")
    batch = Batch([tmp_path / "in"], tmp_path / "out", Compress(Settings(Blocks(8), k=3)), resume=True)
    (tmp_path / "out").mkdir()
    for state in (State.MADE, State.KEPT):
        tasks = next(watch(batch, lambda: None))
        assert [each.state for each in run(tasks, inline, 4)] == [state]
