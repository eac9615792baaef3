"""PCA of small tables of numbers, step by step as in textbooks."""

from pcaimage.insight.numeric.columns import NumericTable, read_table
from pcaimage.insight.numeric.convention import Convention, Divisor, Sigma
from pcaimage.insight.numeric.deflated import Deflated, deflate
from pcaimage.insight.numeric.steps import TableSteps, take_apart
from pcaimage.insight.numeric.text import MAX_TEXT_BYTES

__all__ = [
    "MAX_TEXT_BYTES",
    "Convention",
    "Deflated",
    "Divisor",
    "NumericTable",
    "Sigma",
    "TableSteps",
    "deflate",
    "read_table",
    "take_apart",
]
