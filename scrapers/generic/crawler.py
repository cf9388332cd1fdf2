"""The crawler without platform files: competitions are read by what their pages say."""

from collections.abc import Iterable

from core.errors import Reason
from schema.competition import Competition, CompetitionRef, check_slug
from scrapers.crawler import Crawler, _raise_if_left
from scrapers.generic.platform import GenericPlatform
from scrapers.generic.tools import GenericTools
from scrapers.notebook import CompetitionNotebook
from scrapers.pilot import RoutePilot
from scrapers.platform import Platform
from scrapers.reading import Reading
from scrapers.toolbox import Site

_NO_BOARD = "no leaderboard was found"


def generic_sites(refs: Iterable[CompetitionRef]) -> tuple[dict[str, str], dict[str, Platform]]:
    """Base URL and platform of each site that the competitions are on, as `Crawler` takes them."""
    platforms = {ref.platform: GenericPlatform(ref) for ref in refs}
    return {name: platform.home for name, platform in platforms.items()}, dict(platforms)


class GenericCrawler(Crawler):
    """Reads a competition from its address alone; everything else is as with `Crawler`."""

    async def read(self, ref: CompetitionRef) -> Reading:
        """One competition: what is found from its address on, on its own site.

        Raises:
            SiteError: its page is missing or cannot be read.
            UsageError: an unknown site or an unsafe slug.
        """
        base_url = self._site(ref.platform).base_url
        slug = check_slug(ref.slug)
        platform = GenericPlatform(ref)
        notebook = CompetitionNotebook(platform.route(base_url, slug))
        toolbox = GenericTools(Site(platform, base_url), platform, notebook, self._politeness)
        goal = f"capture the pages and leaderboards of the competition at {ref.url}:\n{notebook.left()}"
        run, model, fallback = await self._work(
            toolbox, RoutePilot(notebook), goal, self._limits, (ref.platform, slug)
        )
        _raise_if_left(notebook.lost, notebook.next_visit(), run, fallback)
        doubts = [
            f"the {board.kind} board: {board.doubt}" for board in notebook.boards.values() if board.doubt
        ]
        reason = notebook.problem() or "; ".join(doubts) or (None if notebook.boards else _NO_BOARD)
        return Reading(
            competition=notebook.competition
            or Competition(ref.platform, slug, ref.url, ref.title, ref.deadline),
            captures=tuple(notebook.captures.values()),
            boards=tuple(notebook.boards.values()),
            board_pages=notebook.board_pages(),
            complete=reason is None,
            reason=reason,
            steps=run.steps,
            seconds=run.seconds,
            tokens=fallback.spent.tokens if fallback else 0,
            driver="model" if model.model_steps else "pilot",
            code=notebook.code if notebook.boards else Reason.NO_BOARD,
        )
