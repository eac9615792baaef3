import csv
import io
import math

import numpy as np
import pytest

from pcaimage import codec
from pcaimage.codec import Header, Step, analyse
from pcaimage.imaging import psnr
from pcaimage.insight import component_table, formatting
from pcaimage.sampling import Blocks, Channels, Lapped, Stack

RNG = np.random.default_rng(5)
Y, X = np.mgrid[:48, :64] / 7.0
IMAGE = np.clip(
    (120 + 40 * np.sin(X + 0.4 * Y) + 25 * np.cos(1.7 * Y))[..., None] * (0.8, 1.0, 0.9)
    + RNG.normal(0, 5, (48, 64, 3)),
    0,
    255,
).astype(np.uint8)


def rebuilt(analysis, image, k):
    """The image from its first k components, nothing rounded."""
    pca, header = analysis.pca, analysis.header
    rows = pca.components_[:k]
    scores = (analysis.samples.reshape(header.n_samples, -1) - pca.mean_) / pca.scale_ @ rows.T
    samples = pca.mean_ + scores @ rows * pca.scale_
    return header.sampling.from_samples(samples, header.shape).reshape(image.shape)


@pytest.mark.parametrize("sampling", [Blocks(4), Channels(), Blocks(8)])
@pytest.mark.parametrize("standardize", [False, True])
def test_quality_of_the_first_components_is_what_leaving_out_the_others_costs(sampling, standardize):
    analysis = analyse(IMAGE, sampling, standardize=standardize)
    assert isinstance(analysis, codec.Analysis)
    rows = component_table.component_rows(analysis, analysis.header)
    for k in (1, 2, analysis.n_components // 2 + 1):
        if k < analysis.n_components:
            error = float(np.mean((rebuilt(analysis, IMAGE, k) - IMAGE) ** 2))
            assert rows.psnr[k - 1] == pytest.approx(10 * math.log10(255**2 / error), abs=1e-6)
    assert math.isinf(rows.psnr[-1])


def test_quality_of_a_stack_counts_its_few_images_right():
    stack = RNG.integers(0, 256, (5, 6, 7, 1), np.uint8)
    analysis = analyse(stack, Stack())
    rows = component_table.component_rows(analysis, analysis.header)
    error = float(np.mean((rebuilt(analysis, stack, 2) - stack) ** 2))
    assert rows.psnr[1] == pytest.approx(10 * math.log10(255**2 / error), abs=1e-6)


def test_quality_of_a_photos_first_components_is_about_right():
    analysis = analyse(IMAGE, Lapped())
    rows = component_table.component_rows(
        analysis, analysis.header, axes=component_table.channel_axes(analysis.header)
    )
    assert sorted(set(rows.axes.tolist())) == [1, 2, 3]
    assert rows.axes[:3].tolist() == [1, 2, 3]
    for k in (6, 30, 100):
        model = codec.quantize(analysis, k, codec.Step.nearest(0.5))
        assert rows.psnr[k - 1] == pytest.approx(psnr(IMAGE, model.reconstruct()), abs=0.5)


def test_shares_add_up_and_bits_are_those_that_were_measured():
    analysis = analyse(IMAGE, Blocks(4))
    rows = component_table.component_rows(analysis, analysis.header, of_components=np.array([10, 20]))
    assert rows.shares.sum() == pytest.approx(1.0)
    assert np.allclose(np.cumsum(rows.shares), rows.cumulative)
    assert rows.bits[:2].tolist() == [80, 160]
    assert np.isnan(rows.bits[2:]).all()


def test_of_variances_alone_quality_is_known_only_if_all_are():
    header, variances = analyse(IMAGE, Blocks(4)).header, np.array([6.0, 3.0, 1.0])
    for total, known, cumulative in (
        ({}, True, [0.6, 0.9, 1.0]),
        ({"total": math.nan}, False, [0.6, 0.9, 1.0]),
        ({"total": 20.0}, True, [0.3, 0.45, 0.5]),
    ):
        rows = component_table.component_rows(variances, header, **total)
        assert np.isnan(rows.psnr[:2]).tolist() == [not known] * 2
        assert rows.cumulative.tolist() == pytest.approx(cumulative)


def small():
    header = analyse(IMAGE, Blocks(4)).header
    rows = component_table.component_rows(
        np.array([6.1234567890123, 3.0, 0.0]), header, of_components=np.array([10, 20])
    )
    return rows.kept(2, {1})


def test_states_tell_what_is_kept_left_out_and_behind():
    rows = small()
    assert [rows.state(number) for number in (1, 2, 3)] == ["left out", "kept", "not kept"]
    assert rows.values("state").tolist() == [1, 0, 2]
    assert rows.kept(3).values("state").tolist() == [0, 0, 0]
    assert rows.kept(1, {3}).values("state").tolist() == [0, 2, 2]


def test_comma_separated_values_and_the_clipboards_table_keep_every_digit():
    rows = small()
    text = component_table.to_csv(rows)
    assert text.count("\r\n") == text.count("\n") == 4
    table = list(csv.DictReader(io.StringIO(text, newline="")))
    assert list(table[0]) == ["component", "variance", "share", "cumulative", "bits", "psnr", "state"]
    assert float(table[0]["variance"]) == 6.1234567890123
    assert (table[0]["bits"], table[2]["bits"]) == ("80", "")
    assert table[1]["psnr"] == table[2]["psnr"] == "inf"
    assert [float(row["psnr"]) for row in table] == rows.psnr.tolist()
    html = component_table.to_html(rows, [1])
    assert 'sdval="6.1234567890123"' in html
    assert "<td>left out</td>" in html
    assert html.count("<tr>") == 2


def test_figures_for_people_are_rounded_but_shares_never_up():
    header = analyse(IMAGE, Blocks(4)).header
    rows = component_table.component_rows(
        np.array([123456.0, 99.999, 1.0]), header, of_components=np.array([12345])
    )
    assert rows.shown("bits", 1) == "98\u202f760"
    assert rows.shown("bits", 2) == ""
    assert rows.shown("variance", 1) == "123\u202f456"
    assert rows.shown("cumulative", 2) == "99.99"
    assert rows.shown("share", 3) == "< 0.01"
    assert rows.shown("psnr", 3) == "exact"


def test_a_kept_component_without_a_byte_of_its_own_is_not_said_to_take_none():
    header = Header((8, 8, 3), "uint8", Channels(), Step.nearest(1.0))
    rows = component_table.component_rows(
        np.array([9.0, 4.0, 1.0]), header, of_components=np.array([7, 0, 0])
    ).kept(2)
    assert [rows.shown("bits", number) for number in (1, 2, 3)] == ["56", "< 8", "0"]
    assert rows.record(2)[rows.columns.index(next(c for c in rows.columns if c.key == "bits"))] == "0"


@pytest.fixture
def binary():
    formatting.use_units(formatting.Units.BINARY)
    yield
    formatting.use_units(formatting.Units.DECIMAL)


@pytest.mark.parametrize(
    ("size", "text"),
    [
        *((0, "0 B"), (999, "999 B"), (1000, "1.0 KB"), (41_234, "41.2 KB"), (99_940, "99.9 KB")),
        *((99_960, "100 KB"), (493_000, "493 KB"), (999_960, "1.0 MB"), (72_000_000, "72.0 MB")),
        (3_200_000_000, "3.2 GB"),
    ],
)
def test_sizes_are_read_in_decimal_units(size, text):
    assert formatting.file_size(size).replace("\u00a0", " ") == text


@pytest.mark.usefixtures("binary")
@pytest.mark.parametrize(
    ("size", "text"),
    [(1023, "1023 B"), (1024, "1.0 KiB"), (102_400, "100 KiB"), (3 << 20, "3.0 MiB"), (5 << 30, "5.0 GiB")],
)
def test_sizes_are_read_in_binary_units_if_that_is_wanted(size, text):
    assert formatting.file_size(size).replace("\u00a0", " ") == text
    assert formatting.file_size(41_234, formatting.Units.DECIMAL) == "41.2\u00a0KB"
    assert [formatting.parse_size(typed) for typed in ("2k", "2 KB", "2 B")] == [2048, 2000, 2]


@pytest.mark.parametrize(
    ("text", "size"), [("25 %", 10_000), ("12,5%", 5_000), ("≈ 1\u00a0%", 400), ("% of it", None)]
)
def test_a_size_may_be_a_share_of_the_original(text, size):
    assert formatting.parse_size(text, 40_000) == size
    assert formatting.parse_size(text) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("0.95", 0.95), (",95", 0.95), ("95 %", 0.95), ("95", 0.95), ("1", 1.0), ("0", None)),
        *(("-1", None), ("100 %", 1.0), ("120 %", None), (" 99.9 % ", 0.999), ("alike", None)),
    ],
)
def test_a_share_is_a_number_or_percents(text, value):
    assert formatting.parse_share(text) == (None if value is None else pytest.approx(value))


@pytest.mark.parametrize(
    ("text", "size"),
    [
        *(("41.2 KB", 41_200), ("41,2kb", 41_200), ("≈ 41.2\u00a0KB", 41_200), ("300k", 300_000)),
        *(("40 KiB", 40_960), ("1mib", 1 << 20), ("5 ib", None), ("1.5 MB", 1_500_000)),
        *(("2g", 2_000_000_000), ("500", 500), ("500 B", 500), ("40_000", 40_000), (".5m", 500_000)),
        *(("300 bytes", 300), ("12.9", 12), ("0", None), ("kb", None), ("12 kg", None), ("twelve", None)),
        ("", None),
    ],
)
def test_a_size_may_be_typed_with_or_without_its_unit(text, size):
    assert formatting.parse_size(text) == size


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("97.31 %", 97.31), ("97,31", 97.31), ("34.1 dB", 34.1), (" 12 ", 12.0), ("nan", None)),
        *(("inf", None), ("lossless", None), ("", None), ("1.2.3", None)),
    ],
)
def test_a_number_may_be_typed_with_or_without_its_unit(text, value):
    assert formatting.parse_number(text) == value


def test_a_share_is_not_rounded_up_and_no_error_is_called_lossless():
    for share, text in ((99.999, "99.99\u00a0%"), (97.31, "97.31\u00a0%"), (100, "100.00\u00a0%")):
        assert formatting.percent(share) == text
    assert formatting.decibels(math.inf) == "lossless"
    assert formatting.decibels(34.119) == "34.12\u00a0dB"
