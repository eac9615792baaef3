from pcaimage.progress import Stages


def test_stages_share_what_is_left_by_the_work_that_they_are():
    told = list[tuple[int, int]]()
    stages = Stages(lambda done, total: told.append((done, total)))
    stages.next(1.0, 3.0)(1, 2)
    stages.next(1.0, 2.0)(0, 1)
    stages.next(1.0, 1.0)(1, 1)
    assert told == [(125, 1000), (250, 1000), (750, 1000)]


def test_another_stage_than_expected_only_slows_progress_down():
    told = list[int]()
    stages = Stages(lambda done, _: told.append(done))
    for _ in range(3):
        stages.next(1.0, 1.0)(1, 1)
    stages.next(2.0)(1, 2)
    stages.end()
    assert told == [500, 750, 875, 938, 1000]
