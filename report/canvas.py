"""Charts drawn by matplotlib as small inline SVG that takes its colours from the page's style sheet.

A chart holds shapes only; every word and number stands in the page beside it, so that it can be read at any
width and aloud. What matplotlib writes as inline style becomes classes: the page's policy allows no other.
"""

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import matplotlib as mpl
from markupsafe import Markup, escape
from matplotlib.axes import Axes
from matplotlib.figure import Figure

ACCENT: Final = "#000001"
SOFT: Final = "#000002"
INK: Final = "#000003"
MUTED: Final = "#000004"
"""Stand for the page's own colours of these names."""
_NAMES = {ACCENT: "accent", SOFT: "soft", INK: "ink", MUTED: "muted"}
_POINTS = 72
"""Per inch: one unit of a drawing is one point."""
_NO_METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}
_STYLE = re.compile(r' style="([^"]*)"')
_NUMBER = re.compile(r"-?\d+\.\d+")
_BODY = re.compile(r"<g id=\"axes_1\">(.*)</g>\s*</g>", re.DOTALL)
_UNUSED = re.compile(r' (?:id="(?!m[0-9a-f]{10}")|clip-path=")[^"]*"')
"""Names that nothing refers to; a marker's is referred to by every place that it stands at."""


class Canvas:
    """A drawing surface `width` by `height`, used again and again: to make one takes longer than to draw.

    Not safe to use from several threads at once.
    """

    def __init__(self, width: int, height: int) -> None:
        self._width, self._height = width, height
        self._figure = Figure(figsize=(width / _POINTS, height / _POINTS), frameon=False)
        self._axes = self._figure.add_axes((0, 0, 1, 1))
        self._axes.set_axis_off()

    @contextmanager
    def axes(self) -> Iterator[Axes]:
        """Empty axes over the whole surface, without an axis line."""
        for artist in (*self._axes.collections, *self._axes.patches, *self._axes.lines):
            artist.remove()  # clear() would make new axes and scales, which takes longer than to draw
        yield self._axes

    def svg(self, title: str, description: str, *, stretch: bool = False) -> Markup:
        """What was drawn, as an image with a name and a description; `stretch` lets it fill any box."""
        file = io.StringIO()
        with mpl.rc_context({"svg.hashsalt": "tam", "svg.fonttype": "none"}):
            self._figure.savefig(file, format="svg", metadata=_NO_METADATA)
        ratio = ' preserveAspectRatio="none"' if stretch else ""
        return Markup(  # noqa: S704  # words are escaped, shapes are matplotlib's
            f'<svg class="chart" role="img" viewBox="0 0 {self._width} {self._height}"{ratio}'
            f' aria-label="{escape(title)}. {escape(description)}">{_shapes(file.getvalue())}</svg>'
        )


def _shapes(drawn: str) -> str:
    """The shapes of a drawing, without prolog, definitions and inline style, at a tenth of a point."""
    body = _BODY.search(drawn)
    text = "" if body is None else _UNUSED.sub("", body[1])
    text = _STYLE.sub(lambda style: _as_attributes(style[1]), text)
    text = _NUMBER.sub(lambda number: f"{float(number[0]):.1f}".removesuffix(".0"), text)
    return re.sub(r"\s+", " ", text).replace("xlink:href", "href").replace("> <", "><").strip()


def _as_attributes(style: str) -> str:
    classes, attributes = [], ""
    for declaration in filter(None, (part.strip() for part in style.split(";"))):
        name, value = (part.strip() for part in declaration.split(":", 1))
        if value in _NAMES:
            classes.append(f"{name}-{_NAMES[value]}")
        else:
            attributes += f' {name}="{value}"'
    return (f' class="{" ".join(classes)}"' if classes else "") + attributes
