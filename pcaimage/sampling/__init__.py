"""Between an image and a sample matrix.

The question is: what is one observation?

Arrays in, arrays out; nothing here knows PCA. A :class:`Sampling` is a frozen, hashable description with
an exact inverse:

* :class:`Blocks` - each B×B×C block of pixels is a sample of B·B·C features;
* :class:`Lapped` - each 8×8×C block is a sample, after its borders with its neighbours were lapped over;
* :class:`Channels` - each pixel is a sample of C features;
* :class:`Bands` - the same of many bands, where neighbours tell of each other;
* :class:`Stack` - each image of a stack is a sample of H·W·C features.
"""

from pcaimage.sampling.bands import Bands
from pcaimage.sampling.base import Sampling, Shape
from pcaimage.sampling.blocks import MAX_BLOCK, MIN_BLOCK, Blocks
from pcaimage.sampling.channels import Channels
from pcaimage.sampling.lapped import Lapped
from pcaimage.sampling.stack import Stack

__all__ = ["MAX_BLOCK", "MIN_BLOCK", "Bands", "Blocks", "Channels", "Lapped", "Sampling", "Shape", "Stack"]
