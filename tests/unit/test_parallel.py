from __future__ import annotations

import threading

import pytest

from pcaimage.parallel import in_parallel


@pytest.mark.parametrize("length", [0, 1, 2, 7, 100])
@pytest.mark.parametrize("worth", [True, False])
def test_ranges_make_up_the_whole(length: int, *, worth: bool) -> None:
    seen: list[int] = []
    in_parallel(lambda start, stop: seen.extend(range(start, stop)), length, worth=worth)
    assert sorted(seen) == list(range(length))


def test_work_that_is_not_worth_it_stays_on_its_thread() -> None:
    threads = set()
    in_parallel(lambda _start, _stop: threads.add(threading.get_ident()), 100, worth=False)
    assert threads == {threading.get_ident()}


def test_an_error_in_a_range_reaches_the_caller() -> None:
    def fail(start: int, stop: int) -> None:
        raise ValueError(f"{start} {stop}")

    with pytest.raises(ValueError, match=r"0 "):
        in_parallel(fail, 100, worth=True)
