"""Pages that stand before or in place of a page: captchas, login walls, crashes, 404s of any site. Pure."""

import re
from urllib.parse import urlsplit

from lxml.html import HtmlElement

from core.errors import PageUnreadableError, Reason
from scrapers.platform import NEEDS_LOGIN
from scrapers.tables import parse_html, text_of

_SHORT = 2_500
"""Characters: a page that says more than this is no wall."""
_SHORT_OF_ANY_SITE = 1_500
"""The same where nobody knows what the page should be."""
_CAPTCHA_PARTS = (
    "//*[contains(@class, 'g-recaptcha') or contains(@class, 'h-captcha') or contains(@class, 'cf-turnstile')"
    " or contains(@id, 'captcha') or contains(@class, 'captcha') or contains(@id, 'challenge-')]"
    " | //iframe[contains(@src, 'captcha') or contains(@src, 'challenges.')]"
    " | //img[contains(@src, 'captcha')]"
)
_CAPTCHA_WORDS = re.compile(
    r"captcha|(?:verify|confirm|prove)[^.]{0,30}(?:human|not a robot)|are you (?:a )?(?:human|robot)"
    r"|unusual traffic|checking your browser|security check|验证码|人机验证|安全验证",
    re.IGNORECASE,
)
_LOGIN_PATH = re.compile(
    r"/(?:log-?in|sign-?in|signin|auth|account/login|users/sign_in)(?:/|$)", re.IGNORECASE
)
_LOGIN_WORDS = re.compile(
    r"\b(?:log|sign)[\s-]?in\b|please (?:log|sign)|you must be (?:logged|signed)|\banmelden\b|\bconnexion\b"
    r"|\bse connecter\b|\biniciar sesión\b|登录|登入|ログイン|войти|로그인",
    re.IGNORECASE,
)
_BUSY_WORDS = re.compile(
    r"\btoo many requests\b|\bcaptcha\b|\bnot a robot\b|\bpage crashed\b|\bsomething went wrong\b"
    r"|\bunable to load\b|\bjust a moment\b|\btemporarily unavailable\b|\bservice unavailable\b",
    re.IGNORECASE,
)
_MISSING_WORDS = re.compile(
    r"\b404\b|\bnot found\b|\b(?:can't|cannot|could(?:n't| not)) (?:find|be found)\b|\bdo(?:es)?(?:n't"
    r"| not) exist\b|\bno such page\b|nicht gefunden|\bintrouvable\b|\bno (?:se )?encontrad[oa]\b"
    r"|不存在|找不到|見つかりません|не найдена",
    re.IGNORECASE,
)


def asks_for_login(root: HtmlElement, url: str, said: str) -> bool:
    """Whether a page that says little wants to know who reads it: at a login's address, or by a password."""
    has_form = bool(root.xpath("//input[@type='password']"))
    return bool(_LOGIN_WORDS.search(said)) and (has_form or bool(_LOGIN_PATH.search(urlsplit(url).path)))


def wall_of(html: str, url: str = "") -> Reason | None:
    """`CAPTCHA` or `LOGIN_WALL` where a page that is not what it should be is one, and little else."""
    root = parse_html(html)
    title = root.findtext(".//title") or ""
    said = f"{title} {text_of(root)}"
    if len(said) > _SHORT:
        return None
    if root.xpath(_CAPTCHA_PARTS) or _CAPTCHA_WORDS.search(said):
        return Reason.CAPTCHA
    return Reason.LOGIN_WALL if asks_for_login(root, url, said) else None


def missing_reason(html: str, url: str) -> str | None:
    """Why a page of an unknown site is none of a competition, by its headings; None: it is one.

    Raises:
        PageUnreadableError: it says that it is busy, crashed, or wants a captcha.
    """
    root = parse_html(html)
    said = text_of(root)
    if len(said) > _SHORT_OF_ANY_SITE:
        return None
    headings = " ".join(text_of(heading) for heading in root.iter("title", "h1", "h2"))
    short = len(said) < _SHORT_OF_ANY_SITE // 2 or bool(_LOGIN_PATH.search(urlsplit(url).path))
    if short and asks_for_login(root, url, said):
        return NEEDS_LOGIN
    if _BUSY_WORDS.search(headings):
        raise PageUnreadableError(url, f"the page says {' '.join(headings.split())[:120]!r}")
    return "the site answers that it has no such page" if _MISSING_WORDS.search(headings) else None
