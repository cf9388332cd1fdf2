"""Routes that an LLM found, in the lake: offered to the pilot of the next crawl, discarded when they fail."""

from collections.abc import Mapping
from datetime import UTC, datetime

from lake.rows import RouteRow
from lake.store import Lake
from lake.tables import ROUTES
from schema.competition import Competition
from scrapers.origins import origin_of
from scrapers.reading import Reading
from scrapers.routes import FoundRoute

_ACTIVE, _DISCARDED = "active", "discarded"


def known_routes(lake: Lake, sites: Mapping[str, str]) -> dict[str, list[FoundRoute]]:
    """The active routes of these sites (platform to base URL), by platform; another site's are not used."""
    found: dict[str, list[FoundRoute]] = {}
    for row in lake.read(ROUTES, status=_ACTIVE):
        base_url = sites.get(row.platform)
        if base_url is not None and row.site == origin_of(base_url):
            found.setdefault(row.platform, []).append(_route(row))
    return found


def keep_routes(lake: Lake, reading: Reading, base_url: str) -> None:
    """Write what this reading found, and what it discarded."""
    site = origin_of(base_url) or base_url
    rows = [_row(one.route, reading.competition, site, _DISCARDED, one.reason) for one in reading.discarded]
    rows += [_row(route, reading.competition, site, _ACTIVE, "") for route in reading.found]
    latest = {(row.competition, row.declared): row for row in rows}
    lake.append(ROUTES, list(latest.values()))


def _route(row: RouteRow) -> FoundRoute:
    return FoundRoute(
        competition=row.competition,
        declared=row.declared,
        found=row.found,
        ready=row.ready,
        answers=row.answers,
        found_in=row.found_in,
        found_by=row.found_by,
        tokens=row.tokens,
    )


def _row(route: FoundRoute, competition: Competition, site: str, status: str, reason: str) -> RouteRow:
    return RouteRow(
        platform=competition.platform,
        site=site,
        competition=route.competition,
        declared=route.declared,
        found=route.found,
        ready=route.ready,
        answers=route.answers,
        found_in=route.found_in,
        found_by=route.found_by,
        found_at=datetime.now(UTC),
        tokens=route.tokens,
        status=status,
        reason=reason,
    )
