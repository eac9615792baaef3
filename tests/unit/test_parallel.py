import os
import threading

import pytest

from pcaimage.machine.parallel import cores, followed, in_order, in_parallel, side_by_side


@pytest.mark.parametrize("length", [0, 1, 2, 7, 100])
@pytest.mark.parametrize("worth", [True, False])
def test_ranges_make_up_the_whole(length, *, worth):
    seen = []
    in_parallel(lambda start, stop: seen.extend(range(start, stop)), length, worth=worth)
    assert sorted(seen) == list(range(length))


def test_work_that_is_not_worth_it_stays_on_its_thread():
    threads = set()
    in_parallel(lambda _start, _stop: threads.add(threading.get_ident()), 100, worth=False)
    assert threads == {threading.get_ident()}


def test_an_error_in_a_range_reaches_the_caller():
    def fail(start, stop):
        raise ValueError(f"{start} {stop}")

    with pytest.raises(ValueError, match=r"0 "):
        in_parallel(fail, 100, worth=True)


@pytest.mark.parametrize("count", [0, 1, 2, 50])
def test_results_come_in_their_order(count):
    assert list(in_order(lambda number: number * number, count)) == [n * n for n in range(count)]


def test_little_is_done_ahead_of_what_is_taken():
    begun = []

    def work(number):
        begun.append(number)
        return number

    results = in_order(work, 10_000)
    assert next(results) == 0
    results.close()
    assert len(begun) < 100 + 3 * (os.cpu_count() or 1)


def test_an_error_comes_in_its_place():
    def work(number):
        if number == 3:
            raise ValueError("three")
        return number

    results = in_order(work, 1000)
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ValueError, match="three"):
        next(results)


@pytest.mark.parametrize("count", [0, 1, 2, 30])
def test_what_follows_has_the_results_before(count):
    seen = {}

    def then(number, results):
        seen[number] = list(results)

    assert followed(lambda number: number * number, then, count) == [n * n for n in range(count)]
    assert seen == {n: [(n - 1) ** 2, n * n] if n else [0] for n in range(count)}


@pytest.mark.parametrize("where", ["first", "then"])
def test_an_error_ends_what_was_to_follow(where):
    def first(number):
        if where == "first" and number == 3:
            raise ValueError("three")
        return number

    def then(number, _results):
        if where == "then" and number == 3:
            raise ValueError("three")

    with pytest.raises(ValueError, match="three"):
        followed(first, then, 200)


def test_nothing_more_begins_after_an_error():
    begun = []

    def work(number):
        begun.append(number)
        raise ValueError(number)

    with pytest.raises(ValueError, match=r"\d"):
        side_by_side(work, 1000)
    assert len(begun) <= cores()
