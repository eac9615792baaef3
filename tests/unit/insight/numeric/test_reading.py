"""Tables are read whatever their dialect, and what is wrong is said with row and column."""

import json
from pathlib import Path

import pytest

from pcaimage.errors import DataError
from pcaimage.insight.numeric import PRINTED, Gaps, How, Limits, Role, layout_of, read_table

KNOWN = json.loads(Path(__file__).with_name("tables.json").read_text("utf-8"))


def read(text, **how):
    data = text.encode() if isinstance(text, str) else text
    return read_table(data, "data.csv", **how)


NUMBERS = [[1.5, 2.0, -3.25], [4.0, 0.5, 1000.0]]


@pytest.mark.parametrize("text", KNOWN["dialects"])
def test_dialects_and_printed_matrices_give_the_same_numbers(text):
    found = read(text)
    assert found.values.tolist() == NUMBERS
    assert found.features == ("x1", "x2", "x3")
    assert found.labels is None


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_encodings_keep_names(encoding):
    found = read("Größe,é\n1,2\n3,4\n".encode(encoding))
    assert found.features == ("Größe", "é")


@pytest.mark.parametrize(
    ("text", "features", "labels"),
    [
        ("x,y\n1,2\n3,4\n", ("x", "y"), None),
        ('"a, b";"c"\n1;2\n3;4\n', ("a, b", "c"), None),
        ("name,x\nann,2\nbob,4\n", ("x",), ("ann", "bob")),
        ("x,species\n1,ann\n3,bob\n", ("x",), ("ann", "bob")),
        ("ann,2\nbob,4\n", ("x2",), ("ann", "bob")),
        (",x,y\n0,1,2\n1,3,4\n", ("x", "y"), ("0", "1")),
        ("x y\nann 1 2\nbob 3 4\n", ("x", "y"), ("ann", "bob")),
        ("x,\n1,2\n3,4\n", ("x", "x2"), None),
        ("x\n1\n3\n", ("x",), None),
    ],
)
def test_header_and_labels_are_found(text, features, labels):
    found = read(text)
    assert [found.features, found.labels] == [tuple(features), labels and tuple(labels)]
    assert len(found.values) == 2


def test_header_and_labels_can_be_said():
    years = "id,2019,2020\n1,5,6\n2,7,8\n"
    assert read(years, header=True, labels="id").features == ("2019", "2020")
    assert read(years, labels="1").labels == ("1", "2")
    assert read("1,2\n3,4\n5,6\n", header=True).features == ("1", "2")
    with pytest.raises(DataError, match=r"no column 'z'; its columns are id, 2019, 2020"):
        read(years, labels="z")
    with pytest.raises(DataError, match=r"row 1, column 1 .* 'x' is not a number"):
        read("x,y\n1,2\n3,4\n", header=False)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x,y\n1,2\n3,\n5,6\n", r"data.csv: row 3, column 2 \('y'\) is empty; every row needs a number"),
        ("x,y\n1,2\nNA,3\n5,6\n", r"row 3, column 1 \('x'\) says 'NA'"),
        ("1,2\n,3\n", "row 2, column 1 .* is empty"),
        ("x,y\n\n\n1,2\n3,4o\n5,6", "row 5, column 2 .* '4o' is not a number"),
        ("x;y\n1,5;2\n3;4.5\n", "'4.5' is not a number; the decimal sign of this table is a comma"),
        ('x,y\n"1,234",2\n"5,678",4\n', "'1,234' is not a number; write thousands without commas"),
        ("1,2\n1e999,3\n", "1e999 is too large"),
        ("1,2\n-2e60,3\n", "-2e60 is too large"),
        ("1,2\ninf,3\n", "'inf' is not a number"),
        ("1,2,3\n4,5\n", "row 2 has 2 cells, but row 1 has 3 cells"),
        ("a,b,1\nc,d,2\n", "columns 'x1' and 'x2' both hold text"),
        ("a\nb\nc\n", "no column of numbers"),
        ("1,2\n", "1 row of numbers; variances need at least two"),
        ("x,y\n1,2\n", "1 row of numbers"),
        ("", "is empty"),
        ("\n \n,,\n", "is empty"),
        ('1,"2\n3,4\n', "is not a CSV file"),
        (b"PK\3\4 a spreadsheet", "is not text; save the table as CSV"),
        (b"1,2\n\0,3\n", "is not text"),
        (b"1" * (PRINTED.n_bytes + 1), "larger than 4 MiB"),
        (",".join(["1"] * 201) + "\n" + ",".join(["2"] * 201), "2 rows of 201 numbers; at most 200 columns"),
        ((",".join(["1"] * 200) + "\n") * 1001, "at most 200 columns and 200,000 numbers"),
    ],
)
@pytest.mark.sweep(11)
def test_what_is_wrong_is_said_in_one_sentence(text, message):
    with pytest.raises(DataError, match=message) as caught:
        read(text)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("data.csv")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (r"\begin{bmatrix} 1 & 2 \end{bmatrix} \begin{bmatrix} 1 & 2 \end{bmatrix}", "holds 2 matrices"),
        ("[[1 2 ... 3]\n ...\n [4 5 ... 6]]", "abbreviated with dots"),
        ("[[[1, 2], [3, 4]]]", "has 3 dimensions"),
        ("[[1, 2], [3]]", "row 2 has 1 cell, but row 1 has 2 cells"),
        (r"\begin{bmatrix} 1 & 2 \\ 3 & x \end{bmatrix}", "row 2, column 2 .* 'x' is not a number"),
        (r"\begin{bmatrix} 1 & 2 \\ 3 & \frac{1}{0} \end{bmatrix}", "is not a number"),
    ],
)
def test_matrices_that_cannot_be_read_are_refused(text, message):
    with pytest.raises(DataError, match=message):
        read(text)


@pytest.mark.parametrize("text", ["R&D,1\nS&T,2\nA&B,3\n", "a[1],b[2]\n1,2\n3,4\n", "[m],[s]\n1,2\n3,4\n"])
def test_ampersands_and_brackets_in_names_are_no_matrix(text):
    assert len(read(text).values) in {2, 3}


@pytest.mark.parametrize(("text", "features", "labels"), KNOWN["printed"])
def test_what_r_prints_and_tables_in_latex_are_read(text, features, labels):
    found = read(text)
    assert [found.features, found.labels] == [tuple(features), labels and tuple(labels)]
    assert found.values[:2, 0].tolist() == [1.5, 4]


def test_how_a_table_is_read_can_be_corrected():
    text = b"id,city,x,y,kind\n1,Bonn,1,2,a\n2,Graz,,4,b\n3,Bern,5,NA,a\n4,Rome,7,8,b\n"
    found = layout_of(text, "data.csv", How())
    assert [*map(str, found.roles)] == ["feature", "names", "feature", "feature", "classes"]
    assert found.body[0].cells == ["1", "Bonn", "1", "2", "a"]
    roles = (Role.UNUSED, Role.NAMES, Role.FEATURE, Role.FEATURE, Role.UNUSED)
    left = read(text, how=How(roles=roles, gaps=Gaps.LEFT_OUT))
    assert (left.labels, left.values.tolist()) == (("Bonn", "Rome"), [[1, 2], [7, 8]])
    assert "rows with gaps left out: 2" in left.reading
    filled = read(text, how=How(roles=roles, gaps=Gaps.FILLED))
    assert filled.values.tolist() == [[1, 2], [13 / 3, 4], [5, 14 / 3], [7, 8]]
    assert read("1,500;2\n2,500;3", how=How(comma=False)).values.tolist() == [[1500, 2], [2500, 3]]


def test_large_tables_are_read_as_small_ones():
    row = "0.25,-1e3," * 511 + "7,8\n"
    names = ",".join(f"f{number}" for number in range(1024)) + "\n"
    limits = Limits(1 << 24, 1024, 1 << 20)
    found = read(names + row * 400, how=How(), limits=limits)
    assert found.values.shape == (400, 1024)
    assert found.values[399, [0, 1, 1022]].tolist() == [0.25, -1000, 7]
    assert (found.features[1023], found.reading) == ("f1023", "400 × 1024, features from row 1")
    with pytest.raises(DataError, match=r"row 3, column 2 .* is empty"):
        read(gapped := row + row + row.replace("-1e3", "", 1) + row * 400, how=How(), limits=limits)
    assert read(gapped, how=How(gaps=Gaps.FILLED), limits=limits).values[2, 1] == -1000
    assert len(read(gapped, how=How(gaps=Gaps.LEFT_OUT), limits=limits).values) == 402


def test_samples_in_columns():
    found = read("1 2 3 4\n5 6 7 8\n", transpose=True)
    assert found.values.tolist() == [[1, 5], [2, 6], [3, 7], [4, 8]]
    assert (found.features, found.labels) == (("x1", "x2"), None)
    named = read("name,ann,bob\nheight,1,2\nweight,3,4\n", transpose=True)
    assert (named.features, named.labels) == (("height", "weight"), ("ann", "bob"))
    assert read("1 2 3", transpose=True).values.shape == (3, 1)
    assert read((",".join(["1"] * 300) + "\n") * 2, transpose=True).values.shape == (300, 2)
    with pytest.raises(DataError, match="at least two samples"):
        read("1\n2\n", transpose=True)
    with pytest.raises(DataError, match=r"at most 200 rows \(features\)"):
        read("1,2\n" * 201, transpose=True)


def test_years_over_numbers_name_the_columns():
    found = read("country,2019,2020,2021\nFrance,5,6,7\nChad,1,2,4\n")
    assert (found.features, found.labels) == (("2019", "2020", "2021"), ("France", "Chad"))
    assert "names the columns" in found.note
    assert "--no-header" in found.note
    assert read("country,2019,2020\nFrance,5,6\n", header=False).labels == ("country", "France")
    # Years below years may be data.
    assert read("ann,1990,2020\nbob,1991,2019\n").labels == ("ann", "bob")
    assert read("ann,1990,1980\nbob,5,6\n").note == ""


@pytest.mark.parametrize(("text", "reading", "values"), KNOWN["readings"])
def test_one_line_says_how_a_table_is_read(text, reading, values):
    found = read(text)
    assert found.reading == reading
    assert found.values.tolist() == values
    said = any(word in reading for word in ("between", "without", " as "))
    assert found.note == (f"It is read as {reading}." if said else "")
