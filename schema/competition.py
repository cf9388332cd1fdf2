"""A competition: the thing on a platform, and what its site states about it."""

import re
from dataclasses import dataclass
from datetime import datetime

from core.errors import UsageError
from schema.metric import Direction

_SLUG = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")


def check_slug(slug: str) -> str:
    """Return `slug` if it can safely be a path part and an id; slugs come from hostile pages.

    Raises:
        UsageError: the slug has other characters than letters, digits, `.`, `_` and `-`, or is too long.
    """
    if not is_slug(slug):
        raise UsageError(f"{slug!r} is not a competition slug: letters, digits, '.', '_' and '-' only.")
    return slug


def is_slug(text: str) -> bool:
    """Whether `check_slug` would take `text`."""
    return _SLUG.fullmatch(text) is not None and ".." not in text


def task_id_of(platform: str, slug: str) -> str:
    """The id of the task made from a competition: `<platform>-<slug>`."""
    return f"{platform}-{slug}"


@dataclass(frozen=True, slots=True)
class CompetitionRef:
    """Where a competition is found: what a platform's list gives."""

    platform: str
    slug: str
    url: str
    title: str | None = None
    deadline: datetime | None = None


@dataclass(frozen=True, slots=True)
class Competition:
    """What the site itself states, in its structured data or its header. None: the site does not say."""

    platform: str
    slug: str
    url: str
    title: str | None = None
    deadline: datetime | None = None
    participants: int | None = None
    """Teams, as the site claims."""
    metric_name: str | None = None
    direction: Direction | None = None
    license: str | None = None
    tags: tuple[str, ...] = ()
