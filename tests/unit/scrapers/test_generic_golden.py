"""Pages of many makes, written for this project: their Markdown, and the boards that are on them."""

import json
import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup, Comment
from lxml import html as lxml_html

from scrapers.generic.leaderboards import FoundBoard, boards_of
from scrapers.generic.texts import main_of
from scrapers.markdown import to_markdown
from scrapers.tables import parse_html

FOLDER = Path(__file__).parents[2] / "golden" / "generic"
CASES = sorted(path.parent.name for path in FOLDER.glob("*/page.html"))
_UNSEEN = (
    "script, style, nav, footer, button, svg, [aria-hidden=true], [role=navigation], [role=tablist],"
    ".screen-reader-text, .katex-html, math, mjx-container, .linenos, .linenodiv, .mw-editsection, .toc,"
    ".mw-cite-backlink, .headerlink, .sharedaddy, .skip-link, .nav-tabs, .breadcrumbs, .theme-doc-footer"
)
"""What is no text of a page, told here anew: class names of these very pages."""


def url_of(case: str) -> str:
    return f"https://site.invalid/contest/{case}"


def main_html(case: str) -> str:
    root = parse_html((FOLDER / case / "page.html").read_text(encoding="utf-8"))
    html: str = lxml_html.tostring(main_of(root), encoding="unicode", with_tail=False)
    return html


def read_markdown(case: str) -> str:
    return to_markdown(main_html(case), base_url=url_of(case), keep_hidden=True)


def plain_board(board: FoundBoard) -> dict[str, object]:
    return {
        "kind": board.kind,
        "claimed": board.claimed,
        "metric": board.metric_name,
        "control": board.control.shows if board.control else None,
        "rows": [
            [row.rank, row.team, row.score, row.score_text, row.entries, row.last_submission]
            for row in board.rows
        ],
    }


def test_there_are_pages_of_many_makes() -> None:
    assert len(CASES) >= 10


@pytest.mark.parametrize("case", CASES)
def test_a_page_gives_its_markdown(case: str) -> None:
    expected = (FOLDER / case / "page.md").read_text(encoding="utf-8")
    assert read_markdown(case) + "\n" == expected


@pytest.mark.parametrize("case", CASES)
def test_a_page_gives_its_boards_and_no_other_table(case: str) -> None:
    html = (FOLDER / case / "page.html").read_text(encoding="utf-8")
    expected = json.loads((FOLDER / case / "boards.json").read_text(encoding="utf-8"))
    assert [plain_board(board) for board in boards_of(html, url_of(case))] == expected


@pytest.mark.parametrize("case", CASES)
def test_no_visible_word_of_a_page_is_lost(case: str) -> None:
    soup = BeautifulSoup(main_html(case), "lxml")
    for comment in soup.find_all(string=lambda text: isinstance(text, Comment)):
        comment.extract()
    for unseen in soup.select(_UNSEEN):
        unseen.extract()
    for icon in soup.find_all(class_=re.compile("material|symbols")):
        icon.extract()
    wanted = set(re.findall(r"\w{2,}", soup.get_text(" ")))
    found = set(re.findall(r"\w{2,}", read_markdown(case)))
    assert wanted - found == set()
