"""Pages that stand before a page: captchas and login walls of any site, by what all of them have. Pure."""

import re

from core.errors import Reason
from scrapers.tables import parse_html, text_of

_SHORT = 2_500
"""Characters: a page that says more than this is no wall."""
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
_LOGIN_WORDS = re.compile(
    r"(?:log|sign) ?in|please (?:log|sign)|you must be (?:logged|signed)|登录|anmelden|se connecter",
    re.IGNORECASE,
)


def wall_of(html: str) -> Reason | None:
    """`CAPTCHA` or `LOGIN_WALL` where a page that is not what it should be is one, and little else."""
    root = parse_html(html)
    title = root.findtext(".//title") or ""
    said = f"{title} {text_of(root)}"
    if len(said) > _SHORT:
        return None
    if root.xpath(_CAPTCHA_PARTS) or _CAPTCHA_WORDS.search(said):
        return Reason.CAPTCHA
    if root.xpath("//input[@type='password']") and _LOGIN_WORDS.search(said):
        return Reason.LOGIN_WALL
    return None
