"""Bit prediction by logistic mixing: adaptive context models and an online-trained mixer.

Every context of a bit has a model: a probability and a count of the bits seen, so that it adapts quickly at
first and slowly later. The models' predictions are summed in the logistic domain with weights that are
trained online by gradient descent [1]_. Secondary estimation corrects the systematic error that remains [2]_.
All numbers are integers; tables convert between probabilities and logits.

References
----------
.. [1] M. Mahoney, "Adaptive weighing of context models for lossless data compression", Florida Tech.
   Technical Report CS-2005-16, 2005.
.. [2] C. Bloom, "Solving the problems of context modeling", 1998, section on secondary estimation.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint32]

COUNT_BITS = 10
"""Bits of a model's count; the 22 bits above it are its probability."""

LOGIT_LIMIT = 2815
"""Logits are in units of 1/256 and clipped to ±11."""

KNOTS = 24
"""Interpolation points of a secondary-estimation curve: one for each whole logit from -11 on."""


class Mixer(NamedTuple):
    """Adaptive models and mixing weights of one kind of bits.

    Models have probability and count of each context of each bit; optionally with the probability's logit
    beside it, where looking that up would dominate the time. The weights of a set are a row, in 1/65536;
    `more` is a second family of sets, selected by another context and added to the first.
    """

    models: Words  # shape (n,) or (n, 2)
    weights: NDArray[np.int32]
    more: NDArray[np.int32]
    limit: int  # largest count; the smaller it is, the faster a model forgets
    speed: int  # learning rate of the weights, in 2^-18


class Scales(NamedTuple):
    """Constant tables of the mixing arithmetic."""

    logits: NDArray[np.int16]  # 256 ln(p / (1 - p)) of each of 65536 probabilities p
    probabilities: NDArray[np.int32]  # of each logit, in 1/65536, from 1 to 65535
    rates: NDArray[np.int32]  # 65536 / (n + 1.5): adaptation rate of a model that has seen n bits
