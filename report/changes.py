"""What has changed, as the report tells it."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class MovedShown:
    """Names that came, went, or say something else."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)

    @property
    def count(self) -> int:
        return len(self.added) + len(self.removed) + len(self.changed)


@dataclass(frozen=True, slots=True)
class SiteChange:
    """One thing that a later crawl found changed on a site."""

    at: datetime
    platform: str
    competition: str
    what: str
    summary: str


@dataclass(frozen=True, slots=True)
class Changes:
    """What differs from the last release, and what later crawls found."""

    since: str | None
    """The release that is compared with; None: there is none."""
    since_at: datetime | None
    tasks: MovedShown
    boards: MovedShown
    sites: tuple[SiteChange, ...]
    """The latest first: since that release, or of all time where there is none."""
