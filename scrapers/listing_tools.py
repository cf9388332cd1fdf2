"""The tool of an agent that reads a platform's list of competitions."""

import asyncio
from collections.abc import Sequence

from pydantic import Field

from scrapers.listing_notebook import ListingNotebook
from scrapers.politeness import Politeness
from scrapers.toolbox import Params, Said, Site, Toolbox, Verb


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
