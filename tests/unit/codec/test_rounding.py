from pcaimage.codec.coding.rounding import WIDEST_ZONE, dead_zone


def test_the_dead_zone_grows_from_the_finest_step_up_to_its_widest():
    zones = [dead_zone(step, 0.5) for step in (0.1, 0.5, 1.0, 2.0, 4.0, 400.0)]
    assert zones == sorted(zones)
    assert zones[0] == zones[1] == 0 < zones[2]
    assert zones[-1] == zones[-2] == WIDEST_ZONE
