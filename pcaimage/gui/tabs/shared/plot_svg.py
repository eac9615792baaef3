"""Makes Qt's drawing of a plot an SVG that every program shows alike. No Qt here.

Qt leaves coordinates in those of the plot, under a transform that may stretch them a thousandfold, and asks
for strokes that are not stretched with them, which many programs do not know; and it does not clip. Here
coordinates become those of the picture, and what reaches out of the plot's frame is clipped.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

Rectangle = tuple[float, float, float, float]
"""Left, top, right and bottom, in the picture."""
Matrix = tuple[float, float, float, float, float, float]
"""As in SVG: x' = a x + c y + e, y' = b x + d y + f."""

_NAMESPACE = "http://www.w3.org/2000/svg"
_EFFECT = "vector-effect"
_NUMBERS = re.compile(r"(-?[0-9.]+(?:e[-+]?[0-9]+)?)[ ,]+(-?[0-9.]+(?:e[-+]?[0-9]+)?)", re.IGNORECASE)
_FRAME = "frame"
_ROOM = 2.0
"""How far lines may reach out of the frame: their own width."""


def flattened(svg: bytes, frame: Rectangle | None = None, clip: str = "clip-path") -> bytes:
    """Return a drawing whose lines need no transforms.

    Parameters
    ----------
    svg : bytes
        From ``QSvgGenerator``.
    frame : (float, float, float, float), optional
        The plot's inside; what is drawn across its border is clipped.
    clip : str
        By what: ``"clip-path"``, or ``"mask"``, which is all that Qt's own renderer knows.

    Returns
    -------
    bytes
        Without Qt's empty groups.
    """
    ET.register_namespace("", _NAMESPACE)
    ET.register_namespace("xlink", "http://www.w3.org/1999/xlink")
    root = ET.fromstring(svg)  # noqa: S314 - it was made here
    for parent in root.iter(_tag("g")):
        for group in list(parent):
            if group.tag == _tag("g") and not len(group):
                parent.remove(group)
    for group in root.iter(_tag("g")):
        _flatten(group, frame, clip)
    if frame is not None:
        _define(root, frame, "mask" if clip == "mask" else "clipPath")
    data: bytes = ET.tostring(root, "utf-8", xml_declaration=True)
    return data


def _flatten(group: ET.Element, frame: Rectangle | None, clip: str) -> None:
    """Apply a group's transform to what is in it, if Qt wants its strokes left alone."""
    shapes = list(group)
    if not shapes or any(_EFFECT not in shape.attrib for shape in shapes):
        return
    matrix = _matrix(group.get("transform", ""))
    group.attrib.pop("transform", None)
    for shape in shapes:
        del shape.attrib[_EFFECT]
        points = _move(shape, matrix)
        if frame is not None and points and _crosses(points, frame):
            shape.set(clip, f"url(#{_FRAME})")


def _move(shape: ET.Element, matrix: Matrix) -> list[tuple[float, float]]:
    """Move a shape's points, and return where they are."""
    points: list[tuple[float, float]] = []

    def moved(x: str, y: str) -> str:
        a, b, c, d, e, f = matrix
        point = a * float(x) + c * float(y) + e, b * float(x) + d * float(y) + f
        points.append(point)
        return f"{_number(point[0])},{_number(point[1])}"

    if shape.tag == _tag("rect"):
        left, top, width, height = (float(shape.attrib.pop(name)) for name in ("x", "y", "width", "height"))
        corners = [(left, top), (left + width, top), (left + width, top + height), (left, top + height)]
        shape.tag = _tag("polygon")
        shape.set("points", " ".join(moved(str(x), str(y)) for x, y in corners))
        return points
    name = "d" if shape.tag == _tag("path") else "points"
    shape.set(name, _NUMBERS.sub(lambda found: moved(*found.groups()), shape.get(name, "")))
    return points


def _crosses(points: list[tuple[float, float]], frame: Rectangle) -> bool:
    """Return whether a shape is both inside and outside the frame."""
    left, top, right, bottom = frame
    xs, ys = [x for x, _ in points], [y for _, y in points]
    inside = min(xs) < right and max(xs) > left and min(ys) < bottom and max(ys) > top
    beyond = max(left - min(xs), max(xs) - right, top - min(ys), max(ys) - bottom) > _ROOM
    return inside and beyond


def _define(root: ET.Element, frame: Rectangle, kind: str) -> None:
    left, top, right, bottom = frame
    definitions = root.find(_tag("defs"))
    if definitions is None:
        definitions = ET.SubElement(root, _tag("defs"))
    clip = ET.SubElement(definitions, _tag(kind), id=_FRAME)
    sides = {"x": left, "y": top, "width": right - left, "height": bottom - top}
    ET.SubElement(clip, _tag("rect"), {name: _number(value) for name, value in sides.items()}, fill="white")


def _matrix(text: str) -> Matrix:
    found = re.fullmatch(r"matrix\(([^)]*)\)", text.strip())
    if found is None:
        return 1.0, 0.0, 0.0, 1.0, 0.0, 0.0
    a, b, c, d, e, f = (float(number) for number in found[1].split(","))
    return a, b, c, d, e, f


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _tag(name: str) -> str:
    return f"{{{_NAMESPACE}}}{name}"
