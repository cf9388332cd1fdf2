"""The demo's invented competitions: reading what is committed, writing it in the content format.

`demo/competitions/<platform>/<slug>/` holds `competition.json` (what the site states, what must become of it,
and how its board and data set are made), `overview.md` and `data.md`. Boards and data sets are generated from
that file, always the same; nothing here is a real competition, host, team or data set.
"""

import json
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from core.errors import UsageError
from demo.boards import board_csvs
from demo.content import PLATFORMS
from demo.specs import Invented
from schema.screening import Rule
from schema.task import Modality

_FOLDER = Path(__file__).parent / "competitions"


@cache
def all_invented() -> Mapping[str, Invented]:
    """Every invented competition by slug, in alphabetical order."""
    read = [Invented.model_validate_json(path.read_bytes()) for path in _FOLDER.glob("*/*/competition.json")]
    return MappingProxyType({one.meta.slug: one for one in sorted(read, key=lambda one: one.meta.slug)})


def invented(slug: str) -> Invented:
    """The competition with this slug.

    Raises:
        UsageError: there is none.
    """
    found = all_invented().get(slug)
    if found is None:
        raise UsageError(
            f"The demo has no competition {slug!r}; they are the folders in demo/competitions/*/."
        )
    return found


def text_of(slug: str, name: str) -> str:
    """The committed text `name` (`overview.md`, `data.md`) of a competition."""
    meta = invented(slug).meta
    return (_FOLDER / meta.platform / meta.slug / name).read_text(encoding="utf-8")


DEMO_PLATFORMS = ("kaggle", "aicrowd", "biendata")
"""Those whose competitions are built and graded in the demo; the others have a few for their replicas."""

KEPT: Mapping[str, tuple[Modality, str]] = MappingProxyType(
    {
        slug: (one.expect.modality, one.expect.level)
        for slug, one in all_invented().items()
        if one.expect.modality is not None and one.expect.level is not None
    }
)
"""Slug to modality and level of what must become a task."""

SCREENED_OUT: Mapping[str, Rule] = MappingProxyType(
    {slug: one.expect.rule for slug, one in all_invented().items() if one.expect.rule is not None}
)
"""Slug to the only rule that must fail."""


def write_content(folder: Path, platforms: Collection[str] = PLATFORMS) -> Path:
    """Write the invented competitions, boards included, into `folder` in the content format; returns it."""
    for slug, one in all_invented().items():
        if one.meta.platform not in platforms:
            continue
        place = folder / one.meta.platform / slug
        place.mkdir(parents=True, exist_ok=True)
        meta = json.dumps(one.meta.model_dump(mode="json", exclude_none=True), ensure_ascii=False, indent=1)
        files = {
            "meta.json": meta,
            "overview.md": text_of(slug, "overview.md"),
            "data.md": text_of(slug, "data.md"),
        }
        for name, text in (files | board_csvs(one)).items():
            (place / name).write_text(text, encoding="utf-8", newline="")
    return folder
