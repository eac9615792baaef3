from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from pcaimage.cli.grid import aligned_numbers, fold_columns, say_grid
from pcaimage.cli.main import app
from tests.unit.insight.numeric.tables import ARRESTS, TUTORIAL

Command = Callable[..., Result]
Refused = Callable[..., str]


@pytest.fixture
def tutorial(tmp_path: Path) -> Path:
    path = tmp_path / "tutorial.csv"
    path.write_text(TUTORIAL, "utf-8")
    return path


def test_the_steps_are_printed_in_their_order(done: Command, tutorial: Path) -> None:
    text = done("table", tutorial, "--k", 1).stdout
    titles = [
        "Mean",
        "Covariance",
        "Eigenvalues",
        "Components",
        "Centred samples",
        "Scores",
        "Reconstruction",
    ]
    places = [text.index(f"\n{title}") for title in [*titles, "Most variance, least error"]]
    assert places == sorted(places)
    for number in ("0.6165556", "0.6154444", "0.7165556", "1.284028", "0.049083", "0.6778734", "96.32 %"):
        assert number in text
    assert "divisor n − 1 = 9" in text
    assert "books may show −1 times them" in text


def test_error_and_variance_left_out_are_shown_equal(done: Command, tutorial: Path) -> None:
    text = done("table", tutorial).stdout
    row = next(line for line in text.splitlines() if line.startswith("k = 1")).split()
    assert row[-2:] == ["0.049083", "0.049083"]
    assert "Reconstruction from" not in text


def test_json_has_the_same_keys_for_ever(done: Command, tutorial: Path) -> None:
    found = json.loads(done("table", tutorial, "--variance", "90%", "--json").stdout)
    assert list(found) == [
        *("samples", "features", "labels", "standardized", "divisor", "mean", "deviations", "covariance"),
        *("correlation", "total_variance", "eigenvalues", "shares", "cumulative", "components", "prepared"),
        *("k", "scores", "reconstruction", "rms_error", "kept_variance", "squared_error", "deflation"),
    ]
    assert found["eigenvalues"] == pytest.approx([1.28402771, 0.0490833989])
    assert (found["k"], found["samples"], found["labels"], found["correlation"]) == (1, 10, None, None)
    assert [len(row) for row in found["scores"]] == [1] * 10
    assert found["deflation"] is None


def test_labels_name_the_samples(done: Command, tmp_path: Path) -> None:
    (tmp_path / "arrests.csv").write_text(ARRESTS, "utf-8")
    text = done("table", "arrests.csv", "--standardize", "--k", 2).stdout
    assert "Correlation" in text
    assert "σ" in text
    assert text.count("West Virginia") == 3
    found = json.loads(done("table", "arrests.csv", "--standardize", "--json").stdout)
    assert found["correlation"][0][0] == pytest.approx(1)
    assert found["labels"][0] == "Alabama"


def test_components_are_found_one_at_a_time(done: Command, tutorial: Path) -> None:
    assert "One at a time" in done("table", tutorial, "--deflation").stdout
    found = json.loads(done("table", tutorial, "--deflation", "--json").stdout)
    first, second = found["deflation"]
    assert first["after"] == pytest.approx(second["before"])
    assert first["component"] == pytest.approx(found["components"][0])
    assert first["difference"] < 1e-9


def test_a_table_is_read_from_standard_input() -> None:
    result = CliRunner().invoke(app, ["table", "-", "--json"], input=TUTORIAL)
    assert result.exit_code == 0
    assert json.loads(result.stdout)["mean"] == pytest.approx([1.81, 1.91])
    assert "The table is empty." in CliRunner().invoke(app, ["table", "-"], input="").stderr


def test_many_samples_are_shown_in_part(done: Command, tmp_path: Path) -> None:
    (tmp_path / "long.csv").write_text("".join(f"{n},{n * n % 7}\n" for n in range(100)), "utf-8")
    assert "40 more samples are not shown; --json has them." in done("table", "long.csv").stdout


def test_what_cannot_be_done_is_said(refused: Refused, tmp_path: Path, tutorial: Path) -> None:
    assert "no such file" in refused("table", "none.csv").lower()
    assert "directory" in refused("table", tmp_path).lower()
    assert "2 components; k = 3" in refused("table", tutorial, "--k", 3)
    (tmp_path / "hole.csv").write_text("x,y\n1,2\n3,\n", "utf-8")
    assert refused("table", "hole.csv").startswith("hole.csv: row 3, column 2 ('y') is empty;")


def test_wide_tables_are_continued_below(capsys: pytest.CaptureFixture[str]) -> None:
    header = ["", *(f"feature {index}" for index in range(30))]
    say_grid("Wide", header, [["row", *(["123.456"] * 30)]])
    assert capsys.readouterr().out.count("row") == 1
    assert [len(part) for part in fold_columns(header, [["row"] + ["1"] * 30], 80)] == [7, 7, 7, 7, 7]
    assert fold_columns(["name"], [], 80) == [[0]]
    # What is wider than the terminal stands alone.
    assert fold_columns(["name", "x" * 99, "y"], [], 80) == [[0, 1], [0, 2]]


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([[1.0, -0.5]], ["1.00", "-0.50"]),
        ([[0.1234567891, -1e-12]], ["0.1234568", "0.0000000"]),
        ([[123.4567891, 1]], ["123.4568", "1.0000"]),
        ([[1e18, 1]], ["1.000000e+18", "1.000000e+00"]),
        ([[1e-9, 0]], ["1.000000e-09", "0.000000e+00"]),
        ([[0.0]], ["0.00"]),
    ],
)
def test_numbers_that_belong_together_have_one_number_of_decimals(
    values: list[list[float]], texts: list[str]
) -> None:
    assert aligned_numbers(values, 7) == [texts]
