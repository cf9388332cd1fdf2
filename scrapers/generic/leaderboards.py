"""The leaderboards that a page draws: found, told from other tables, and read. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from urllib.parse import unquote, urljoin, urlsplit

from lxml.html import HtmlElement

from schema.board import BoardKind, BoardRow, parse_score
from schema.metric import Direction
from scrapers.boards import Columns, parse_integer, rows_of, without_repeats
from scrapers.column_words import column_named
from scrapers.generic import evidence
from scrapers.generic.claims import claim_beside
from scrapers.generic.grids import Grid, grids_of
from scrapers.generic.kinds import kind_of, kind_of_name
from scrapers.generic.paging import Control, control_of
from scrapers.generic.places import selector_of
from scrapers.generic.surroundings import Surroundings, is_marked
from scrapers.generic.words import BOARD, NOT_A_BOARD, RESULTS, TEASER
from scrapers.tables import parse_html, text_of

_SAMPLE = 200
_MOST_MEDALS = 10
_NOTES = 4
_LONGEST_NAME = 40
_SHORT_WORD = 2
"""Levels of texts around a board that can say of which kind it is."""


@dataclass(frozen=True, slots=True)
class FoundBoard:
    """A leaderboard that a page draws, as far as it draws it now."""

    rows: tuple[BoardRow, ...]
    kind: BoardKind
    claimed: int | None
    """Rows, as the page says beside the board."""
    metric_name: str | None
    names: tuple[str, ...]
    """What it is called: its heading, caption, tabs."""
    points: float
    teaser: bool
    """It says itself that it is only the top."""
    row_selector: str | None
    """CSS selector of its rows in the live page."""
    control: Control | None
    """What shows more of it."""
    doubt: str | None = None
    """Why another column could be the score."""
    direction: Direction | None = None
    anchored: bool = False
    """The address names the part of the page that it stands in."""


def boards_of(html: str, url: str) -> tuple[FoundBoard, ...]:
    """All leaderboards of a page, the most convincing first; of two that say the same, one."""
    root = parse_html(html)
    around = Surroundings(root)
    title = text_of(root.find(".//title")) if root.find(".//title") is not None else ""
    candidates = [found for grid in grids_of(root) if (found := _candidate(grid, around, url, title))]
    chosen: list[_Candidate] = []
    for one in sorted(candidates, key=lambda found: -found.points):
        if not any(_overlap(one.grid.element, other.grid.element) for other in chosen):
            chosen.append(one)
    anchored = _anchored([one.grid.element for one in chosen], root, url)
    boards = [replace(_read(one, around, url), anchored=one.grid.element is anchored) for one in chosen]
    kept: dict[tuple[object, ...], FoundBoard] = {}
    for board in sorted(boards, key=lambda found: (-found.points, -len(found.rows))):
        if board.rows:
            kept.setdefault(tuple((row.rank, row.team, row.score_text) for row in board.rows), board)
    return tuple(kept.values())


def _anchored(grids: Sequence[HtmlElement], root: HtmlElement, url: str) -> HtmlElement | None:
    """The first grid in or after the element that the address names; None where it names none."""
    name = unquote(urlsplit(url).fragment)
    named = root.xpath("(//*[@id=$name] | //a[@name=$name])[1]", name=name) if name else []
    if not named:
        return None
    order = {element: place for place, element in enumerate(root.iter())}
    after = [grid for grid in grids if order[grid] >= order[named[0]]]
    return min(after, key=order.__getitem__, default=None)


@dataclass(frozen=True, slots=True, eq=False)
class _Candidate:
    grid: Grid
    verdict: evidence.BoardVerdict
    names: tuple[str, ...]

    @property
    def points(self) -> float:
        return self.verdict.points


def _candidate(grid: Grid, around: Surroundings, url: str, title: str) -> _Candidate | None:
    cells = [[text_of(cell) for cell in row] for row in grid.rows[:_SAMPLE]]
    if not cells:
        return None
    headings = around.headings_of(grid.element)
    names = (*headings, *around.labels_of(grid.element))
    named = any(_is_board_name(name) for name in names)
    other = bool(names) and not named and bool(NOT_A_BOARD.search(names[0]))
    named = named or (not other and (_is_board_name(_tail(url)) or bool(BOARD.search(title))))
    verdict = evidence.judge(grid.headers, cells, named=named, other=other)
    return _Candidate(grid, verdict, names) if verdict.points >= evidence.ACCEPTED else None


def _is_board_name(text: str) -> bool:
    return bool(BOARD.search(text) or RESULTS.search(text))


def _tail(url: str) -> str:
    parts = urlsplit(url)
    last = [part for part in parts.path.split("/") if part][-1:]
    return (
        unquote(" ".join([*last, parts.query, parts.fragment]))
        .replace("_", " ")
        .replace("-", " ")
        .replace("/", " ")
    )


def _overlap(one: HtmlElement, other: HtmlElement) -> bool:
    return one is other or other in one.iterancestors() or one in other.iterancestors()


def _read(found: _Candidate, around: Surroundings, url: str) -> FoundBoard:
    grid, columns = found.grid, found.verdict.columns
    element = grid.element
    levels = list(around.notes_of(element))
    headings = {" ".join(header.split()) for header in grid.headers}
    notes = [note for lines in levels[:_NOTES] for note in lines if note not in headings]
    chosen = around.chosen_near(element)
    names = (*around.labels_of(element), *chosen[:3], *around.headings_of(element))
    control, elsewhere = _usable(control_of(element, url), url)
    headers = [text_of(header) for header in around.root.xpath("//header | //*[@role='banner']")]
    state = " ".join([*headers, *(line for lines in levels for line in lines)])
    return FoundBoard(
        rows=_rows(grid, columns),
        kind=BoardKind.PUBLIC
        if around.is_earlier_round(element) and not any(kind_of_name(name) for name in names)
        else kind_of(names, notes, url, state, _other_boards(around, url)),
        claimed=_row_count(element) or claim_beside(levels),
        metric_name=_metric(grid.headers, columns),
        names=found.names,
        points=found.points,
        teaser=elsewhere or any(TEASER.search(name) for name in found.names[:2]),
        row_selector=_row_selector(grid),
        control=control,
        doubt=found.verdict.doubt,
        direction=found.verdict.direction,
    )


def _usable(control: Control | None, url: str) -> tuple[Control | None, bool]:
    """The control, and whether it leads to the whole board elsewhere instead of showing more of it here."""
    if control is None or control.shows == "next" or control.url is None:
        return control, False
    if urlsplit(control.url).path == urlsplit(url).path:
        return replace(control, shows="next"), False
    return None, True


def _other_boards(around: Surroundings, url: str) -> Iterator[str]:
    """Names of links to other leaderboards: beside a "Final leaderboard" the plain one is not final."""
    for link in around.root.xpath("//a[@href]"):
        name = text_of(link)
        other = urljoin(url, str(link.get("href"))).rstrip("/") != url.rstrip("/")
        if other and len(name) <= _LONGEST_NAME and BOARD.search(name) and not is_marked(link):
            yield name


def _row_count(element: HtmlElement) -> int | None:
    """`aria-rowcount`: all rows of the board with its header row; -1 where the page does not know."""
    count = parse_integer(element.get("aria-rowcount"))
    return (
        count - 1 if count and count > 1 and not str(element.get("aria-rowcount")).startswith("-") else None
    )


def _rows(grid: Grid, columns: Columns) -> tuple[BoardRow, ...]:
    cells = [[_printed(cell, dated=at == columns.last) for at, cell in enumerate(row)] for row in grid.rows]
    for texts, row in zip(cells, grid.rows, strict=True):
        for name, read in ((columns.team, _team), (columns.rank, _rank)):
            if name is not None and name < len(row):
                texts[name] = read(row[name], texts[name])
    _name_medals(grid, columns, cells)
    rows = rows_of(columns, cells, headers=[" ".join(header.split()) for header in grid.headers])
    numbers = evidence.plain_numbers([row.score_text for row in rows])
    return without_repeats(
        replace(row, score=parse_score(text)) for row, text in zip(rows, numbers, strict=True)
    )


def _name_medals(grid: Grid, columns: Columns, cells: list[list[str]]) -> None:
    """Pictures in the place of the first ranks say the place that they stand at.

    Only where nothing contradicts: what is printed below goes on at its own place.
    """
    at = columns.rank
    if at is None or column_named(grid.headers[at] if at < len(grid.headers) else "") != "rank":
        return
    texts = [row[at] if at < len(row) else "" for row in cells]
    drawn = next((place for place, text in enumerate(texts) if text), len(texts))
    pictures = all(_is_picture(row[at]) for row in grid.rows[:drawn] if at < len(row))
    if (
        0 < drawn <= _MOST_MEDALS
        and pictures
        and (drawn == len(texts) or parse_integer(texts[drawn]) == drawn + 1)
    ):
        for place in range(drawn):
            cells[place][at] = str(place + 1)


def _is_picture(cell: HtmlElement) -> bool:
    return bool(cell.xpath("boolean(.//svg | .//img | .//i | .//*[local-name()='svg'])"))


def _printed(cell: HtmlElement, *, dated: bool) -> str:
    """The text of a cell; of a date that is shown as an age, the whole date in its title."""
    text = text_of(cell)
    if not dated:
        return text
    whole = (str(value) for value in cell.xpath(".//time/@datetime | ./@datetime | .//@title | ./@title"))
    return next((value for value in whole if sum(letter.isdigit() for letter in value) >= 6), text)


def _rank(cell: HtmlElement, text: str) -> str:
    """The printed rank; of a medal's picture, its alternative text."""
    if parse_integer(text) is not None:
        return text
    said = (
        str(value)
        for value in cell.xpath(
            ".//@alt | .//@title | .//@aria-label | ./@title | ./@aria-label "
            "| .//*[local-name()='title']/text()"
        )
    )
    return next((value for value in said if parse_integer(value) is not None and len(value) < 20), text)


def _team(cell: HtmlElement, text: str) -> str:
    """The team's name: what stands first, without badges, members and a remark in brackets behind it."""
    links = [said for link in cell.iter("a") if (said := text_of(link))]
    first = next((said for child in cell if isinstance(child.tag, str) and (said := text_of(child))), "")
    rest = text[len(first) :].strip(" *\n") if first and text.startswith(first) else ""
    if rest.startswith(("(", "\uff08")) and rest.endswith((")", "\uff09")):
        return first
    if links and text.startswith(links[0]) and "\n" in text:
        return links[0]
    return text.replace("\n", " ")


def _metric(headers: Sequence[str], columns: Columns) -> str | None:
    """The score's heading, where it is a name of its own."""
    title = headers[columns.score] if columns.score is not None and columns.score < len(headers) else ""
    plain = " ".join(title.split())
    return (
        None
        if plain.casefold() in {"", "score", "scores", "得分", "分数", "points", "スコア"}
        else plain[:100]
    )


def _row_selector(grid: Grid) -> str | None:
    if not grid.row_elements:
        return None
    parents = {row.getparent() for row in grid.row_elements}
    tag = grid.row_elements[-1].tag
    if len(parents) > 1:
        return f"{selector_of(grid.element)} {tag}"
    return f"{selector_of(parents.pop())} > {tag}"


def best(boards: Iterable[FoundBoard], hint: str) -> FoundBoard | None:
    """Of several boards the one that is named as asked for, else the longest of the most convincing."""
    wanted = set(_words(hint))
    return max(
        boards,
        key=lambda board: (
            board.anchored,
            len(wanted & set(_words(" ".join(board.names)))),
            not board.teaser,
            len(board.rows),
            board.points,
        ),
        default=None,
    )


def _words(text: str) -> list[str]:
    return [
        word
        for word in unquote(text).casefold().replace("_", " ").replace("/", " ").replace("#", " ").split()
        if len(word) > _SHORT_WORD
    ]
