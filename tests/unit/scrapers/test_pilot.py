"""The pilot's decisions from the notebook alone: no browser, no agent."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from pydantic import BaseModel

from core.errors import BoardUnreadableError, BrowserError, PageMissingError, PageUnreadableError, Reason
from schema.board import Board, BoardKind, BoardRow, BoardSource
from schema.capture import Capture, PageKind
from schema.competition import Competition, CompetitionRef
from scrapers.listing_notebook import ListingNotebook
from scrapers.notebook import CompetitionNotebook
from scrapers.pilot import Action, HandOver, Message, RoutePilot
from scrapers.platform import Listing, Route, Visit
from scrapers.routes import FoundRoute

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
    """A model that notes what it is asked and takes its decisions from a list; at its end it is stopped."""

    decisions: list[list[dict[str, dict[str, object]]]] = field(default_factory=list)
    stopped: str | None = None
    notes: list[str] = field(default_factory=list)

    async def decide(
        self, messages: Sequence[Message], output: type[BaseModel], note: str
    ) -> BaseModel | None:
        assert list(messages) == []
        self.notes.append(note)
        if not self.decisions:
            self.stopped = "no more"
            return None
        return output.model_validate({"memory": "", "action": self.decisions.pop(0)})


CLICK: dict[str, dict[str, object]] = {"click": {"index": 7}}
GIVE_UP: dict[str, dict[str, object]] = {"done": {"text": "not there", "success": False}}


def notebook() -> CompetitionNotebook:
    return CompetitionNotebook(Route((OVERVIEW, DATA, BOARD)))


def url_of(action: Action | None) -> object:
    return action["open_url"]["url"] if action else None


def board(rows: int, claimed: int | None) -> Board:
    lines = tuple(BoardRow(n, n, "t", 1.0, "1.0") for n in range(1, rows + 1))
    return Board("p", "c", BoardKind.PRIVATE, "http://x/9", NOW, BoardSource.DOM, lines, claimed)


def capture(kind: PageKind, markdown: str = "") -> Capture:
    return Capture("p", "c", kind, "http://x", NOW, 200, "text/html", b"", markdown)


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


def test_a_text_on_several_pages_is_kept_in_the_order_of_the_route() -> None:
    first, second = (Visit(f"http://x/{n}", "main", extract=(PageKind.EVALUATION,)) for n in (4, 5))
    notes = CompetitionNotebook(Route((OVERVIEW, first, second)))
    notes.keep_capture(capture(PageKind.EVALUATION, "from the overview"), OVERVIEW)
    assert notes.captures[PageKind.EVALUATION].markdown == "from the overview"
    notes.keep_capture(capture(PageKind.EVALUATION, "the format"), second)
    notes.keep_capture(capture(PageKind.EVALUATION, "the old metric"), first)
    notes.keep_capture(capture(PageKind.EVALUATION, "the metric"), first)
    notes.keep_capture(capture(PageKind.EVALUATION, "from elsewhere"), OVERVIEW)
    assert notes.captures[PageKind.EVALUATION].markdown == "the metric\n\nthe format"


def test_a_page_that_says_nothing_more_than_another_adds_nothing() -> None:
    first, second = (Visit(f"http://x/{n}", "main", extract=(PageKind.RULES,)) for n in (4, 5))
    notes = CompetitionNotebook(Route((first, second)))
    notes.keep_capture(capture(PageKind.RULES, "One account."), first)
    notes.keep_capture(capture(PageKind.RULES, "One account. No teams."), second)
    assert notes.captures[PageKind.RULES].markdown == "One account. No teams."


async def test_a_lost_route_goes_to_the_model_and_back_once_the_page_is_found() -> None:
    notes, model = notebook(), Fallback([[CLICK]])
    chat = HandOver(RoutePilot(notes), model)
    await chat.ainvoke([], Output)
    assert (chat.driver, model.notes) == ("pilot", [])
    notes.finish(OVERVIEW)
    notes.fail(PageUnreadableError(DATA.url, "status 500"))
    notes.fail(PageUnreadableError(DATA.url, "status 500"))
    answer = await chat.ainvoke([], Output)
    assert (chat.driver, chat.model_steps) == ("model", 1)
    assert answer.completion.action == [CLICK]
    assert "page data (expected at http://x/2" in model.notes[0]
    notes.keep_capture(capture(PageKind.DATA))
    answer = await chat.ainvoke([], Output)
    assert chat.driver == "pilot"
    assert url_of(answer.completion.action[0]) == BOARD.url
    assert notes.found[DATA.url].url == "http://x"


async def test_a_model_that_says_done_ends_its_search_and_not_the_agent() -> None:
    notes, model = notebook(), Fallback([[CLICK, GIVE_UP], [GIVE_UP]])
    notes.finish(OVERVIEW)
    notes.fail(PageUnreadableError(DATA.url, "status 500"))
    notes.fail(PageUnreadableError(DATA.url, "status 500"))
    chat = HandOver(RoutePilot(notes), model)
    first = await chat.ainvoke([], Output)
    second = await chat.ainvoke([], Output)
    assert first.completion.action == [CLICK]
    assert url_of(second.completion.action[0]) == BOARD.url
    assert "status 500" in str(notes.problem())


async def test_pages_found_elsewhere_satisfy_a_lost_visit() -> None:
    notes = notebook()
    notes.fail(PageMissingError(OVERVIEW.url, "404"))
    assert notes.next_visit() is None
    notes.keep_capture(capture(PageKind.OVERVIEW))
    assert notes.lost is None
    assert notes.next_visit() == DATA


async def test_a_model_that_is_stopped_is_asked_no_more() -> None:
    notes, model = notebook(), Fallback()
    notes.fail(PageMissingError(OVERVIEW.url, "404"))
    chat = HandOver(RoutePilot(notes), model)
    for _ in range(3):
        answer = await chat.ainvoke([], Output)
        assert answer.completion.action[0]["done"]["success"] is False
    assert len(model.notes) == 1


def known_place() -> CompetitionNotebook:
    route = Route((OVERVIEW, DATA, BOARD))
    found = FoundRoute("", "/{slug}/3", "/{slug}/9", found_in="other")
    return CompetitionNotebook(route, known={BOARD.url: (found, replace(BOARD, url="http://x/9"))})


def test_a_place_that_was_found_before_is_visited_first() -> None:
    notes = known_place()
    for url in (OVERVIEW.url, DATA.url, "http://x/9"):
        visit = notes.next_visit()
        assert visit is not None
        assert visit.url == url
        notes.finish(visit)
    assert notes.next_visit() is None
    assert notes.discarded("c") == ()


def test_a_place_that_fails_while_the_declared_one_is_there_is_discarded() -> None:
    notes = known_place()
    notes.finish(OVERVIEW)
    notes.finish(DATA)
    notes.fail(PageMissingError("http://x/9", "404"))
    assert notes.next_visit() == BOARD
    assert notes.discarded("c") == ()
    notes.finish(BOARD)
    assert [one.route.found for one in notes.discarded("c")] == ["/{slug}/9"]


def test_a_site_that_is_down_discards_no_place() -> None:
    notes = known_place()
    notes.finish(OVERVIEW)
    notes.finish(DATA)
    notes.fail(PageUnreadableError("http://x/9", "refused", Reason.NO_CONNECTION))
    notes.finish(BOARD)
    assert notes.discarded("other") == ()


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
