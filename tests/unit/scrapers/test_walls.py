"""Captchas and login walls, by what those of all sites have."""

import pytest

from core.errors import Reason
from scrapers.walls import wall_of

LONG = "<p>" + "The competition is about frogs. " * 200


@pytest.mark.parametrize(
    ("html", "wall"),
    [
        ("<title>Just a moment</title><p>Checking your browser before you go on.", Reason.CAPTCHA),
        ("<div class='g-recaptcha'></div><p>One more step", Reason.CAPTCHA),
        ("<iframe src='https://captcha.invalid/frame'></iframe>", Reason.CAPTCHA),
        ("<p>请完成人机验证", Reason.CAPTCHA),
        ("<h1>Sign in</h1><form><input name=u><input type=password></form>", Reason.LOGIN_WALL),
        ("<h1>登录</h1><input type='password'>", Reason.LOGIN_WALL),
        ("<h1>Frogs</h1><p>Sign in to take part.", None),
        ("<input type=password><p>Choose a secret", None),
        (LONG + "<div class='g-recaptcha'></div>", None),
        ("", None),
    ],
    ids=range(10),
)
def test_a_short_page_that_asks_for_proof_or_a_password_is_a_wall(html: str, wall: Reason | None) -> None:
    assert wall_of(html) is wall
