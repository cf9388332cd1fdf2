"""Kaggle's pages of 2015: every page of the host is visited, and the parts of a text are kept together."""

from datetime import UTC, datetime

import pytest

from schema.capture import PageKind
from scrapers.platform import LoadedPage, platform_named

KAGGLE = platform_named("kaggle")
ROOT = "http://127.0.0.1:1/c/frogs"
MENU = """<div id="comp-header"><h1><a href="/c/frogs">Frogs</a></h1></div>
<ul id="competition-dashboard"><li><a href="/c/frogs">Home</a><li><a href="/c/frogs/data">Data</a>
<li><a href="/c/frogs/details/evaluation">Evaluation</a>
<li><a href="/c/frogs/details/submission-file">Submission File</a>
<li><a href="/c/frogs/details/about-the-pond">About the Pond</a>
<li><a href="/c/frogs/rules">Rules</a><li><a href="/c/frogs/leaderboard">Leaderboard</a>
<li><a href="/c/frogs/forums">Forum</a></ul>"""


def page(tab: str, text: str = "Listen to the frogs.") -> LoadedPage:
    html = f"<body>{MENU}<div id=main><h1 class=page-name>Page</h1><p>{text}</p></div></body>"
    return LoadedPage(f"{ROOT}{tab}", 200, html, (), datetime(2015, 5, 1, tzinfo=UTC))


def test_every_page_of_the_host_is_visited_for_what_it_is_about() -> None:
    assert [(visit.url.removeprefix(ROOT), visit.extract) for visit in KAGGLE.further(page(""))] == [
        ("/data", (PageKind.DATA,)),
        ("/details/evaluation", (PageKind.EVALUATION,)),
        ("/details/submission-file", (PageKind.EVALUATION,)),
        ("/details/about-the-pond", (PageKind.OVERVIEW,)),
        ("/rules", (PageKind.RULES,)),
    ]
    assert KAGGLE.further(page("/data")) == ()


@pytest.mark.parametrize(
    ("tab", "kind"),
    [
        ("", PageKind.OVERVIEW),
        ("/details/submission-file", PageKind.EVALUATION),
        ("/details/about-the-pond", PageKind.OVERVIEW),
        ("/rules", PageKind.RULES),
    ],
)
def test_a_page_is_what_its_tab_is_called(tab: str, kind: PageKind) -> None:
    (section,) = KAGGLE.read_sections(page(tab))
    assert section.kind is kind
    assert "Listen to the frogs." in section.markdown
    assert "About the Pond" not in section.markdown


@pytest.mark.parametrize("tab", ["/leaderboard", "/forums"])
def test_boards_and_forums_are_no_text_of_the_host(tab: str) -> None:
    assert KAGGLE.read_sections(page(tab)) == ()
