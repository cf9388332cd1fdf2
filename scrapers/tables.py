"""Tables of an HTML page, whatever they are built of: `<table>`, ARIA roles, or a list of rows. Pure.

lxml directly: a board of 3,000 rows is read in a fraction of a second.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from lxml import html as lxml_html
from lxml.etree import ParserError
from lxml.html import HtmlElement

from schema.board import BoardRow
from scrapers.boards import columns_of, parse_integer, rows_of, with_score_column

_SKIPPED = frozenset({"script", "style", "template", "noscript", "svg"})
_BLOCKS = frozenset(
    {"div", "p", "li", "ul", "ol", "br", "section", "header", "pre"}
    | {"table", "tr", "td", "th", "h1", "h2", "h3", "h4", "h5", "h6"}
)
_ICON = re.compile(r"material-(?:icons|symbols)|(?:^|[\s_-])icon(?:$|[\s_-])|\bsr-only\b|visually-hidden")
_HEADER_LINES = 3
_SURE = 2
"""Columns with a name: one word could be chance."""
_SPACES = " \t\r\n\u00a0"
_BREAKS = re.compile(r"[ \u00a0]*[\t\r\n][\s]*")


@dataclass(frozen=True, slots=True)
class HtmlTable:
    """A table as laid out: header texts, and the cells of every row below, elements still."""

    headers: tuple[str, ...]
    header_cells: tuple[HtmlElement, ...]
    rows: tuple[tuple[HtmlElement, ...], ...]

    def texts(self) -> list[list[str]]:
        """The printed text of every cell."""
        return [[text_of(cell) for cell in row] for row in self.rows]


def parse_html(html: str) -> HtmlElement:
    """The document; an empty one where there is nothing to parse."""
    try:
        # A declared encoding in a string is an error for lxml; browsers hand over text without one.
        return lxml_html.document_fromstring(re.sub(r"^\s*<\?xml[^>]*\?>", "", html).replace("\0", ""))
    except ParserError:
        return lxml_html.document_fromstring("<html><body></body></html>")


def text_of(element: HtmlElement) -> str:
    """The text a reader sees: no icons, no hidden parts; source line breaks are one space, ends stripped."""
    text = element.text or "" if len(element) == 0 else "".join(_pieces(element))
    return _BREAKS.sub(" ", text).strip(_SPACES)


def _pieces(element: HtmlElement) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if isinstance(child.tag, str) and not is_decoration(child):
            around = "\n" if child.tag in _BLOCKS else ""
            yield around
            yield from _pieces(child)
            yield around
        yield child.tail or ""


def is_decoration(element: HtmlElement) -> bool:
    """Whether an element is drawn for the eye only: scripts, pictures, icons, hidden parts."""
    attributes = element.attrib
    return (
        element.tag in _SKIPPED
        or "hidden" in attributes
        or attributes.get("aria-hidden") == "true"
        or bool(_ICON.search(attributes.get("class", "")))
        or "display:none" in attributes.get("style", "").replace(" ", "")
    )


def tables_of(root: HtmlElement) -> Iterator[HtmlTable]:
    """All tables under `root`: real ones first, then ARIA tables, then lists with a header item."""
    for element in root.iter("table"):
        yield from _table(_plain_rows(element))
    for element in root.xpath(".//*[not(self::table)][@role='table' or @role='grid' or @role='treegrid']"):
        yield from _table(_role_rows(element))
    for element in root.iter("ul", "ol"):
        yield from _table(_list_rows(element))


def board_table(root: HtmlElement) -> HtmlTable | None:
    """The table that reads most like a leaderboard: usable column names, then the most rows."""
    found = [table for table in tables_of(root) if _has_rank_or_team(table)]
    return max(found, key=lambda table: len(table.rows), default=None)


def _has_rank_or_team(table: HtmlTable) -> bool:
    return _named(table.headers) >= _SURE


def _named(headers: Sequence[str]) -> int:
    """How many of the columns that tell a leaderboard these headers name."""
    columns = columns_of(headers)
    return sum(index is not None for index in (columns.rank, columns.team, columns.score, columns.entries))


def board_rows(table: HtmlTable) -> tuple[BoardRow, ...]:
    """The rows of a table that is a leaderboard, in its order."""
    cells, columns = table.texts(), columns_of(table.headers)
    if columns.team is not None:
        rename(cells, columns.team, names_of(row[columns.team : columns.team + 1] for row in table.rows))
    return tuple(rows_of(with_score_column(columns, cells), cells))


def rename(cells: Sequence[list[str]], column: int, names: Iterable[str]) -> None:
    """Put one name for each row of texts into its column, where the row is that long."""
    for row, name in zip(cells, names, strict=True):
        if column < len(row):
            row[column] = name


def names_of(elements: Iterable[Sequence[HtmlElement]]) -> list[str]:
    """The texts of one element of each row, or of none, with the spaces that are a name's own at its ends.

    Line breaks at an end are the source's, and so are spaces that every text has; other spaces are printed.
    """
    texts = [_printed(row[0]) if row else "" for row in elements]
    written = [text for text in texts if text]
    if all(text[0] in _SPACES for text in written):
        texts = [text.lstrip(_SPACES) for text in texts]
    if all(text[-1] in _SPACES for text in written):
        texts = [text.rstrip(_SPACES) for text in texts]
    return texts


def _printed(element: HtmlElement) -> str:
    """A text that nothing but wrappers stands around, with the spaces at its ends; else without them."""
    inner = element
    while len(inner) == 1 and not (inner.text or "").strip() and not (inner[0].tail or "").strip():
        inner = inner[0]
    if len(inner) or is_decoration(inner):
        return text_of(element)
    text = inner.text or ""
    start, end = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    if re.search(r"[\t\r\n]", start):
        text = text.lstrip(_SPACES)
    if re.search(r"[\t\r\n]", end):
        text = text.rstrip(_SPACES)
    return _BREAKS.sub(" ", text)


_Row = tuple[HtmlElement, ...]


def _plain_rows(table: HtmlElement) -> list[_Row]:
    rows = table.xpath("./tr | ./thead/tr | ./tbody/tr | ./tfoot/tr")
    return [tuple(_spread(row)) for row in rows]


def _spread(row: HtmlElement) -> Iterator[HtmlElement]:
    """The cells of a row, each as often as it is wide, at most 50 times."""
    for cell in row.iterchildren("td", "th"):
        yield cell
        width = parse_integer(cell.get("colspan")) or 1
        for _ in range(min(width, 50) - 1):
            yield lxml_html.Element(cell.tag)


def _role_rows(table: HtmlElement) -> list[_Row]:
    cells = "./descendant::*[@role='cell' or @role='gridcell' or @role='columnheader' or @role='rowheader']"
    return [tuple(row.xpath(cells)) for row in table.xpath(".//*[@role='row']")]


def _list_rows(items: HtmlElement) -> list[_Row]:
    return [tuple(_item_cells(item)) for item in items.iterchildren("li")]


def _item_cells(item: HtmlElement) -> Sequence[HtmlElement]:
    """The children of the first element inside a list item that has several."""
    inside = [child for child in item if isinstance(child.tag, str)]
    while len(inside) == 1:
        inside = [child for child in inside[0] if isinstance(child.tag, str)]
    return inside


def _table(rows: Sequence[_Row]) -> Iterator[HtmlTable]:
    """The table of these rows, if one of the first is a header: `th` cells, or words for columns.

    Of several lines of header the one that names most: those above it group its columns.
    """
    heads = [(tuple(text_of(cell) for cell in row), row) for row in rows[:_HEADER_LINES]]
    likely = [
        (_named(headers), -index)
        for index, (headers, row) in enumerate(heads)
        if len(row) > 1 and (_is_header(row) or columns_of(headers).usable or _named(headers) >= _SURE)
    ]
    if likely:
        index = -max(likely)[1]
        yield HtmlTable(*heads[index], tuple(rows[index + 1 :]))


def _is_header(row: _Row) -> bool:
    return all(cell.tag == "th" or cell.get("role") == "columnheader" for cell in row)
