"""Pages that stand in the place of others: not found, log in, try again. Pure."""

import re
from urllib.parse import urlsplit

from core.errors import PageUnreadableError
from scrapers.generic.words import BUSY, LOGIN, MISSING
from scrapers.tables import parse_html, text_of

_SHORT = 1_500
"""Characters: a page that says more is a page."""
_LOGIN_PATH = re.compile(
    r"/(?:log-?in|sign-?in|signin|auth|account/login|users/sign_in)(?:/|$)", re.IGNORECASE
)


def missing_reason(html: str, url: str) -> str | None:
    """Why the page is none of the competition; None: it is one.

    Raises:
        PageUnreadableError: it says that it is busy, crashed, or wants a captcha.
    """
    root = parse_html(html)
    said = text_of(root)
    if len(said) > _SHORT:
        return None
    headings = " ".join(text_of(heading) for heading in root.iter("title", "h1", "h2"))
    if _LOGIN_PATH.search(urlsplit(url).path) and LOGIN.search(said):
        return "it needs a login"
    if root.xpath("//input[@type='password']") and LOGIN.search(said) and len(said) < _SHORT // 2:
        return "it needs a login"
    if BUSY.search(headings):
        raise PageUnreadableError(url, f"the page says {' '.join(headings.split())[:120]!r}")
    return "the site answers that it has no such page" if MISSING.search(headings) else None
