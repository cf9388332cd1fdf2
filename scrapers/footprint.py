"""A footprint: everything that a reading was made from, as requests and hashes of their answers. Pure.

Asked again later, the same answers prove that a reading would say the same, without a browser full of rows.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path

from lxml import etree
from lxml import html as lxml_html
from lxml.html import HtmlElement
from pydantic import BaseModel, ConfigDict

from schema.board import BoardKind

_LIBRARIES = ("lxml", "beautifulsoup4", "markdownify")
_FOLDERS = ("scrapers", "schema")
_NOISE = frozenset({"nonce", "integrity"})
"""Attributes that differ from request to request or from build to build, and that say nothing."""
_TOKEN = re.compile(r"csrf|xsrf|nonce|authenticity", re.IGNORECASE)
_ASSETS = frozenset({"stylesheet", "preload", "modulepreload", "prefetch", "preconnect", "icon"})
_PLAIN_HEADERS = frozenset({"accept", "content-type", "x-requested-with"})
_COOKIE_SAFE = re.compile(r"[\w-]+")


class HashedAnswer(BaseModel):
    """One answer that a page loaded, and how it was asked for."""

    model_config = ConfigDict(frozen=True)

    url: str
    """As asked for, before redirects."""
    final_url: str
    method: str = "GET"
    headers: dict[str, str] = {}
    """Of the request, as far as they decide about the answer."""
    cookies: dict[str, str] = {}
    """Headers whose value is a cookie's: header to the cookie's name. Their values are of one session."""
    body: str | None = None
    """Of the request."""
    status: int
    sha256: str
    """Of the answer's bytes."""
    said: str | None = None
    """Of what an HTML answer says (`said_by`); None for everything else, where each byte counts."""
    validators: dict[str, str] = {}
    """`If-None-Match` or `If-Modified-Since`, where the site gave something that proves no change."""


class VisitAnswers(BaseModel):
    """What the content of one visit was made from, in the order of the requests."""

    model_config = ConfigDict(frozen=True)

    url: str
    """Of the visit."""
    answers: tuple[HashedAnswer, ...]


class Footprint(BaseModel):
    """What one complete reading was made from, in the order of the visits."""

    model_config = ConfigDict(frozen=True)

    platform: str
    competition: str
    base_url: str
    reader: str
    """`reader_version` of the code that read it: another reader may make something else of the same bytes."""
    visits: tuple[VisitAnswers, ...]
    rows: dict[BoardKind, int]
    """Rows of each board that was read."""


@cache
def reader_version() -> str:
    """Hash of the code that turns answers into readings, and of the libraries it rests on."""
    digest = hashlib.sha256()
    root = Path(__file__).parents[1]
    for folder in _FOLDERS:
        for path in sorted((root / folder).rglob("*.py")):
            digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    for name in _LIBRARIES:
        digest.update(f"{name} {version(name)}\n".encode())
    return digest.hexdigest()


def said_by(html: bytes) -> str:
    """Hash of all that a page holds, in its order, but for what differs per request and says nothing.

    Left out are: comments, nonces, form tokens, and the addresses of scripts and styles. Inline scripts stay
    in, since pages carry data in them; a site that prints a clock there is read again each time.
    """
    digest = hashlib.sha256()
    for piece in _pieces(html):
        digest.update(piece.encode("utf-8", "replace") + b"\0")
    return digest.hexdigest()


def _pieces(html: bytes) -> Iterator[str]:
    try:
        root = lxml_html.document_fromstring(html, parser=lxml_html.HTMLParser(encoding="utf-8"))
    except (etree.ParserError, ValueError):
        yield html.decode("utf-8", "replace")
        return
    for event, element in etree.iterwalk(root, events=("start", "end", "comment", "pi")):
        if event == "start" and not _is_noise(element):
            yield f"<{element.tag}"
            yield from (f"{name}={value}" for name, value in sorted(element.items()) if name not in _NOISE)
            yield element.text or ""
        elif event == "start" and element.tag == "script":
            yield element.text or ""
        elif event != "start":
            yield element.tail or ""


def _is_noise(element: HtmlElement) -> bool:
    if element.tag == "meta":
        return bool(_TOKEN.search(element.get("name") or ""))
    if element.tag == "input":
        return element.get("type") == "hidden" and bool(_TOKEN.search(element.get("name") or ""))
    if element.tag == "link":
        return bool(_ASSETS & set((element.get("rel") or "").split()))
    return bool(element.tag == "script")


def own_headers(
    given: Mapping[str, str], cookies: Mapping[str, tuple[str, ...]]
) -> tuple[dict[str, str], dict[str, str]]:
    """Of a request's headers those to send again: literally, and by the name of the cookie they repeat.

    `cookies`: each cookie's spellings (raw and decoded). Unknown headers are left out: they may be secrets.
    """
    literal = {name: value for name, value in given.items() if name in _PLAIN_HEADERS}
    by_cookie = {
        name: cookie
        for name, value in given.items()
        if name.startswith("x-") and name not in literal
        for cookie, spellings in cookies.items()
        if value in spellings and _COOKIE_SAFE.fullmatch(cookie)
    }
    return literal, by_cookie
