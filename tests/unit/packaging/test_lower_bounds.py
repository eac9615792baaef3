import pytest
from lower_bounds import lower_bounds


def test_each_requirement_becomes_its_oldest_version():
    requirements = [
        "numpy>=2.0",
        "ruff>=0.17,<0.18",
        "PySide6-Essentials>=6.7,<6.12; python_version < '3.12'",
    ]
    assert lower_bounds(requirements) == [
        "numpy==2.0",
        "ruff==0.17",
        "PySide6-Essentials==6.7; python_version < '3.12'",
    ]


def test_a_requirement_without_a_lower_bound_is_refused():
    with pytest.raises(ValueError, match=r"rich<14 has no lower bound\."):
        lower_bounds(["numpy>=2.0", "rich<14"])
