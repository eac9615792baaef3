"""PCA of small tables of numbers, step by step as in textbooks."""

from pcaimage.choices import Divisor as Divisor
from pcaimage.insight.numeric.cells import PRINTED as PRINTED
from pcaimage.insight.numeric.cells import Limits as Limits
from pcaimage.insight.numeric.reading import Gaps as Gaps
from pcaimage.insight.numeric.reading import How as How
from pcaimage.insight.numeric.reading import NumericTable as NumericTable
from pcaimage.insight.numeric.reading import Role as Role
from pcaimage.insight.numeric.reading import TableText as TableText
from pcaimage.insight.numeric.reading import layout_of as layout_of
from pcaimage.insight.numeric.reading import read_table as read_table
from pcaimage.insight.numeric.steps import Convention as Convention
from pcaimage.insight.numeric.steps import Deflated as Deflated
from pcaimage.insight.numeric.steps import Prepared as Prepared
from pcaimage.insight.numeric.steps import Sigma as Sigma
from pcaimage.insight.numeric.steps import TableSteps as TableSteps
from pcaimage.insight.numeric.steps import deflate as deflate
from pcaimage.insight.numeric.steps import take_apart as take_apart
from pcaimage.insight.numeric.steps import take_away as take_away
from pcaimage.insight.numeric.steps import ties as ties
