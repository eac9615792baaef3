"""A report of progress that ends the work at once."""

from pcaimage.errors import Cancelled


def stop(_done, _total):
    raise Cancelled
