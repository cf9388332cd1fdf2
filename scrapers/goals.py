"""What an agent is to read of one competition: the route, the tools, and the task in words.

On a platform with a file the route is declared; elsewhere the generic reader finds it from the address on.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.errors import Reason
from schema.competition import CompetitionRef
from scrapers.competition_tools import CompetitionTools
from scrapers.generic.platform import GenericPlatform
from scrapers.generic.tools import GenericTools
from scrapers.notebook import CompetitionNotebook
from scrapers.platform import Platform
from scrapers.politeness import Politeness
from scrapers.routes import FoundRoute, known_visits
from scrapers.toolbox import Site

_NO_BOARD = "no leaderboard was found"


@dataclass(frozen=True, slots=True)
class Goal:
    """One competition to be read."""

    site: Site
    notebook: CompetitionNotebook
    tools: CompetitionTools
    task: str
    """For a model that takes over."""
    declared: bool
    """The route is a platform file's: it can be mended, kept, and asked again."""

    @property
    def problem(self) -> tuple[str | None, Reason | None]:
        """Why the reading is not complete, for people and for programs.

        On a site without a platform file nobody has declared what boards there are: one must be found, and
        none may be doubted.
        """
        notebook = self.notebook
        if self.declared:
            return notebook.problem(), notebook.code
        if not notebook.boards:
            blocked = self.tools.blocked_scripts
            none = f"{_NO_BOARD}; {blocked}" if blocked else _NO_BOARD
            return notebook.problem() or none, Reason.NO_BOARD
        doubts = [f"the {one.kind} board: {one.doubt}" for one in notebook.boards.values() if one.doubt]
        return notebook.problem() or "; ".join(doubts) or None, notebook.code


def declared_goal(
    site: Site, ref: CompetitionRef, politeness: Politeness, routes: Sequence[FoundRoute]
) -> Goal:
    """By the platform's route, with what an LLM has found in its place."""
    route = site.platform.route(site.base_url, ref.slug)
    notebook = CompetitionNotebook(route, known=known_visits(route, routes, site.base_url, ref.slug))
    task = f"capture the pages and leaderboards of the competition {ref.slug!r}:\n{notebook.left()}"
    return Goal(site, notebook, CompetitionTools(site, ref.slug, notebook, politeness), task, declared=True)


def generic_goal(site: Site, ref: CompetitionRef, politeness: Politeness) -> Goal:
    """From the competition's address on, by what its pages say."""
    platform = GenericPlatform(ref)
    own = Site(platform, site.base_url)
    notebook = CompetitionNotebook(platform.route(site.base_url, ref.slug))
    task = f"capture the pages and leaderboards of the competition at {ref.url}:\n{notebook.left()}"
    return Goal(own, notebook, GenericTools(own, platform, notebook, politeness), task, declared=False)


def generic_sites(refs: Iterable[CompetitionRef]) -> tuple[dict[str, str], dict[str, Platform]]:
    """Base URL and platform of each site that the competitions are on, as a `CrawlPlan` has them."""
    platforms = {ref.platform: GenericPlatform(ref) for ref in refs}
    return {name: platform.home for name, platform in platforms.items()}, dict(platforms)
