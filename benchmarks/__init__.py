"""What the program costs in time, memory and bytes, beside other codecs."""

from pcaimage.blas import use_one_thread

# As the program does, and before NumPy is imported: what is measured is what users have.
use_one_thread()
