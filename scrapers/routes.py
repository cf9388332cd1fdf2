"""Routes that an LLM found where a platform file's were lost, as they hold for other competitions. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from scrapers.platform import Route, Visit

SLUG = "{slug}"
_LONGEST = 500


@dataclass(frozen=True, slots=True)
class FoundRoute:
    """Where a page was that the declared route had lost. Addresses are below the site's base URL."""

    competition: str
    """The one that it holds for; empty: any of the site."""
    declared: str
    found: str
    ready: str = ""
    """The visit's own selector, where the page has it."""
    answers: tuple[str, ...] = ()
    """Those of the visit's JSON that the page loads."""
    found_in: str = ""
    found_by: str = ""
    """The model."""
    tokens: int = 0

    def visit(self, declared: Visit, base_url: str, slug: str) -> Visit:
        """The declared visit, made where the page was found."""
        url = base_url + self.found.replace(SLUG, slug)
        return replace(declared, url=url, ready=self.ready or "body", answers=self.answers)


@dataclass(frozen=True, slots=True)
class DiscardedRoute:
    """A found route that no longer leads anywhere."""

    route: FoundRoute
    reason: str


def found_route(visit: Visit, url: str, base_url: str, slug: str) -> FoundRoute | None:
    """The route to `url` instead of the declared visit; None where it is no address below the base URL.

    It holds for every competition if both addresses contain the slug.
    """
    declared, found = _below(visit.url, base_url, slug), _below(url, base_url, slug)
    if declared is None or found is None or declared == found:
        return None
    general = SLUG in declared and SLUG in found
    return FoundRoute(competition="" if general else slug, declared=declared, found=found, found_in=slug)


def known_visits(
    route: Route, known: Sequence[FoundRoute], base_url: str, slug: str
) -> dict[str, tuple[FoundRoute, Visit]]:
    """By URL of a declared visit: the found route that replaces it, and the visit there."""
    by_place = {one.declared: one for one in known if one.competition == ""}
    by_place |= {one.declared: one for one in known if one.competition == slug}
    replaced = {}
    for visit in route.visits:
        found = by_place.get(_below(visit.url, base_url, slug) or "")
        if found is not None:
            replaced[visit.url] = (found, found.visit(visit, base_url, slug))
    return replaced


def _below(url: str, base_url: str, slug: str) -> str | None:
    if not url.startswith(f"{base_url}/") or len(url) > _LONGEST or SLUG in url:
        return None
    return re.sub(rf"(?<![\w.-]){re.escape(slug)}(?![\w.-])", SLUG, url.removeprefix(base_url))
