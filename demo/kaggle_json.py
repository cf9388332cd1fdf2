"""The answers of Kaggle's page calls, in the shapes of platforms' public reports; each is encoded JSON."""

import re
import zlib
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import lru_cache

from pydantic_core import to_json

from demo.content import ContentEntry
from demo.quirks import Quirk
from demo.sections import ContentSection, split_sections
from demo.site import ReplicaSite
from demo.standings import Standing
from schema.board import BoardKind

Body = Mapping[str, object]
Json = dict[str, object]

_WITHDRAWN = "withdrawn-competition"


class UnknownCompetitionError(Exception):
    """The body names no competition of the content."""


def list_competitions(site: ReplicaSite, body: Body) -> bytes:
    """A page of the list: `pageToken` is the number of the page ("" or "1" for the first)."""
    selector = body.get("selector")
    found = [
        entry for entry in site.entries() if _selected(entry, selector if isinstance(selector, dict) else {})
    ]
    size = min(_number(body.get("pageSize"), 20), 100)
    page = _number(body.get("pageToken"), 1)
    shown = [_summary(entry) for entry in found[(page - 1) * size : page * size]]
    total = len(found)
    if Quirk.KAGGLE_SOFT_404 in site.quirks:
        total += 1
        if page == 1:
            shown.append({"id": 1, "competitionName": _WITHDRAWN, "title": "Withdrawn Competition"})
    more = page * size < len(found)
    return _encode(
        {"competitions": shown, "totalResults": total, "nextPageToken": str(page + 1) if more else ""}
    )


def get_competition(site: ReplicaSite, body: Body) -> bytes:
    """One competition by `competitionName` or `competitionId`; only what the content states."""
    entry = _find(site, body)
    meta = entry.meta
    algorithm = {"name": meta.metric, "isMax": meta.higher_is_better}
    stated = {key: value for key, value in algorithm.items() if value is not None}
    detail: Json = {"rulesRequired": True, "forumId": entry.number + 1}
    if stated:
        detail["evaluationAlgorithm"] = stated
    if meta.license:
        detail["license"] = {"name": meta.license}
    return _encode(_summary(entry) | detail)


def list_pages(site: ReplicaSite, body: Body) -> bytes:
    """The overview cut at its headings, the data description and the rules, as HTML."""
    entry = _find(site, body)
    sections = [(_page_name(section), section) for section in split_sections(entry.overview or "")]
    if entry.data:
        sections.append(("data-description", ContentSection("Dataset Description", entry.data)))
    if entry.meta.rules:
        sections.append(("rules", ContentSection("Rules", entry.meta.rules)))
    pages: list[Json] = [
        {
            "name": name,
            "postTitle": f"Section {order}" if order else "",
            "mimeType": "text/html",
            "isPublished": True,
            "order": order,
            "content": section.html,
        }
        for order, (name, section) in enumerate(sections)
    ]
    if pages:
        pages[0]["content"] = f"{pages[0]['content']}{site.trap()}"
    return _encode({"pages": pages})


def get_leaderboard(site: ReplicaSite, body: Body) -> bytes:
    """Both boards and their teams in one answer; a board that does not exist yet is not in it."""
    entry = _find(site, body)
    return _leaderboard(site, entry, entry.version)


@lru_cache(maxsize=8)
def _leaderboard(site: ReplicaSite, entry: ContentEntry, _version: tuple[int, ...]) -> bytes:
    answer: Json = {}
    teams: dict[int, Json] = {}
    for kind in entry.kinds:
        seen: Counter[str] = Counter()
        rows = []
        for row in site.rows(entry, kind):
            number = _team_number(entry, row, seen)
            if number not in teams:
                teams[number] = _team(number, row)
            rows.append(_row(number, kind, row))
        answer[f"{kind}Leaderboard"] = rows
    return _encode(answer | {"teams": list(teams.values())})


METHODS: Mapping[tuple[str, str], Callable[[ReplicaSite, Body], bytes]] = {
    ("competitions.CompetitionService", "ListCompetitions"): list_competitions,
    ("competitions.CompetitionService", "GetCompetition"): get_competition,
    ("competitions.PageService", "ListPages"): list_pages,
    ("competitions.LeaderboardService", "GetLeaderboard"): get_leaderboard,
}


def _summary(entry: ContentEntry) -> Json:
    meta = entry.meta
    stated = {
        "briefDescription": meta.subtitle,
        "dateEnabled": _iso(meta.start),
        "deadline": _iso(meta.deadline),
        "reward": {"id": meta.prize} if meta.prize else None,
        "organization": {"name": meta.host} if meta.host else None,
        "hostName": meta.host,
    }
    return {
        "id": entry.number,
        "competitionName": entry.slug,
        "title": entry.title,
        "totalTeams": entry.teams,
        "categories": [{"name": tag} for tag in meta.tags],
    } | {key: value for key, value in stated.items() if value is not None}


def _selected(entry: ContentEntry, selector: Body) -> bool:
    query = str(selector.get("searchQuery") or "").lower()
    option = str(selector.get("listOption") or "").lower()
    over = entry.meta.deadline is None or entry.meta.deadline < datetime.now(UTC)
    if (option.endswith("active") and over) or (option.endswith("completed") and not over):
        return False
    return query in f"{entry.slug} {entry.title}".lower()


def _find(site: ReplicaSite, body: Body) -> ContentEntry:
    name, number = body.get("competitionName"), body.get("competitionId")
    entry = site.entry(name) if isinstance(name, str) else None
    if entry is None and number is not None:
        entry = next((entry for entry in site.entries() if str(entry.number) == str(number)), None)
    if entry is None:
        raise UnknownCompetitionError
    return entry


def _page_name(section: ContentSection) -> str:
    return "abstract" if section.title.lower() in {"", "overview"} else section.title


def _team_number(entry: ContentEntry, row: Standing, seen: Counter[str]) -> int:
    """The file's id, else one made from the name and how often the board has had it (names repeat)."""
    if row.team_id and row.team_id.isdigit():
        return int(row.team_id)
    key = row.team_id or row.team
    seen[key] += 1
    return zlib.crc32(f"{entry.slug}/{key}/{seen[key]}".encode())


def _row(number: int, kind: BoardKind, row: Standing) -> Json:
    submission = zlib.crc32(f"{number}/{kind}".encode())
    rank = {"rank": row.rank} if row.rank else {}  # a benchmark has none
    return {"teamId": number, "submissionId": submission, **rank, "displayScore": row.score}


def _team(number: int, row: Standing) -> Json:
    return {
        "teamId": number,
        "teamName": row.team,
        "submissionCount": int(row.entries) if row.entries.isdecimal() else None,
        "lastSubmissionDate": _iso_text(row.last),
        **({} if row.rank else {"isBenchmark": True}),
        "teamMembers": [{"displayName": name, "userName": name} for name in row.members],
    }


def _iso_text(text: str) -> str | None:
    """`2020-09-15 16:57:52` as ISO in UTC; any other text as it is."""
    if not text:
        return None
    try:
        return _iso(datetime.fromisoformat(text))
    except ValueError:
        return text


def _iso(moment: datetime | None) -> str | None:
    if moment is None:
        return None
    return moment.isoformat().replace("+00:00", "Z") if moment.tzinfo else f"{moment.isoformat()}Z"


def _number(value: object, default: int) -> int:
    return int(str(value)) if re.fullmatch(r"[1-9]\d{0,5}", str(value)) else default


def _encode(value: Json) -> bytes:
    return to_json(value)
