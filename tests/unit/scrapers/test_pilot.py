"""The pilot's decisions from the notebook alone: no browser, no agent."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from pydantic import BaseModel

from schema.board import Board, BoardKind, BoardRow, BoardSource
from schema.capture import Capture, PageKind
from schema.competition import Competition, CompetitionRef
from scrapers.notebook import CompetitionNotebook, ListingNotebook
from scrapers.pilot import MODEL_ATTEMPTS, Action, HandOver, Message, RoutePilot
from scrapers.platform import Listing, Route, Visit
from tam.errors import BoardUnreadableError, BrowserError, ModelError, PageMissingError, PageUnreadableError

OVERVIEW = Visit("http://x/1", "main", extract=(PageKind.OVERVIEW,))
DATA = Visit("http://x/2", "main", extract=(PageKind.DATA,), optional=True)
BOARD = Visit("http://x/3", "main", collect=(BoardKind.PRIVATE, BoardKind.PUBLIC))
DONE = {"done": {"text": "The route is at its end.", "success": True}}
NOW = datetime(2024, 5, 1, tzinfo=UTC)


class Output(BaseModel):
    memory: str
    action: list[dict[str, dict[str, object]]]


@dataclass
class Fallback:
    """A model that notes what it is asked."""

    failures: int = 0
    notes: list[str] = field(default_factory=list)

    async def decide(self, messages: Sequence[Message], output: type[BaseModel], note: str) -> BaseModel:  # noqa: ARG002
        self.notes.append(note)
        if self.failures:
            self.failures += 1
            raise ModelError("no answer")
        return output(memory="", action=[{"click": {"index": 7}}])


def notebook() -> CompetitionNotebook:
    return CompetitionNotebook(Route((OVERVIEW, DATA, BOARD)))


def url_of(action: Action | None) -> object:
    return action["open_url"]["url"] if action else None


def board(rows: int, claimed: int | None) -> Board:
    lines = tuple(BoardRow(n, n, "t", 1.0, "1.0") for n in range(1, rows + 1))
    return Board("p", "c", BoardKind.PRIVATE, "http://x/9", NOW, BoardSource.DOM, lines, claimed)


def capture(kind: PageKind) -> Capture:
    return Capture("p", "c", kind, "http://x", NOW, 200, "text/html", b"", "")


def test_the_pilot_makes_each_visit_once_in_one_action_and_then_says_done() -> None:
    notes = notebook()
    pilot = RoutePilot(notes)
    actions = []
    for visit in (OVERVIEW, DATA, BOARD):
        actions.append(pilot.decide())
        notes.finish(visit)
    assert [url_of(action) for action in actions] == [OVERVIEW.url, DATA.url, BOARD.url]
    assert actions[2] == {"open_url": {"url": BOARD.url, "extract": [], "collect": ["private", "public"]}}
    assert pilot.decide() == DONE
    assert notes.problem() is None


def test_a_failed_visit_is_tried_once_more_and_then_lost() -> None:
    notes = notebook()
    pilot = RoutePilot(notes)
    error = PageUnreadableError(OVERVIEW.url, "slow")
    notes.fail(error)
    assert url_of(pilot.decide()) == OVERVIEW.url
    notes.fail(error)
    assert notes.lost is error
    assert pilot.decide() is None


def test_what_cannot_succeed_is_not_tried_again() -> None:
    for error in (PageMissingError(OVERVIEW.url, "404"), BrowserError("died")):
        notes = notebook()
        notes.fail(error)
        assert notes.lost is error
        assert RoutePilot(notes).decide() is None


def test_an_optional_page_that_is_missing_is_left_out_and_the_reading_is_complete() -> None:
    notes = notebook()
    notes.finish(OVERVIEW)
    notes.fail(PageMissingError(DATA.url, "404"))
    assert notes.lost is None
    assert url_of(RoutePilot(notes).decide()) == BOARD.url
    assert notes.problem() is None


def test_an_optional_page_that_cannot_be_read_is_left_out_and_makes_the_reading_incomplete() -> None:
    notes = notebook()
    notes.finish(OVERVIEW)
    notes.fail(PageUnreadableError(DATA.url, "status 500"))
    notes.fail(PageUnreadableError(DATA.url, "status 500"))
    assert url_of(RoutePilot(notes).decide()) == BOARD.url
    assert "status 500" in str(notes.problem())


def test_a_short_board_is_kept_and_named() -> None:
    notes = notebook()
    notes.finish(OVERVIEW)
    notes.finish(DATA)
    for rows in (8, 9, 7):
        notes.keep_board(board(rows, 10))
    for _ in range(2):
        notes.fail(BoardUnreadableError(BOARD.url, "9 of 10 rows"))
    assert RoutePilot(notes).decide() == DONE
    assert len(notes.boards[BoardKind.PRIVATE, None].rows) == 9
    assert "9 of 10 rows" in str(notes.problem())


def test_facts_of_later_pages_fill_gaps_only() -> None:
    notes = notebook()
    notes.keep_competition(Competition("p", "c", "u", title="First", participants=None))
    notes.keep_competition(Competition("p", "c", "u", title="Second", participants=12, tags=("a",)))
    assert notes.competition == Competition("p", "c", "u", title="First", participants=12, tags=("a",))


async def test_a_lost_route_goes_to_the_model_with_what_is_left() -> None:
    notes, model = notebook(), Fallback()
    chat = HandOver(RoutePilot(notes), model)
    await chat.ainvoke([], Output)
    assert (chat.driver, model.notes) == ("pilot", [])
    notes.finish(OVERVIEW)
    notes.finish(DATA)
    notes.fail(PageMissingError(BOARD.url, "404"))
    answer = await chat.ainvoke([], Output)
    assert chat.driver == "model"
    assert answer.completion.action == [{"click": {"index": 7}}]
    assert "board private, board public (expected at http://x/3" in model.notes[0]
    notes.keep_board(board(10, 10))
    assert notes.next_visit() is None
    assert notes.problem() is None


async def test_pages_found_elsewhere_satisfy_a_lost_visit() -> None:
    notes = notebook()
    notes.fail(PageMissingError(OVERVIEW.url, "404"))
    assert notes.next_visit() is None
    notes.keep_capture(capture(PageKind.OVERVIEW))
    assert notes.lost is None
    assert notes.next_visit() == DATA


async def test_a_model_that_keeps_failing_is_given_up() -> None:
    notes, model = notebook(), Fallback(failures=1)
    notes.fail(PageMissingError(OVERVIEW.url, "404"))
    chat = HandOver(RoutePilot(notes), model)
    for _ in range(MODEL_ATTEMPTS - 1):
        try:
            await chat.ainvoke([], Output)
        except ModelError:
            continue
    answer = await chat.ainvoke([], Output)
    assert answer.completion.action[0]["done"]["success"] is False
    assert len(model.notes) == MODEL_ATTEMPTS - 1


async def test_without_a_model_a_lost_route_ends_the_agent() -> None:
    notes = notebook()
    notes.fail(PageMissingError(OVERVIEW.url, "404"))
    answer = await HandOver(RoutePilot(notes)).ainvoke([], Output)
    assert answer.completion.action[0]["done"]["success"] is False


def test_a_list_ends_when_a_page_brings_nothing_new() -> None:
    notes = ListingNotebook(lambda page: Visit(f"http://x/list?page={page}", "ul"))
    refs = tuple(CompetitionRef("p", f"c{n}", "u") for n in range(3))
    notes.keep(Listing(refs, None, has_more=True))
    assert notes.next_visit() == Visit("http://x/list?page=2", "ul")
    notes.keep(Listing(refs, None, has_more=True))
    assert notes.next_visit() is None
    assert list(notes.refs.values()) == list(refs)
