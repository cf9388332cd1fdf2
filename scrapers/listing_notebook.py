"""What one agent notes of a platform's list of competitions, and the tool that it reads it with."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from pydantic import Field

from core.errors import SiteError
from schema.competition import CompetitionRef
from scrapers.notebook import final
from scrapers.platform import Listing, Visit
from scrapers.politeness import Politeness
from scrapers.stored_text import stored_line
from scrapers.toolbox import Params, Said, Site, Toolbox, Verb

_MOST_LISTED = 50_000
"""Competitions of one platform."""


class ListingVisits(Protocol):
    """Gives the visit of one page (1-based) of a list."""

    def __call__(self, page: int) -> Visit: ...


@dataclass
class ListingNotebook:
    """A platform's list of competitions, page by page."""

    visit_of: ListingVisits
    refs: dict[str, CompetitionRef] = field(default_factory=dict)
    total: int | None = None
    page: int = 1
    _more: bool = True
    _failures: list[SiteError] = field(default_factory=list)

    def next_visit(self) -> Visit | None:
        """The next page of the list while the site has more."""
        return self.visit_of(self.page) if self._more and self.lost is None else None

    @property
    def lost(self) -> SiteError | None:
        """The last failure, once the page has used up its attempts."""
        return final(self._failures)

    def fail(self, error: SiteError) -> None:
        """Count `error` against the page under way."""
        self._failures.append(error)

    def give_up(self) -> bool:
        """A list with a hole is no list."""
        return False

    def keep(self, listing: Listing) -> None:
        """Add one page of the list; a page without anything new ends it."""
        new = [ref for ref in listing.refs if ref.slug not in self.refs][: _MOST_LISTED - len(self.refs)]
        self.refs.update(
            (ref.slug, replace(ref, title=None if ref.title is None else stored_line(ref.title)))
            for ref in new
        )
        self.total = listing.total if listing.total is not None else self.total
        self._more = (bool(new) or listing.in_parts) and listing.has_more
        self.page += 1
        self._failures.clear()

    def left(self) -> str:
        """Where the list goes on."""
        return f"- page {self.page} of the list of competitions (expected at {self.visit_of(self.page).url})"


class ListCompetitions(Params):
    page: int = Field(ge=1, le=10_000, description="Page of the list, from 1")


class ListingTools(Toolbox):
    """Reads a platform's list of competitions."""

    def __init__(self, site: Site, notebook: ListingNotebook, politeness: Politeness) -> None:
        super().__init__(site, notebook, politeness)
        self.notebook = notebook

    def verbs(self) -> Sequence[Verb]:
        """List a page."""
        return (
            Verb(
                "list_competitions",
                "Open a page of the list of competitions and note all competitions on it.",
                ListCompetitions,
                self.list_competitions,
            ),
        )

    async def list_competitions(self, params: ListCompetitions) -> Said:
        """Open one page of the list and keep what it names."""

        async def work() -> str:
            page = await self._open(self.notebook.visit_of(params.page))
            listing = await asyncio.to_thread(self.site.platform.read_listing, page, self.site.base_url)
            self.notebook.keep(listing)
            return f"page {params.page}: {len(listing.refs)} competitions, {len(self.notebook.refs)} in all"

        return await self._try(work, self.notebook.visit_of(params.page).url)
