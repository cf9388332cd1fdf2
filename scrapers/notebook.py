"""What one agent has captured and where it failed. The notebook decides success, never the model's `done`."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Protocol

from schema.board import Board, BoardKind
from schema.capture import Capture, PageKind
from schema.competition import Competition, CompetitionRef
from scrapers.platform import Listing, Route, Visit
from tam.errors import BoardUnreadableError, BrowserError, PageMissingError, SiteError

_MOST_REVEALED = 40
"""Visits: a page that names more is not followed for ever."""
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


@dataclass
class CompetitionNotebook:
    """One competition: its pages and boards."""

    route: Route
    captures: dict[PageKind, Capture] = field(default_factory=dict)
    boards: dict[BoardName, Board] = field(default_factory=dict)
    competition: Competition | None = None
    skipped: dict[str, SiteError] = field(default_factory=dict)
    """Why an optional visit, or the boards of a visit, could not be read, by URL."""
    _done: set[str] = field(default_factory=set)
    _failures: dict[str, list[SiteError]] = field(default_factory=dict)

    def next_visit(self) -> Visit | None:
        """The first visit of the route that is neither done, skipped nor otherwise satisfied."""
        if self.lost is not None:
            return None
        return next(self._open_visits(), None)

    def _open_visits(self) -> Iterator[Visit]:
        return (v for v in self.route.visits if v.url not in self._done and v.url not in self.skipped)

    @property
    def lost(self) -> SiteError | None:
        """The last failure of the visit under way, once it has used up its attempts."""
        visit = next(self._open_visits(), None)
        return _final(self._failures.get(visit.url, [])) if visit else None

    def fail(self, error: SiteError) -> None:
        """Count `error` against the visit under way; an optional page that is not there is simply skipped."""
        visit = next(self._open_visits(), None)
        if visit is None:
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
        self._done.add(visit.url)

    def keep_competition(self, found: Competition) -> None:
        """Add the facts that earlier pages did not state."""
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
        """Keep the fuller of two readings of one board."""
        name = (board.kind, board.track)
        known = self.boards.get(name)
        if known is None or (board.complete, len(board.rows)) >= (known.complete, len(known.rows)):
            self.boards[name] = board
        self._settle()

    def keep_capture(self, capture: Capture) -> None:
        """Keep the latest capture of each kind."""
        self.captures[capture.kind] = capture
        self._settle()

    def _settle(self) -> None:
        """A visit that the model satisfied from other pages is done."""
        for visit in tuple(self._open_visits()):
            pages = set(visit.extract) <= self.captures.keys()
            boards = not visit.collect or any(
                name in self.boards and self.boards[name].complete
                for name in ((kind, visit.track) for kind in visit.collect)
            )
            if pages and boards and self._failures.get(visit.url):
                self._done.add(visit.url)

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

    def problem(self) -> str | None:
        """Why the reading is not complete, in a sentence; None: it is."""
        short = [
            f"the {_named(b)} has {len(b.rows)} of {b.rows_claimed} rows"
            for b in self.boards.values()
            if not b.complete and b.rows_claimed != 0
        ]
        said = (PageMissingError, BoardUnreadableError) if short else PageMissingError
        skipped = [str(e) for e in self.skipped.values() if not isinstance(e, said)]
        return "; ".join([*short, *skipped]) or None


def _named(board: Board) -> str:
    return f"{board.kind} board" + (f" {board.track!r}" if board.track else "")


@dataclass
class ListingNotebook:
    """A platform's list of competitions, page by page."""

    visit_of: "ListingVisits"
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
        return _final(self._failures)

    def fail(self, error: SiteError) -> None:
        """Count `error` against the page under way."""
        self._failures.append(error)

    def give_up(self) -> bool:
        """A list with a hole is no list."""
        return False

    def keep(self, listing: Listing) -> None:
        """Add one page of the list; a page without anything new ends it."""
        new = [ref for ref in listing.refs if ref.slug not in self.refs]
        self.refs.update((ref.slug, ref) for ref in new)
        self.total = listing.total if listing.total is not None else self.total
        self._more = bool(new) and listing.has_more
        self.page += 1
        self._failures.clear()

    def left(self) -> str:
        """Where the list goes on."""
        return f"- page {self.page} of the list of competitions (expected at {self.visit_of(self.page).url})"


def _final(failures: Sequence[SiteError]) -> SiteError | None:
    """The last failure, where trying once more is of no use."""
    if not failures:
        return None
    last = failures[-1]
    hopeless = len(failures) >= ATTEMPTS or not last.retryable or isinstance(last, BrowserError)
    return last if hopeless else None


class ListingVisits(Protocol):
    """Gives the visit of one page (1-based) of a list."""

    def __call__(self, page: int) -> Visit: ...
