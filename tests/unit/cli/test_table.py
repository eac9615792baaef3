import json

import pytest

from pcaimage.cli.terminal import fold_columns, say_grid
from pcaimage.insight.numeric.cells import aligned_numbers, aligned_products
from tests.typed import typed
from tests.unit.insight.numeric.tables import ARRESTS, TUTORIAL


@pytest.fixture
def tutorial(tmp_path):
    path = tmp_path / "tutorial.csv"
    path.write_text(TUTORIAL, "utf-8")
    return path


def test_the_steps_are_printed_in_their_order(done, tutorial):
    text = done("table", tutorial, "--k", 1).stdout
    titles = (
        "Mean",
        "Covariance",
        "Eigenvalues",
        "Components",
        "Centred samples",
        "Scores",
        "Reconstruction",
    )
    places = [text.index(f"\n{title}") for title in (*titles, "Most variance, least error")]
    assert places == sorted(places)
    for number in ("0.6165556", "0.6154444", "0.7165556", "1.284028", "0.049083", "0.6778734", "96.32 %"):
        assert number in text
    assert "divisor n − 1 = 9" in text
    assert "books may show −1 times them" in text
    assert "are off by" in text


def test_error_and_variance_left_out_are_shown_equal_and_rounding_is_not_shown_as_an_error(done, tutorial):
    text = done("table", tutorial).stdout
    row = next(line for line in text.splitlines() if line.startswith("k = 1")).split()
    assert row[-2:] == ["0.049083", "0.049083"]
    assert "Reconstruction from" not in text
    assert "come back exactly" in text


def test_json_has_the_same_keys_for_ever(figures, tutorial):
    found = figures("table", tutorial, "--variance", "90%")
    assert list(found) == [
        *("samples", "features", "labels", "standardized", "divisor", "mean", "deviations", "covariance"),
        *("correlation", "total_variance", "eigenvalues", "shares", "cumulative", "components", "prepared"),
        *("k", "scores", "reconstruction", "rms_error", "kept_variance", "squared_error", "deflation"),
        *("centred", "sigma", "scatter", "matrix", "scores_covariance", "residuals", "arbitrary"),
    ]
    assert found["eigenvalues"] == pytest.approx([1.28402771, 0.0490833989])
    assert (found["k"], found["samples"], found["labels"], found["correlation"]) == (1, 10, None, None)
    assert [len(row) for row in found["scores"]] == [1] * 10
    assert found["deflation"] is None


@pytest.mark.slow
def test_labels_name_the_samples(done, figures, tmp_path):
    (tmp_path / "arrests.csv").write_text(ARRESTS, "utf-8")
    text = done("table", "arrests.csv", "--standardize", "--k", 2).stdout
    assert "Correlation" in text
    assert "σ" in text
    assert text.count("West Virginia") == 3
    found = figures("table", "arrests.csv", "--standardize")
    assert found["correlation"][0][0] == pytest.approx(1)
    assert found["labels"][0] == "Alabama"


def test_components_are_found_one_at_a_time(done, figures, tutorial):
    assert "One at a time" in done("table", tutorial, "--deflation").stdout
    found = figures("table", tutorial, "--deflation")
    first, second = found["deflation"]
    assert first["after"] == pytest.approx(second["before"])
    assert first["component"] == pytest.approx(found["components"][0])
    assert first["difference"] < 1e-9


def test_a_table_is_read_from_standard_input():
    result = typed("table", "-", "--json", input=TUTORIAL)
    assert result.exit_code == 0
    assert json.loads(result.stdout)["mean"] == pytest.approx([1.81, 1.91])
    assert "The table is empty." in typed("table", "-", input="").stderr


def test_many_samples_are_shown_in_part_and_years_above_numbers_are_said_to_be_names(done, figures, tmp_path):
    (tmp_path / "long.csv").write_text("".join(f"{n},{n * n % 7}\n" for n in range(100)), "utf-8")
    assert "40 more samples are not shown; --json has them." in done("table", "long.csv").stdout
    (tmp_path / "years.csv").write_text("country,2019,2020\nFrance,5,6\nChad,7,9\n", "utf-8")
    assert "names the columns" in done("table", "years.csv").stdout
    assert figures("table", "years.csv")["samples"] == 2


def test_what_cannot_be_done_is_said(refused, tmp_path, tutorial):
    assert "no such file" in refused("table", "none.csv").lower()
    assert "directory" in refused("table", tmp_path).lower()
    assert "2 components; k = 3" in refused("table", tutorial, "--k", 3)
    (tmp_path / "hole.csv").write_text("x,y\n1,2\n3,\n", "utf-8")
    assert refused("table", "hole.csv").startswith("hole.csv: row 3, column 2 ('y') is empty;")


def test_wide_tables_are_continued_below(capsys):
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
        ([[1.0, -0.5]], [["1.00", "-0.50"]]),
        ([[0.1234567891, -1e-16]], [["0.1234568", "0.0000000"]]),
        ([[123.4567891, 1]], [["123.4568", "1.0000"]]),
        ([[1e18, 1]], [["1.000000e+18", "1.00"]]),
        ([[1e-9, 0]], [["1.000000e-09", "0.000000e+00"]]),
        ([[0.0]], [["0.00"]]),
        ([[1.70123, 1e6], [1.62, 1234567.8]], [["1.70123", "1000000"], ["1.62000", "1234568"]]),
        ([[3.25, 1], [0.00000412, 2]], [["3.250000", "1.000000"], ["4.120000e-06", "2.000000"]]),
        ([[0.75], [-0.05000000000000027]], [["0.75"], ["-0.05"]]),
    ],
)
def test_numbers_that_belong_together_have_one_number_of_decimals(values, texts):
    assert aligned_numbers(values, 7, dust=1e-15) == texts
    mixed = aligned_products([[0.01002667, 966.6667], [966.6667, 44416666667.0]], 7)
    assert mixed == [["0.01002667", "966.6667"], ["966.6667", "44416666667"]]


MIXED = (
    "height,dollars,share\n1.70,1000000,.0010\n1.62,1200000,.0012\n1.81,900000,.0007\n1.75,1500000,.0011\n"
)


def test_features_of_all_scales_are_legible(done, figures, tmp_path):
    (tmp_path / "mixed.csv").write_text(MIXED, "utf-8")
    text = done("table", "mixed.csv", "--standardize", "--deflation").stdout
    rows = [line.split() for line in text.splitlines()]
    assert ["height", "1.72", "0.08041559"] in rows
    assert ["dollars", "1150000", "264575.1"] in rows
    assert [row[0] for row in rows if len(row) == 3 and row[1:] == ["0.001", "0.0002160247"]] == ["share"]
    assert not [row for row in rows if row[:1] == ["share"] and {"0", "0.00"} & set(row[1:3])]
    text = done("table", "mixed.csv", "--deflation").stdout
    found = figures("table", "mixed.csv", "--deflation")
    # The variance that one component leaves, measured three ways.
    left = found["squared_error"][0]
    assert sum(found["eigenvalues"][1:]) == pytest.approx(left, rel=1e-6)
    assert found["deflation"][0]["after"] == pytest.approx(left, rel=1e-6)
    assert f"{left:.6e}" in text


def test_conventions_of_textbooks_are_followed(done, figures, tmp_path):
    (tmp_path / "prices.csv").write_text("1,2,3\n4,5,6\n7,8,9\n", "utf-8")
    text = done("table", "prices.csv", "--sigma", "n").stdout
    assert "standard deviation with the divisor n\n" in text
    assert "2.44949" in text
    assert "4.50" in text
    found = figures("table", "prices.csv", "--sigma", "n")
    assert found["eigenvalues"] == pytest.approx([4.5, 0, 0])
    assert (found["sigma"], found["correlation"], found["arbitrary"]) == ("n", None, [[2, 3]])
    found = figures("table", "prices.csv", "--no-centre", "--divisor", "none")
    assert found["scatter"] == found["matrix"] == [[66, 78, 90], [78, 93, 108], [90, 108, 126]]
    assert (found["centred"], found["divisor"]) == (False, 1)
    text = done("table", "prices.csv", "--no-center", "--divisor", "none").stdout
    assert "sums of squares are not divided" in text
    assert "lines go through zero" in text
    text = done("table", "prices.csv", "--divisor", "n").stdout
    assert "divisor n = 3" in text
    assert "squared error / n" in text
    assert "Components 2 and 3 have no variance: any 2 orthonormal vectors" in text


def test_samples_may_be_in_columns_and_the_matrix_in_latex(figures, tmp_path):
    body = r"2.3 & 2.6 & 1.5 & 3.1 \\ 4.9 & 5.3 & 3.2 & 6.3 \\ 5.1 & 5.2 & 4.9 & 5.3"
    (tmp_path / "matrix.tex").write_text(rf"\begin{{bmatrix}} {body} \end{{bmatrix}}", "utf-8")
    found = figures("table", "matrix.tex", "--transpose", "--k", 1)
    assert (found["samples"], len(found["features"])) == (4, 3)
    assert found["mean"] == pytest.approx([2.375, 4.925, 5.125])
    residuals = [found["residuals"][row][0] + found["reconstruction"][row][0] for row in range(4)]
    assert residuals == pytest.approx([2.3, 2.6, 1.5, 3.1])
    assert found["scores_covariance"] == [[pytest.approx(found["eigenvalues"][0])]]
