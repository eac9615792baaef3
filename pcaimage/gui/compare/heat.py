"""The colours that stand for the size of an error; reports use them too, so they are defined apart."""

from pcaimage.insight.colour_map import HEAT, to_colours

__all__ = ["HEAT", "to_colours"]
