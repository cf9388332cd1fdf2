"""Routes that an LLM found, in the lake: offered to the pilot of the next crawl, discarded when they fail."""

from collections.abc import Mapping
from datetime import UTC, datetime

from core.records import made_of
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
            found.setdefault(row.platform, []).append(made_of(FoundRoute, row))
    return found


def keep_routes(lake: Lake, reading: Reading, base_url: str) -> None:
    """Write what this reading found, and what it discarded."""
    site = origin_of(base_url) or base_url
    rows = [_row(one.route, reading.competition, site, _DISCARDED, one.reason) for one in reading.discarded]
    rows += [_row(route, reading.competition, site, _ACTIVE, "") for route in reading.found]
    latest = {(row.competition, row.declared): row for row in rows}
    lake.append(ROUTES, list(latest.values()))


def _row(route: FoundRoute, competition: Competition, site: str, status: str, reason: str) -> RouteRow:
    return made_of(
        RouteRow,
        route,
        platform=competition.platform,
        site=site,
        found_at=datetime.now(UTC),
        status=status,
        reason=reason,
    )
