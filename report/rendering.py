"""Templates: every value is escaped, every text of a stranger is cleaned, and every page has one frame."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import jinja2
from markupsafe import Markup

from report import words
from report.records import Report
from schema.difficulty import Level
from schema.task import Modality

_NAV = {
    "index.html": "Overview",
    "tasks.html": "Tasks",
    "subsets.html": "Subsets",
    "difficulty.html": "Difficulty",
    "runs.html": "Runs",
    "changes.html": "Changes",
}
POLICY = (
    "default-src 'none'; style-src 'self' file:; script-src 'self' file:; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)
"""What a page may load: its own style sheet and script. Opened from a disk these are `file:`."""


@dataclass(frozen=True, slots=True)
class PageFile:
    """One file of the report."""

    path: str
    """Relative, with `/`."""
    text: str


def render(path: str, report: Report, template: str, values: Mapping[str, object]) -> PageFile:
    """One page. `values` are the template's own; the frame's come from the report."""
    frame = {
        "report": report,
        "root": "../" * path.count("/"),
        "here": path,
        "nav": _NAV,
        "policy": POLICY,
        "modalities": tuple(Modality),
        "levels": tuple(Level),
    }
    text = _environment().get_template(f"{template}.j2").render({**frame, **values})
    return PageFile(path, text)


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalized,
    )
    for function in (
        words.count,
        words.plural,
        words.percent,
        words.score,
        words.day,
        words.minute,
        words.named,
        words.rejected_for,
        words.source,
    ):
        environment.filters[function.__name__ if function is not words.count else "counted"] = function
    environment.globals["tint"] = tint
    return environment


def tint(value: float, most: float) -> str:
    """The class of a cell by its share of the largest: `tint-0` (none) to `tint-5`."""
    return f"tint-{0 if not value or not most else min(5, 1 + int(4.999 * value / most))}"


def _finalized(value: object) -> object:
    if isinstance(value, str) and not isinstance(value, Markup):
        return words.clean(value)
    return value
