"""The PCA lab: PCA found by hand, on one's own data. No Qt here.

A basis of the features is the state. It begins as the features themselves and is turned plane by plane until
no covariance is left; it is then the PCA. All figures, numbers and formulas follow from :class:`LabState`;
:mod:`~pcaimage.insight.lab.transitions` lead from one state to the next.
"""

from pcaimage.insight.lab.basis import Basis as Basis
from pcaimage.insight.lab.data import TABLES as TABLES
from pcaimage.insight.lab.data import LabData as LabData
from pcaimage.insight.lab.data import blocks as blocks
from pcaimage.insight.lab.data import built_in as built_in
from pcaimage.insight.lab.data import channels as channels
from pcaimage.insight.lab.data import neighbours as neighbours
from pcaimage.insight.lab.data import pasted as pasted
from pcaimage.insight.lab.data import stack as stack
from pcaimage.insight.lab.live import TEXTS as TEXTS
from pcaimage.insight.lab.state import LabState as LabState
from pcaimage.insight.lab.steps import STEPS as STEPS
from pcaimage.insight.lab.steps import check as check
