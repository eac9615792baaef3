"""Counts work, so that tests can say that it does not grow; seconds would depend on the machine."""

import sys

from pcaimage.gui.session.choice import Setting
from pcaimage.gui.session.document import Document
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.work import Task
from pcaimage.imaging import Image
from pcaimage.progress import no_progress


def calls_of(act):
    """Return how many functions, of Python and of C, an action calls on this thread."""
    count, before = 0, sys.getprofile()

    def seen(_frame, event, _argument):
        nonlocal count
        count += event in {"call", "c_call"}

    sys.setprofile(seen)
    try:
        act()
    finally:
        sys.setprofile(before)
    return count


def task_of(pixels, choice, *, alpha=None):
    """Return what the window works on when it has fitted an image."""
    image = Image(pixels, alpha=alpha)
    return Task(Document("waves", image=image), Fit.of_image(image, choice, no_progress), Setting(1, None), 0)
