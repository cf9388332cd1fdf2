"""Kaggle's official API: the same records as its pages give, without a browser.

Paths are those of Kaggle's own public client. Answers are put into the shape of the page's own JSON and read
by the platform's readers, so that both ways give one record.
"""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TypeVar
from urllib.parse import urlsplit

from pydantic import AliasChoices, Field, SecretStr, ValidationError

from core.errors import BoardUnreadableError, PageUnreadableError, Reason
from schema.board import Board, BoardKind, BoardRow, BoardSource, parse_score
from schema.competition import Competition, CompetitionRef, check_slug, is_slug
from scrapers.answers import CamelAnswer
from scrapers.moments import parse_moment
from scrapers.official.archive import MOST_BYTES, iso_moment, read_board_archive
from scrapers.official.client import ApiClient
from scrapers.platform import Exchange, LoadedPage, Platform
from scrapers.politeness import Politeness
from scrapers.reading import Reading

DRIVER = "api"
FILE_HOSTS = ("www.kaggle.com", "storage.googleapis.com")
"""Where downloads are redirected to."""
_MOST_JSON = 16 * 1024 * 1024
_PAGE = 200
"""Rows of a board that are asked for at once; the API may give fewer."""
_MOST_PAGES = 2_000
"""Of a list or a board: what goes on longer goes round in a circle."""


class _Tag(CamelAnswer):
    name: str = ""


class _Competition(CamelAnswer):
    id: str
    ref: str = ""
    url: str = ""
    title: str | None = None
    deadline: str | None = None
    evaluation_metric: str | None = None
    team_count: int | None = Field(None, ge=0, lt=10**15)
    tags: tuple[_Tag, ...] = ()

    @property
    def slug(self) -> str:
        """From its address; older answers give the slug itself."""
        return urlsplit(self.url or self.ref).path.rstrip("/").rsplit("/", 1)[-1]


class _Listing(CamelAnswer):
    competitions: tuple[_Competition, ...] = ()
    next_page_token: str = ""


class _Page(CamelAnswer):
    name: str = ""
    post_title: str | None = None
    content: str | None = None


class _Pages(CamelAnswer):
    pages: tuple[_Page, ...] = ()


class _Line(CamelAnswer):
    team_id: str
    team_name: str | None = Field(None, validation_alias=AliasChoices("teamName", "teamNameNullable"))
    submission_date: str | None = None
    score: str | None = Field(None, validation_alias=AliasChoices("score", "scoreNullable"))


class _View(CamelAnswer):
    submissions: tuple[_Line, ...] = ()
    next_page_token: str = ""


_A = TypeVar("_A", bound=CamelAnswer)


@dataclass(frozen=True, slots=True)
class KaggleToken:
    """Where the API is, and who asks it."""

    api: str
    username: str
    key: SecretStr


class KaggleApi:
    """Reads competitions through the official API. Use `close` at the end.

    Args:
        token: of the user.
        platform: Kaggle's readers.
        site: base URL of the site, for the addresses in records.
    """

    def __init__(
        self, token: KaggleToken, platform: Platform, site: str, politeness: Politeness, timeout: float
    ) -> None:
        self._platform, self._site = platform, site.rstrip("/")
        self._client = ApiClient(
            token.api,
            token.username,
            token.key,
            files=FILE_HOSTS,
            politeness=politeness,
            timeout=timeout,
        )

    async def close(self) -> None:
        """End all connections."""
        await self._client.close()

    async def list_competitions(self) -> list[CompetitionRef]:
        """All competitions that the API lists, in its order.

        Raises:
            SiteError: the list cannot be read to its end.
        """
        found: dict[str, CompetitionRef] = {}
        for number in range(1, _MOST_PAGES):
            answer = await self._client.json("competitions/list", _MOST_JSON, page=number)
            listing = self._as(_Listing, {"competitions": answer} if isinstance(answer, list) else answer)
            new = [one for one in listing.competitions if is_slug(one.slug) and one.slug not in found]
            for one in new:
                url = f"{self._site}/competitions/{one.slug}"
                deadline = parse_moment(one.deadline)
                found[one.slug] = CompetitionRef(self._platform.name, one.slug, url, one.title, deadline)
            if not new:
                break
        return list(found.values())

    async def read(self, ref: CompetitionRef) -> Reading:
        """One competition: pages, boards and what the API states about it.

        Raises:
            SiteError: refused, missing, busy, or an answer that cannot be believed.
        """
        started, slug = datetime.now(UTC), check_slug(ref.slug)
        root = f"competitions/{slug}"
        stated = self._as(_Competition, await self._client.json(f"competitions/get/{slug}", _MOST_JSON))
        if stated.slug.casefold() != slug.casefold():
            url = f"{self._client.base_url}/competitions/get/{slug}"
            raise PageUnreadableError(url, f"it is of {stated.slug!r}", Reason.OTHER_COMPETITION)
        pages = self._as(_Pages, await self._client.json(f"{root}/pages", _MOST_JSON))
        page = self._loaded(slug, stated, pages)
        competition = self._platform.read_competition(page)
        captures = tuple(
            section.captured(page, self._platform.name, slug)
            for section in self._platform.read_sections(page)
        )
        boards = tuple([board async for board in self._boards(slug, stated, competition)])
        reason = None if captures else "the official API gives no pages of it"
        return Reading(
            competition=competition or Competition(ref.platform, slug, ref.url, ref.title, ref.deadline),
            captures=captures,
            boards=boards,
            complete=reason is None,
            reason=reason,
            steps=0,
            seconds=(datetime.now(UTC) - started).total_seconds(),
            tokens=0,
            driver=DRIVER,
        )

    def _loaded(self, slug: str, stated: _Competition, pages: _Pages) -> LoadedPage:
        """The answers as the page's own script would have got them."""
        detail = {
            "id": stated.id,
            "competitionName": slug,
            "title": stated.title,
            "deadline": stated.deadline,
            "totalTeams": stated.team_count,
            "evaluationAlgorithm": {"name": stated.evaluation_metric},
            "categories": [{"name": tag.name} for tag in stated.tags],
        }
        texts = [
            {"name": page.name, "postTitle": page.post_title, "order": order, "content": page.content}
            for order, page in enumerate(pages.pages)
        ]
        asked = json.dumps({"competitionId": stated.id})
        answers = {
            "competitions.CompetitionService/GetCompetition": detail,
            "competitions.PageService/ListPages": {"pages": texts},
        }
        return LoadedPage(
            url=f"{self._site}/competitions/{slug}/overview",
            status=200,
            html="<html></html>",
            exchanges=tuple(
                Exchange(f"{self._site}/api/i/{method}", "POST", asked, 200, answer)
                for method, answer in answers.items()
            ),
            fetched_at=datetime.now(UTC),
        )

    async def _boards(
        self, slug: str, stated: _Competition, competition: Competition | None
    ) -> AsyncIterator[Board]:
        """The public board from its download; the final one from the view, where that shows another."""
        path = f"competitions/{slug}/leaderboard/download"
        content = await self._client.download(path, MOST_BYTES)
        public = read_board_archive(content, f"{self._client.base_url}/{path}")
        if not public:
            raise BoardUnreadableError(f"{self._client.base_url}/{path}", "the table has no rows")
        viewed = await self._viewed(slug)
        private = _private(viewed, public)
        for kind, rows in ((BoardKind.PRIVATE, private), (BoardKind.PUBLIC, tuple(public.values()))):
            if rows:
                teams = stated.team_count or 0
                yield Board(
                    platform=self._platform.name,
                    competition=slug,
                    kind=kind,
                    url=f"{self._site}/competitions/{slug}/leaderboard",
                    fetched_at=datetime.now(UTC),
                    source=BoardSource.API,
                    rows=rows,
                    rows_claimed=teams if len(rows) < teams and kind is BoardKind.PUBLIC else len(rows),
                    metric_name=competition.metric_name if competition else None,
                    direction=competition.direction if competition else None,
                )

    async def _viewed(self, slug: str) -> list[_Line]:
        """All rows of the board that the API shows by default: the final one once it is out."""
        lines: list[_Line] = []
        token = ""
        for _ in range(_MOST_PAGES):
            query = {"pageToken": token} if token else {}
            path = f"competitions/{slug}/leaderboard/view"
            view = self._as(_View, await self._client.json(path, _MOST_JSON, pageSize=_PAGE, **query))
            lines += view.submissions
            if not view.submissions or not view.next_page_token or view.next_page_token == token:
                return lines
            token = view.next_page_token
        raise BoardUnreadableError(
            f"{self._client.base_url}/{path}", "the board has no end", Reason.TOO_LARGE
        )

    def _as(self, shape: type[_A], answer: object) -> _A:
        try:
            return shape.model_validate(answer)
        except ValidationError as error:
            fault = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(map(str, fault["loc"]))
            raise PageUnreadableError(
                self._client.base_url, f"the official API answers in another shape ({where}: {fault['msg']})"
            ) from None


def _private(viewed: Sequence[_Line], public: Mapping[str, BoardRow]) -> tuple[BoardRow, ...]:
    """The final board's rows; none where the view shows the public board itself.

    The view prints no rank: there is none in the rows. Entries and times are the teams', from the download.
    """
    ids = {line.team_id for line in viewed}
    shown = [(line.team_id, line.score or "") for line in viewed]
    if shown == [(key, row.score_text) for key, row in public.items() if key in ids]:
        return ()
    return tuple(
        _viewed_row(position, line, public.get(line.team_id)) for position, line in enumerate(viewed, 1)
    )


def _viewed_row(position: int, line: _Line, team: BoardRow | None) -> BoardRow:
    text = line.score or ""
    own = BoardRow(
        position, None, line.team_name or "", parse_score(text), text, None, iso_moment(line.submission_date)
    )
    if team is None:
        return own
    return replace(
        own, team=own.team or team.team, entries=team.entries, last_submission=team.last_submission
    )
