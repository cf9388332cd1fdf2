"""Footnotes of a page as Markdown writes them. Works on a BeautifulSoup document in place; no I/O."""

import re

from bs4 import BeautifulSoup, NavigableString, Tag

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
