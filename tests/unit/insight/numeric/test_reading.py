"""Tables are read whatever their dialect, and what is wrong is said with row and column."""

from __future__ import annotations

import pytest

from pcaimage.errors import DataError
from pcaimage.insight.numeric import MAX_TEXT_BYTES, NumericTable, read_table


def read(text: str | bytes, **how: object) -> NumericTable:
    data = text.encode() if isinstance(text, str) else text
    return read_table(data, "data.csv", **how)  # type: ignore[arg-type]


NUMBERS = [[1.5, 2.0, -3.25], [4.0, 0.5, 1000.0]]


@pytest.mark.parametrize(
    "text",
    [
        "1.5,2,-3.25\n4,.5,1e3\n",
        "1.5;2;-3.25\r\n4;.5;1E+3",
        "1,5;2;-3,25\n4;,5;1e3\n",
        "1.5\t2\t-3.25\n4\t0.5\t1000\n",
        "1,5\t2\t-3,25\n4\t0,5\t1000\n",
        "1.5|2|-3.25\n4|0.5|1000\n",
        "  1.5   2    -3.25 \n  4.0   0.5  1000.0\n",
        '"1.5","2","−3.25"\n"4","0.5","1000"\n',
        '"1,5","2,0","-3,25"\n"4,0","0,5","1000,0"\n',
        "1.5, 2, -3.25,\n\n4, 0.5, +1000,\n\n",
        "\ufeff1.5,2,-3.25\n4,.5,1000",
        "1.5,2,-3.25\r4,.5,1000\r",
    ],
)
def test_dialects_give_the_same_numbers(text: str) -> None:
    found = read(text)
    assert found.values.tolist() == NUMBERS
    assert found.features == ("x1", "x2", "x3")
    assert found.labels is None


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_encodings_keep_names(encoding: str) -> None:
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
def test_header_and_labels_are_found(
    text: str, features: tuple[str, ...], labels: tuple[str, ...] | None
) -> None:
    found = read(text)
    assert (found.features, found.labels) == (features, labels)
    assert len(found.values) == 2


def test_header_and_labels_can_be_said() -> None:
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
        (b"1" * (MAX_TEXT_BYTES + 1), "larger than 4 MiB"),
        (",".join(["1"] * 201) + "\n" + ",".join(["2"] * 201), "2 rows of 201 numbers; at most 200 columns"),
        ((",".join(["1"] * 200) + "\n") * 1001, "at most 200 columns and 200,000 numbers"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(text: str | bytes, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        read(text)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("data.csv")
