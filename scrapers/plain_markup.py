"""Code, headings, links, images and tables in the plain form that Markdown has. In place; no I/O."""

import re
from urllib.parse import urljoin, urlsplit

from bs4 import BeautifulSoup, NavigableString, Tag

_ANCHOR_MARKS = frozenset({"#", "¶", "", "🔗", "link"})
_HEADING = re.compile("^h[1-6]$")
_NUMBER = re.compile(r"[0-9]{1,3}")
_BALANCED = re.compile(r"[^()]*(?:\([^()]*\)[^()]*)*")
_CODE = ("pre", "code")
_BOXES = ("div", "li", "header", "section", "button", "dd")
_CELLS = ("span", "b", "strong", "small", "time", "a", "em", "i")
_LINES_OF_CODE = ("div", "p", "li", "tr")


def make_plain(soup: BeautifulSoup, base_url: str) -> None:
    """Bring the document's code, headings, links, images and tables into a form that Markdown can say.

    Args:
        soup: changed in place.
        base_url: what relative links are relative to; without it they stay relative.
    """
    _plain_numbers(soup)
    for table in reversed(soup.find_all("table")):
        _plain_table(table)
    for code in soup.find_all(_CODE):
        _plain_code(code)
    for heading in soup.find_all(_HEADING):
        _plain_heading(heading)
    for link in soup.find_all("a"):
        _plain_link(link, base_url)
    for image in soup.find_all("img"):
        _plain_image(image, base_url)


def part_glued(soup: BeautifulSoup) -> None:
    """Put a space between cells that only a style keeps apart: `<span>12</span><span>teams</span>`."""
    for box in soup.find_all(_BOXES):
        if any(not isinstance(child, Tag) and str(child).strip() for child in box.contents):
            continue
        for part in box.find_all(_CELLS, recursive=False):
            before = part.previous_sibling
            if isinstance(before, Tag) and before.name in _CELLS:
                part.insert_before(NavigableString(" "))


def _plain_numbers(soup: BeautifulSoup) -> None:
    """Spans and list starts that no author means (`²`, a million) are left out."""
    for name in ("colspan", "rowspan", "start"):
        for element in soup.find_all(attrs={name: True}):
            if not _NUMBER.fullmatch(str(element[name])):
                del element[name]


def _plain_table(table: Tag) -> None:
    """A table for layout becomes blocks; cells that span rows leave empty cells below."""
    rows = [row for row in table.find_all("tr") if row.find_parent("table") is table]
    widths = [len(row.find_all(["td", "th"], recursive=False)) for row in rows]
    if max(widths, default=0) > 1 and table.find("table") is None:
        _spread_rows(rows)
        return
    parts = table.find_all(["tbody", "thead", "tfoot", "tr", "td", "th", "colgroup", "caption"])
    for element in [part for part in parts if part.find_parent("table") is table] + [table]:
        element.name = "div"


def _spread_rows(rows: list[Tag]) -> None:
    for index, row in enumerate(rows):
        for column, cell in enumerate(row.find_all(["td", "th"], recursive=False)):
            height = int(str(cell.get("rowspan") or 1))
            del cell["rowspan"]
            for below in rows[index + 1 : index + height]:
                cells = below.find_all(["td", "th"], recursive=False)
                filler = Tag(name="td")
                if column < len(cells):
                    cells[column].insert_before(filler)
                else:
                    below.append(filler)


def _plain_code(code: Tag) -> None:
    """Line breaks in code are characters; a `code` of several lines is a block."""
    for line_break in code.find_all("br"):
        line_break.replace_with("\n")
    for block in code.find_all(_LINES_OF_CODE):
        if not block.get_text().endswith("\n"):
            block.append("\n")
        block.unwrap()
    if code.name == "code" and "\n" in code.get_text().strip() and code.find_parent("pre") is None:
        if code.find_parent(["td", "th", "h1", "h2", "h3", "h4"]) is None:
            code.name = "pre"
    elif code.name == "pre" and code.find_parent(["td", "th"]) is not None:
        code.name = "code"


def _plain_heading(heading: Tag) -> None:
    for bold in heading.find_all(["b", "strong"]):
        bold.unwrap()
    for anchor in heading.find_all("a"):
        if anchor.get_text(strip=True) in _ANCHOR_MARKS and anchor.find("img") is None:
            anchor.extract()
    if not heading.get_text(strip=True) and heading.find("img") is None:
        heading.extract()


def _plain_link(link: Tag, base_url: str) -> None:
    address = _resolved(str(link.get("href") or "#"), base_url)
    if address is None:
        link.unwrap()
    else:
        link["href"] = _plain_address(address)
        del link["title"]


def _plain_image(image: Tag, base_url: str) -> None:
    address = _resolved(str(image.get("src") or "#"), base_url)
    if address is None:
        image.replace_with(str(image.get("alt") or ""))
    else:
        image["src"] = _plain_address(address)
        del image["title"]


def _resolved(address: str, base_url: str) -> str | None:
    """The absolute address, or None for one that is no place: a script, inline data, a part of this page."""
    try:
        whole = urljoin(base_url, address.strip())
        scheme = urlsplit(whole).scheme.lower()
    except ValueError:
        return None
    return None if address.strip().startswith("#") or scheme not in {"", "http", "https", "mailto"} else whole


def _plain_address(address: str) -> str:
    """Without what ends a Markdown link early."""
    plain = address.replace(" ", "%20")
    if not _BALANCED.fullmatch(plain):
        plain = plain.replace("(", "%28").replace(")", "%29")
    return plain


_FOOTNOTE = re.compile(r"(?i)fn|foot-?note|endnote|cite|references?|note")
_BACK_MARKS = frozenset({"↩", "↩︎", "↑", "^", "⤴", "↵", "back", "⏎"})


def number_footnotes(soup: BeautifulSoup) -> None:
    """Links to items of a list of notes become `[^1]`, the items `[^1]: …`."""
    notes: dict[str, int] = {}
    for link in soup.find_all("a", href=re.compile("^#.")):
        name = str(link["href"])[1:]
        note = soup.find("li", id=name)
        if not isinstance(note, Tag) or not _FOOTNOTE.search(f"{name} {' '.join(_classes_above(note))}"):
            continue
        number = notes.setdefault(name, len(notes) + 1)
        place = link.find_parent("sup") or link
        place.replace_with(NavigableString(f"[^{number}]"))
    for name, number in notes.items():
        note = soup.find("li", id=name)
        if isinstance(note, Tag):
            _write_note(note, number)


def _classes_above(note: Tag) -> list[str]:
    return [str(name) for one in (note, *list(note.parents)[:3]) for name in one.get("class") or ()]


def _write_note(note: Tag, number: int) -> None:
    for back in note.find_all("a", href=re.compile("^#")):
        if back.get_text(strip=True) in _BACK_MARKS:
            back.extract()
    inner = note.find("p")
    text = inner if isinstance(inner, Tag) else note
    for piece in text.find_all(string=True):
        if piece.strip():
            piece.replace_with(NavigableString(piece.lstrip()))
            break
        piece.extract()
    text.insert(0, NavigableString(f"[^{number}]: "))
    note.name = "div"
    if note.parent is not None and note.parent.name in {"ol", "ul"} and note.parent.find("li") is None:
        note.parent.name = "div"
