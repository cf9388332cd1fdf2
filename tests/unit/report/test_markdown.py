"""A stranger's Markdown on a page: readable, and nothing in it works."""

import pytest
from bs4 import BeautifulSoup

from report.markdown import LONGEST, inert_html

ALLOWED = {
    *(
        "p",
        "h3",
        "h4",
        "h5",
        "h6",
        "ul",
        "ol",
        "li",
        "em",
        "strong",
        "code",
        "pre",
        "blockquote",
        "hr",
        "br",
        "s",
    ),
    *("table", "thead", "tbody", "tr", "th", "td", "div", "span"),
}
ATTRIBUTES = {"class", "tabindex", "role", "aria-label", "title", "start"}
HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "text <b onmouseover=alert(1)>bold</b>",
    "[a](javascript:alert(1))",
    '[a](http://h.invalid "\\" onmouseover=alert(1) x=\\"")',
    "![a](http://h.invalid/x.png)",
    "![a][b]\n\n[b]: http://h.invalid/y.png",
    "<http://h.invalid>",
    "[![x](http://h.invalid/z.png)](http://h.invalid)",
    '```"><script>alert(1)</script>\nx\n```',
    "``` onclick=alert(1)\nx\n```",
    "|a|\n|---|\n|<iframe src=//h.invalid>|",
    "> " * 60 + "deep",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "</div></main><style>*{display:none}</style>",
)


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_nothing_but_plain_elements_is_left(number: int) -> None:
    soup = BeautifulSoup(inert_html(HOSTILE[number]), "lxml")
    body = soup.body
    assert body is not None
    for element in body.find_all(True):
        assert element.name in ALLOWED
        assert set(element.attrs) <= ATTRIBUTES


def test_words_of_links_and_images_stay() -> None:
    text = BeautifulSoup(
        inert_html("See [the rules](http://h.invalid/r) and ![a rose](r.png)."), "lxml"
    ).get_text()
    assert text.strip() == "See the rules and [image: a rose]."


def test_an_address_is_kept_to_be_read() -> None:
    assert 'title="http://h.invalid/r"' in inert_html("[the rules](http://h.invalid/r)")


def test_headings_stand_under_the_pages_own_and_none_is_skipped() -> None:
    soup = BeautifulSoup(inert_html("# a\n#### b\n# c\n## d\n###### e"), "lxml")
    assert [one.name for one in soup.find_all(["h1", "h2", "h3", "h4", "h5", "h6"])] == [
        "h3",
        "h4",
        "h3",
        "h4",
        "h5",
    ]


@pytest.mark.parametrize("markdown", ["|a|\n|---|\n|b|", "```\nx\n```", "    indented"])
def test_what_may_be_wide_can_be_scrolled_with_the_keyboard(markdown: str) -> None:
    scroll = BeautifulSoup(inert_html(markdown), "lxml").select_one("div.scroll")
    assert scroll is not None
    assert scroll["tabindex"] == "0"
    assert scroll["aria-label"]


def test_a_table_header_that_says_nothing_is_a_plain_cell() -> None:
    soup = BeautifulSoup(inert_html("| | b |\n|---|---|\n|1|2|"), "lxml")
    assert [cell.name for cell in soup.select("thead tr > *")] == ["td", "th"]


def test_a_very_long_text_is_cut_and_says_so() -> None:
    html = inert_html("word " * LONGEST)
    assert len(html) < 1.1 * LONGEST
    assert f"{4 * LONGEST:,} more characters" in html


def test_control_characters_and_turned_text_are_replaced() -> None:
    html = inert_html("a\u202eb\x00c\ud800d\x1be")
    assert not set("\u202e\x00\ud800\x1b") & set(html)
