"""What one agent has captured and where it failed. The notebook decides success, never the model's `done`."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Protocol

from core.errors import BoardUnreadableError, BrowserError, PageMissingError, Reason, SiteError
from schema.board import Board, BoardKind, BoardSource
from schema.capture import Capture, PageKind
from schema.competition import Competition
from scrapers.footprint import Footprint, HashedAnswer, VisitAnswers, reader_version
from scrapers.platform import Route, Visit
from scrapers.routes import DiscardedRoute, FoundRoute
from scrapers.stored_text import joined, stored_board, stored_capture, stored_competition

_MOST_REVEALED = 40
"""Visits: a page that names more is not followed for ever."""
_PASSING = frozenset({Reason.NO_CONNECTION, Reason.BUSY, Reason.BROWSER_FAILED, Reason.NO_ANSWER})
"""What says nothing about a route: the next try may go well."""
ATTEMPTS = 2
"""The pilot tries a visit once more before it is lost."""


BoardName = tuple[BoardKind, str | None]
"""Kind and track: what tells the boards of one competition apart."""


class Notebook(Protocol):
    """What the pilot needs to know, whatever the agent reads."""

    def next_visit(self) -> Visit | None:
        """Where to go now; None: nothing is left, or the route is lost."""

    @property
    def lost(self) -> SiteError | None:
        """Why the route ends before its end, if it does."""

    def fail(self, error: SiteError) -> None:
        """Record that the visit under way met `error`."""

    def give_up(self) -> bool:
        """Leave out what is lost, where the rest is still worth reading; tell whether that is so."""

    def left(self) -> str:
        """What is still to capture, for a model."""


@dataclass(frozen=True, slots=True)
class FoundPlace:
    """A page that a model found, and how it is known that it is loaded: of its visit what it has too."""

    url: str
    ready: str = ""
    answers: tuple[str, ...] = ()


@dataclass
class CompetitionNotebook:
    """One competition: its pages and boards."""

    route: Route
    captures: dict[PageKind, Capture] = field(default_factory=dict)
    boards: dict[BoardName, Board] = field(default_factory=dict)
    competition: Competition | None = None
    skipped: dict[str, SiteError] = field(default_factory=dict)
    """Why an optional visit, or the boards of a visit, could not be read, by URL."""
    traces: dict[str, tuple[HashedAnswer, ...] | None] = field(default_factory=dict)
    """What each visit's content was made from, by URL; None where nothing could prove it unchanged."""
    known: dict[str, tuple[FoundRoute, Visit]] = field(default_factory=dict)
    """By a declared visit's URL: where it was found last time, and the visit there, which is made first."""
    found: dict[str, FoundPlace] = field(default_factory=dict)
    """By a lost visit's URL: the one page that gave all that the visit is for."""
    _dropped: dict[str, SiteError] = field(default_factory=dict)
    """Why a known place was given up, by the declared URL."""
    _board_pages: dict[tuple[str, str | None], Capture] = field(default_factory=dict)
    """By address and track."""
    _own: dict[PageKind, dict[str, Capture]] = field(default_factory=dict)
    """What the route's visits for a kind of page gave, by the visit's declared URL."""
    _done: set[str] = field(default_factory=set)
    _failures: dict[str, list[SiteError]] = field(default_factory=dict)

    def next_visit(self) -> Visit | None:
        """The first visit of the route that is neither done, skipped nor otherwise satisfied."""
        if self.lost is not None:
            return None
        visit = next(self._open_visits(), None)
        return None if visit is None else self._at_known_place(visit)

    def _at_known_place(self, visit: Visit) -> Visit:
        known = self.known.get(visit.url)
        return known[1] if known is not None and visit.url not in self._dropped else visit

    def _open_visits(self) -> Iterator[Visit]:
        return (v for v in self.route.visits if v.url not in self._done and v.url not in self.skipped)

    @property
    def lost(self) -> SiteError | None:
        """The last failure of the visit under way, once it has used up its attempts."""
        visit = next(self._open_visits(), None)
        return final(self._failures.get(visit.url, [])) if visit else None

    @property
    def lost_visit(self) -> Visit | None:
        """The visit that is lost, if one is."""
        return next(self._open_visits(), None) if self.lost is not None else None

    def fail(self, error: SiteError) -> None:
        """Count `error` against the visit under way; an optional page that is not there is simply skipped."""
        visit = next(self._open_visits(), None)
        if visit is None:
            return
        if self._at_known_place(visit) is not visit:
            self._dropped[visit.url] = error
            return
        self._failures.setdefault(visit.url, []).append(error)
        if visit.optional and isinstance(error, PageMissingError):
            self.skipped[visit.url] = error

    def give_up(self) -> bool:
        """Skip a lost page that is optional, or whose boards fail: the rest is still worth reading."""
        visit = next(self._open_visits(), None)
        error = self.lost
        if visit is None or error is None:
            return False
        if visit.optional or isinstance(error, BoardUnreadableError):
            self.skipped[visit.url] = error
            return True
        return False

    def extend(self, visits: Iterable[Visit]) -> None:
        """Add visits that a page has revealed to the end of the route."""
        known = {visit.url for visit in self.route.visits}
        new = tuple(visit for visit in visits if visit.url not in known)[:_MOST_REVEALED]
        if new and len(self.route.visits) < _MOST_REVEALED:
            self.route = replace(self.route, visits=(*self.route.visits, *new))

    def finish(self, visit: Visit) -> None:
        """Record that a visit gave all that its page has."""
        self._done.add(self._declared(visit))

    def _declared(self, visit: Visit) -> str:
        """The URL that the route declares for a visit, which may be made at a known place."""
        places = {known.url: declared for declared, (_, known) in self.known.items()}
        return places.get(visit.url, visit.url)

    def keep_competition(self, found: Competition) -> None:
        """Add the facts that earlier pages did not state."""
        found = stored_competition(found)
        if self.competition is None:
            self.competition = found
            return
        gaps = {
            f.name: getattr(found, f.name)
            for f in fields(found)
            if getattr(self.competition, f.name) in (None, ()) and getattr(found, f.name) not in (None, ())
        }
        self.competition = replace(self.competition, **gaps)

    def keep_board(self, board: Board) -> None:
        """Keep the fuller of two readings of one board.

        Raises:
            PageTooLargeError: it has more rows than any leaderboard.
        """
        board = stored_board(board)
        name = (board.kind, board.track)
        known = self.boards.get(name)
        if known is None or (board.complete, len(board.rows)) >= (known.complete, len(known.rows)):
            self.boards[name] = board
        self._settle()

    def keep_board_page(self, page: Capture, track: str | None) -> None:
        """Keep the bytes that boards were read from."""
        self._board_pages[page.url, track] = page

    def board_pages(self) -> tuple[Capture, ...]:
        """The pages that the boards were read from, one per address: the tracks on it together."""
        pages: dict[str, list[Capture]] = {}
        for (url, _), page in self._board_pages.items():
            pages.setdefault(url, []).append(page)
        return tuple(
            replace(parts[0], raw=b"\n".join(dict.fromkeys(part.raw for part in parts)))
            for parts in pages.values()
        )

    def keep_capture(self, capture: Capture, visit: Visit | None = None) -> None:
        """Keep the latest capture of each kind.

        Where several visits of the route are for one kind (an evaluation on one page, the format of a
        submission on the next), keep what they gave together, in the route's order.
        """
        kind = capture.kind
        own = [known.url for known in self.route.visits if kind in known.extract]
        place = self._declared(visit) if visit is not None else None
        if place is not None and place in own:
            parts = self._own.setdefault(kind, {})
            parts[place] = capture
            capture = joined([parts[url] for url in own if url in parts])
        if place in own or kind not in self._own:
            self.captures[kind] = stored_capture(capture)
        self._settle()

    def _settle(self) -> None:
        """A visit that the model satisfied from other pages is done."""
        for visit in tuple(self._open_visits()):
            pages = set(visit.extract) <= self.captures.keys()
            boards = not visit.collect or any(
                name in self.boards and self.boards[name].complete
                for name in ((kind, visit.track) for kind in visit.collect)
            )
            failures = self._failures.get(visit.url)
            if pages and boards and failures:
                self._done.add(visit.url)
                places = {self.captures[kind].url for kind in visit.extract}
                places |= {
                    self.boards[name].url
                    for name in ((kind, visit.track) for kind in visit.collect)
                    if name in self.boards
                }
                if len(places) == 1 and final(failures):
                    self.found[visit.url] = FoundPlace(places.pop())

    def discarded(self, slug: str) -> tuple[DiscardedRoute, ...]:
        """The known places that led nowhere, though the page is there or was found with this competition."""
        return tuple(
            DiscardedRoute(route, str(error))
            for declared, error in self._dropped.items()
            for route, _ in [self.known[declared]]
            if error.code not in _PASSING and (declared in self._done or route.found_in == slug)
        )

    def left(self) -> str:
        """The pages and boards still to capture, with the reason of the last failure."""
        lines = []
        for visit in self._open_visits():
            wanted = ", ".join(
                [*(f"page {k}" for k in visit.extract), *(f"board {k}" for k in visit.collect)]
            )
            failures = self._failures.get(visit.url)
            lines.append(f"- {wanted} (expected at {visit.url}" + (f"; {failures[-1]})" if failures else ")"))
        return "\n".join(lines)

    def footprint(self, platform: str, slug: str, base_url: str) -> Footprint | None:
        """What the whole reading was made from; None where a part of it could not be proved unchanged."""
        visits = [
            VisitAnswers(url=visit.url, answers=answers)
            for visit in self.route.visits
            if (answers := self.traces.get(visit.url)) is not None
        ]
        drawn = any(board.source is BoardSource.DOM for board in self.boards.values())
        by_json = any(visit.collect and visit.answers for visit in self.route.visits)
        if self.problem() is not None or len(visits) < len(self.route.visits) or (drawn and by_json):
            return None
        return Footprint(
            platform=platform,
            competition=slug,
            base_url=base_url,
            reader=reader_version(),
            visits=tuple(visits),
            rows={
                kind: sum(len(board.rows) for board in self.boards.values() if board.kind is kind)
                for kind in BoardKind
            },
        )

    @property
    def code(self) -> Reason | None:
        """Why the reading is not complete; None: it is."""
        if self.problem() is None:
            return None
        if any(not board.complete and board.rows_claimed != 0 for board in self.boards.values()):
            return Reason.SHORT_BOARD
        codes = [error.code for error in self._refused()]
        return codes[0] if codes else Reason.UNREADABLE

    def problem(self) -> str | None:
        """Why the reading is not complete, in a sentence; None: it is."""
        short = [
            f"the {_named(b)} has {len(b.rows)} of {b.rows_claimed} rows"
            for b in self.boards.values()
            if not b.complete and b.rows_claimed != 0
        ]
        refused = [e for e in self._refused() if not (short and isinstance(e, BoardUnreadableError))]
        return "; ".join([*short, *map(str, refused)]) or None

    def _refused(self) -> Iterator[SiteError]:
        """Why visits were skipped, but for pages that are not there; a board behind a login is there."""
        boards = {visit.url for visit in self.route.visits if visit.collect}
        for url, error in self.skipped.items():
            closed = error.code is Reason.LOGIN_WALL and url in boards
            if closed or not isinstance(error, PageMissingError):
                yield error


def _named(board: Board) -> str:
    return f"{board.kind} board" + (f" {board.track!r}" if board.track else "")


def final(failures: Sequence[SiteError]) -> SiteError | None:
    """The last failure, where trying once more is of no use."""
    if not failures:
        return None
    last = failures[-1]
    hopeless = len(failures) >= ATTEMPTS or not last.retryable or isinstance(last, BrowserError)
    return last if hopeless else None
