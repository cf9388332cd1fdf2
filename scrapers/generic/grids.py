"""Everything on a page that is laid out in rows and columns, whatever it is built of. Pure.

Tables, ARIA tables and lists come from `scrapers.tables`; here also grids of plain elements: rows that are
alike beside each other, with their header row or labels, and cells that stand in one container without rows.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from lxml import html as lxml_html
from lxml.html import HtmlElement

from scrapers.column_words import ENTRANT_WORDS, column_named, plain_heading
from scrapers.tables import is_decoration, text_of

Row = tuple[HtmlElement, ...]
_MOST_CELLS = 40
_FEWEST_ROWS = 3
"""Of a grid without a header: fewer are chance."""
_ALIKE = 0.8
"""Share of rows that must have the same number of cells."""
_SKIPPED = frozenset(
    {"script", "style", "template", "noscript", "svg", "head", "br", "hr", "option", "select"}
)
_ROWLESS = frozenset({"table", "thead", "tfoot", "tr", "select", "nav", "p", "pre"})
_LABEL = re.compile(r"\s*([^:\uff1a\d][^:\uff1a]{0,30})[:\uff1a]\s*(.*)", re.DOTALL)
_LABEL_NAMES = (
    "data-label",
    "data-th",
    "data-title",
    "data-header",
    "data-column",
    "data-name",
    "data-field",
)
_SAMPLE = 30
_MOST_HIGH, _MOST_WIDE = 500, 50
_WIDTH = re.compile(r"[0-9]{1,3}")


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """Rows of cells, with the heading of each column ("" where there is none)."""

    element: HtmlElement
    """What holds the rows."""
    headers: tuple[str, ...]
    rows: tuple[Row, ...]
    row_elements: tuple[HtmlElement, ...]
    """The element of each row; empty where rows have none of their own."""
    header_cells: Row = ()


def grids_of(root: HtmlElement) -> Iterator[Grid]:
    """All grids of the page; a grid of rows within rows may be given more than once."""
    for table in root.iter("table"):
        yield from _of_rows(table, _matrix(_table_rows(table)), _split_header(table))
    for table in root.xpath("//*[not(self::table)][@role='table' or @role='grid' or @role='treegrid']"):
        rows = [row for row in table.xpath(".//*[@role='row']") if row.tag != "tr"]
        yield from _of_rows(table, [(row, tuple(row.xpath(_ARIA_CELLS)) or _cells(row)) for row in rows])
    for element in root.iter():
        if isinstance(element.tag, str) and element.tag not in _ROWLESS and not _is_aria(element):
            yield from _of_likes(element)
            yield from _of_cells(element)


_ARIA_CELLS = "./descendant::*[@role='cell' or @role='gridcell' or @role='columnheader' or @role='rowheader']"


def _is_aria(element: HtmlElement) -> bool:
    return element.get("role") in {"table", "grid", "treegrid", "row"}


def _table_rows(table: HtmlElement) -> list[HtmlElement]:
    return list(table.xpath("./tr | ./thead/tr | ./tbody/tr | ./tfoot/tr"))


def _split_header(table: HtmlElement) -> Row:
    """The header row of a table whose body is another table, so that it stands still while one scrolls."""
    before = next(iter(table.xpath("preceding::table[1]")), None)
    rows = [] if before is None else _table_rows(before)
    if len(rows) != 1:
        return ()
    cells = tuple(_spread(rows[0]))
    widths = Counter(len(row) for row in _table_rows(table)[:_SAMPLE])
    return cells if widths and len(cells) == widths.most_common(1)[0][0] and _is_header(cells) else ()


def _matrix(rows: Sequence[HtmlElement]) -> list[tuple[HtmlElement, Row]]:
    """The rows with their cells; a cell that is several rows high stands in each of them."""
    found: list[tuple[HtmlElement, Row]] = []
    hanging: dict[int, tuple[int, HtmlElement]] = {}
    for row in rows:
        own, cells = list(_spread(row)), list[HtmlElement]()
        while own or len(cells) in hanging:
            at = len(cells)
            left, cell = hanging.pop(at, (0, None))
            if cell is None:
                cell = own.pop(0)
                left = _span(cell.get("rowspan"), _MOST_HIGH)
            if left > 1:
                hanging[at] = (left - 1, cell)
            cells.append(cell)
        found.append((row, tuple(cells)))
    return found


def _span(said: object, most: int) -> int:
    """A `rowspan` or `colspan`; 1 where it is none."""
    text = str(said or "1").strip()
    return min(int(text), most) if _WIDTH.fullmatch(text) and int(text) else 1


def _spread(row: HtmlElement) -> Iterator[HtmlElement]:
    """The cells of a table's row, each as often as it is wide, at most 50 times."""
    for cell in row.iterchildren("td", "th"):
        yield cell
        for _ in range(_span(cell.get("colspan"), _MOST_WIDE) - 1):
            wide = lxml_html.Element(cell.tag)
            wide.set("rowspan", str(cell.get("rowspan") or "1"))
            if _is_heading(cell):  # what heads several columns heads each
                wide.text = text_of(cell)
            yield wide


def _is_heading(cell: HtmlElement) -> bool:
    return (
        cell.tag == "th"
        and cell.getparent() is not None
        and all(other.tag == "th" for other in cell.getparent().iterchildren("td", "th"))
    )


def _parts(element: HtmlElement) -> list[HtmlElement]:
    return [child for child in element if isinstance(child.tag, str) and child.tag not in _SKIPPED]


def _cells(row: HtmlElement) -> Row:
    """The parts of a row: below the elements that only wrap, loose text made an element of its own."""
    inner = row
    while len(parts := _parts(inner)) == 1 and not _loose(inner):
        inner = parts[0]
    if not _loose(inner):
        return tuple(part for part in parts if not (is_decoration(part) and not text_of(part)))
    cells: list[HtmlElement] = []
    for text, part in [(inner.text, None), *((child.tail, child) for child in inner)]:
        if part is not None and isinstance(part.tag, str) and part.tag not in _SKIPPED:
            cells.append(part)
        if text and text.strip(" \t\r\n\u00a0|·•-–—:,.#"):
            cells.append(_loose_cell(text))
    return tuple(cells)


def _loose(element: HtmlElement) -> bool:
    texts = [element.text, *(child.tail for child in element)]
    return any(text and text.strip(" \t\r\n\u00a0|·•-–—:,.#") for text in texts)


def _loose_cell(text: str) -> HtmlElement:
    cell = lxml_html.Element("span")
    cell.text = text.strip(" \t\r\n\u00a0|·•–—:,")
    return cell


def _of_likes(parent: HtmlElement) -> Iterator[Grid]:
    """Children that are alike: same tag, and nearly all the same number of cells."""
    children = _parts(parent)
    if len(children) < 2:
        return
    tag = Counter(child.tag for child in children).most_common(1)[0][0]
    alike = [child for child in children if child.tag == tag]
    if len(alike) * 2 < len(children):
        return
    sample = Counter(len(_cells(child)) for child in alike[:_SAMPLE])
    width, often = sample.most_common(1)[0]
    if not 2 <= width <= _MOST_CELLS or often < _ALIKE * min(len(alike), _SAMPLE):
        return
    rows = [(child, _cells(child)) for child in alike]
    above = _row_above(parent, width)
    yield from _of_rows(parent, rows, above)


def _row_above(parent: HtmlElement, width: int) -> Row:
    """A header row that stands outside of the rows' own container."""
    for one in (parent, parent.getparent()):
        before = one.getprevious() if one is not None else None
        if before is None or not isinstance(before.tag, str):
            continue
        cells = _cells(before)
        if len(cells) == width and _names(text_of(cell) for cell in cells) >= 2:
            return cells
    return ()


def _names(texts: Iterable[str]) -> int:
    return sum(1 for text in texts if column_named(text) or ENTRANT_WORDS.fullmatch(plain_heading(text)))


def _of_cells(parent: HtmlElement) -> Iterator[Grid]:
    """Cells in one container, of which the first few are the header: a grid drawn by its style alone."""
    cells = _parts(parent)
    if len(cells) < 6 or any(len(_parts(cell)) > 2 for cell in cells[:_MOST_CELLS]):
        return
    texts = [text_of(cell) for cell in cells[:_MOST_CELLS]]
    width = next((at for at, text in enumerate(texts) if at >= 2 and re.fullmatch(r"#?0*1\.?", text)), 0)
    if width and len(cells) % width == 0 and _names(texts[:width]) * 2 > width:
        rows = [tuple(cells[at : at + width]) for at in range(width, len(cells), width)]
        yield Grid(parent, tuple(texts[:width]), tuple(rows), (), tuple(cells[:width]))


def _of_rows(
    element: HtmlElement, rows: Sequence[tuple[HtmlElement, Row]], above: Row = ()
) -> Iterator[Grid]:
    """The grid of these rows: headed by one of the first four, by a row above, or by labels in the cells."""
    rows = [row for row in rows if any(len(cell) or (cell.text or "").strip() for cell in row[1])]
    headed = max(range(min(4, len(rows))), key=lambda at: _header_weight(rows[at][1]), default=0)
    labelled = (
        _labelled(element, rows)
        if len(rows) >= _FEWEST_ROWS and not any(map(_is_header, (row for _, row in rows[:4])))
        else None
    )
    if labelled is not None and _names(labelled.headers) >= 2:
        yield labelled
    elif rows and _header_weight(rows[headed][1]) > 0:
        head = rows[headed][1]
        lines = [cells for _, cells in rows[: headed + 1] if _is_header(cells) and len(cells) == len(head)]
        below = rows[headed + 1][1] if headed + 1 < len(rows) else ()
        if _is_header(head) and _is_header(below) and len(below) == len(head):
            lines.append(below)
        names = _joined_names(lines) if len(lines) > 1 else tuple(text_of(cell) for cell in head)
        body = [row for row in rows[headed + 1 :] if not _is_header(row[1]) and len(row[1]) > 1]
        yield _grid(element, names, body, head)
    elif above:
        yield _grid(element, tuple(text_of(cell) for cell in above), rows, above)
    elif labelled is not None:
        yield labelled


def _joined_names(lines: Sequence[Row]) -> tuple[str, ...]:
    """Headings of two or more lines, read downwards: `Joint` above `F1` is `Joint F1`."""
    columns = zip(*([text_of(cell) for cell in line] for line in lines), strict=True)
    return tuple(" ".join(dict.fromkeys(text for text in column if text)) for column in columns)


def _grid(
    element: HtmlElement, headers: tuple[str, ...], rows: Sequence[tuple[HtmlElement, Row]], head: Row = ()
) -> Grid:
    return Grid(element, headers, tuple(cells for _, cells in rows), tuple(row for row, _ in rows), head)


def _is_header(row: Row) -> bool:
    return bool(row) and all(cell.tag == "th" or cell.get("role") == "columnheader" for cell in row)


def _header_weight(row: Row) -> int:
    """How much a row looks like the header: cells that are header cells, or that name columns."""
    if len(row) < 2:
        return 0
    texts = [text_of(cell) for cell in row]
    named = _names(texts)
    if _is_header(row):
        return 1 + named if any(texts) else 0
    return named if named >= 2 and named * 2 >= len(row) - 1 else 0


def _labelled(element: HtmlElement, rows: Sequence[tuple[HtmlElement, Row]]) -> Grid:
    """Without a header row: columns named by an attribute, or by the same label in every cell."""
    width = max((len(cells) for _, cells in rows), default=0)
    names = [_attribute([cells[at] for _, cells in rows[:_SAMPLE] if at < len(cells)]) for at in range(width)]
    changed = {at: found for at in range(width) if not names[at] and (found := _inline_label(rows, at))}
    if changed:
        names = [changed.get(at, name) for at, name in enumerate(names)]
        rows = [
            (
                row,
                tuple(
                    _unlabelled(cell, changed[at]) if at in changed else cell for at, cell in enumerate(cells)
                ),
            )
            for row, cells in rows
        ]
    return _grid(element, tuple(names), rows)


def _attribute(cells: Sequence[HtmlElement]) -> str:
    for name in _LABEL_NAMES:
        labels = {str(cell.get(name) or "") for cell in cells}
        if len(labels) == 1 and (label := labels.pop()):
            return label
    return ""


def _inline_label(rows: Sequence[tuple[HtmlElement, Row]], at: int) -> str:
    """`Score` where every cell reads `Score: 0.9` or begins with an element that says `Score`."""
    labels = {_label_of(cells[at]) for _, cells in rows[:_SAMPLE] if at < len(cells)}
    label = labels.pop() if len(labels) == 1 else ""
    return label if label and column_named(label) is not None else ""


def _label_of(cell: HtmlElement) -> str:
    parts = _parts(cell)
    if len(parts) >= 2 and not (cell.text or "").strip():
        return text_of(parts[0]).rstrip(" :\uff1a")
    match = _LABEL.fullmatch(text_of(cell))
    return match.group(1).strip() if match else ""


def _unlabelled(cell: HtmlElement, label: str) -> HtmlElement:
    plain = lxml_html.Element("span")
    plain.text = re.sub(rf"\s*{re.escape(label)}\s*[:\uff1a]?\s*", "", text_of(cell), count=1)
    return plain
