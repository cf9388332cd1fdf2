"""Switches that make a replica behave like a difficult day of the real site."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Self

from core.errors import UsageError


class Quirk(StrEnum):
    """One switch: its name on the command line, and one sentence that says what it does."""

    description: str

    def __new__(cls, name: str, description: str) -> Self:
        quirk = str.__new__(cls, name)
        quirk._value_ = name
        quirk.description = description
        return quirk

    KAGGLE_2017 = (
        "kaggle-2017",
        "Kaggle as it was in 2017-21: the server's table of 50 rows and a button, state as JSON in a script.",
    )
    KAGGLE_2015 = (
        "kaggle-2015",
        "Kaggle as it was in 2015: plain pages, all rows at once, dates among the rules, a leaked template.",
    )
    KAGGLE_NO_JSON = (
        "kaggle-no-json",
        "The page's calls are answered in a form that is no JSON: only what is drawn can be read.",
    )
    KAGGLE_WINDOWED_LIST = (
        "kaggle-windowed-list",
        "The leaderboard keeps only the rows in sight: those scrolled past are taken from the page.",
    )
    KAGGLE_CRASH_PAGE = (
        "kaggle-crash-page",
        "The first load of each competition page shows the application's crash page, the next load works.",
    )
    KAGGLE_CAPTCHA = (
        "kaggle-captcha",
        "A client that is no browser page gets an HTML captcha page with status 200 instead of the answer.",
    )
    KAGGLE_CAPTCHA_WALL = (
        "kaggle-captcha-wall",
        "Every page is a captcha page with status 200.",
    )
    KAGGLE_429 = (
        "kaggle-429",
        "The first two pages and the first two JSON answers are 429 with Retry-After, all later ones work.",
    )
    KAGGLE_STRICT_TOKEN = (
        "kaggle-strict-token",
        "JSON is answered only if X-XSRF-TOKEN equals the url-decoded XSRF-TOKEN cookie, else status 403.",
    )
    KAGGLE_SOFT_404 = (
        "kaggle-soft-404",
        "The list names one more, `withdrawn-competition`, whose pages are 200 but say not found.",
    )
    SHORT_BOARD = (
        "short-board",
        "Every board lacks its last tenth of rows (at least one) while the site claims the full number.",
    )
    AICROWD_NO_COUNT = (
        "aicrowd-no-count",
        "No page says how many rows a board has: its end shows only when no more rows come.",
    )
    AICROWD_NOT_RELEASED = (
        "aicrowd-not-released",
        "The leaderboard's page says that it is not released yet.",
    )
    AICROWD_FROZEN = (
        "aicrowd-frozen",
        "A note says since when the leaderboard has been frozen.",
    )
    AICROWD_ROUND_MENU = (
        "aicrowd-round-menu",
        "Rounds are the items of a menu instead of a row of pills.",
    )
    AICROWD_UNKNOWN_USER = (
        "aicrowd-unknown-user",
        "Every tenth participant is called Unknown User and has no page.",
    )
    AICROWD_ZERO_FOR_MISSING = (
        "aicrowd-zero-for-missing",
        "An empty score is printed as 0 and an empty further score column as -.",
    )
    AICROWD_PINNED_OWN_ROW = (
        "aicrowd-pinned-own-row",
        "The reader's own row (the third) is repeated at the end of the first 50 rows.",
    )
    CODABENCH_HIDDEN_BOARD = (
        "codabench-hidden-board",
        "The organisers show no leaderboard: its calls are 403 and the tab says that there is none.",
    )
    CODABENCH_TWO_TASKS = (
        "codabench-two-tasks",
        "Each phase has a second task, whose columns stand under a header of their own and lack some scores.",
    )
    EVALAI_PRIVATE_BOARD = (
        "evalai-private-board",
        "Leaderboards are not public: their calls are 400 with a sentence that says so.",
    )
    EVALAI_BADGES = (
        "evalai-badges",
        "Teams carry badges, a star and a method in brackets, and every fifth score is printed as #.",
    )
    OGB_RAGGED = (
        "ogb-ragged",
        "Headers have cells that no row has, some rows end early, and a bold mark is left unclosed.",
    )
    BIENDATA_SCRIPT = (
        "biendata-script",
        "The page's HTML is empty and a script loads its body, instead of the server printing it.",
    )
    BIENDATA_CHINESE = (
        "biendata-chinese",
        "Columns, counters and dates are named in Chinese.",
    )
    BIENDATA_GLUED_COUNTERS = (
        "biendata-glued-counters",
        "The header counts single and multi-player teams, glued to their words, and no board has a count.",
    )
    BIENDATA_CONTRADICTIONS = (
        "biendata-contradictions",
        "The merger deadline lies after the close, two rules differ, and the data's link is dead.",
    )
    BIENDATA_MOVED_HOST = (
        "biendata-moved-host",
        "Every page leads on to the site's next host name.",
    )
    BIENDATA_LOGIN = (
        "biendata-login",
        "Boards are shown to those only who have logged in.",
    )
    HOSTILE_TEXT = (
        "hostile-text",
        "Each overview gains orders to agents, links, images, scripts, a form and redirects to another host.",
    )
    DIALOGS = ("dialogs", "Each page opens an alert and a confirmation box when it has loaded.")
    SLOW = ("slow", "Each page and each JSON answer sends its first byte after two seconds.")


def parse_quirks(names: Iterable[str]) -> frozenset[Quirk]:
    """The switches of these names.

    Raises:
        UsageError: a name is not a switch; the message lists those there are.
    """
    names = frozenset(names)
    known = {str(quirk): quirk for quirk in Quirk}
    if unknown := sorted(names - known.keys()):
        raise UsageError(f"No quirk is called {', '.join(unknown)}. There are: {', '.join(known)}.")
    return frozenset(known[name] for name in names)
