"""What proves that nothing has changed, and what a footprint keeps of a request."""

import pytest

from scrapers.footprint import own_headers, reader_version, said_by
from scrapers.trace import validators_of

PAGE = (
    '<!doctype html><head><meta name="csrf-token" content="TOKEN"><meta property="og:url" content="/c/owls">'
    '<link rel="stylesheet" href="/a.css?v=BUILD"><script src="/a.js?v=BUILD" nonce="NONCE"></script></head>'
    '<body class="c"><!-- TOKEN --><form><input type="hidden" name="authenticity_token" value="TOKEN"></form>'
    '<table><tr><td class="s" title="May 1">0.90</td></tr></table><script>rows = [1, 2]</script></body>'
)


def page(mark: str = "a", build: str = "b", nonce: str = "n", change: str = "") -> bytes:
    text = PAGE.replace("TOKEN", mark).replace("BUILD", build).replace("NONCE", nonce)
    old, new = change.rsplit("=>", 1) if change else ("", "")
    assert old in text
    return (text.replace(old, new, 1) if old else text).encode()


def test_what_differs_per_request_or_build_says_nothing() -> None:
    assert said_by(page()) == said_by(page("x", "y", "z"))


@pytest.mark.parametrize(
    "change",
    [
        "0.90=>0.91",
        "May 1=>May 2",
        "[1, 2]=>[1, 3]",
        "/c/owls=>/c/frogs",
        '"s"=>"t"',
        "</td>=>&nbsp;</td>",
        "</table>=>tail</table>",
        "-->=>-->after a comment",
    ],
)
def test_everything_that_a_reader_could_print_counts(change: str) -> None:
    assert said_by(page()) != said_by(page(change=change))


@pytest.mark.parametrize("content", [b"", b"   ", b"\xff\xfe\x00", b"<", b"no tags at all"])
def test_what_is_no_page_is_compared_too(content: bytes) -> None:
    assert said_by(content) == said_by(content)
    assert said_by(content) != said_by(content + b"<p>more")


NOW, EARLIER, JUST = (
    "Thu, 01 Jan 2026 12:00:00 GMT",
    "Thu, 01 Jan 2026 11:00:00 GMT",
    "Thu, 01 Jan 2026 11:59:30 GMT",
)


@pytest.mark.parametrize(
    ("headers", "used"),
    [
        ({"etag": '"a"'}, {"If-None-Match": '"a"'}),
        ({"etag": 'W/"a"', "last-modified": EARLIER, "date": NOW}, {"If-None-Match": 'W/"a"'}),
        ({"etag": 'W/"a"', "last-modified": JUST, "date": NOW}, {}),
        ({"etag": 'W/"a"'}, {}),
        ({"last-modified": EARLIER, "date": NOW}, {"If-Modified-Since": EARLIER}),
        ({"last-modified": JUST, "date": NOW}, {}),
        ({"last-modified": EARLIER}, {}),
        ({"last-modified": "yesterday", "date": NOW}, {}),
        ({}, {}),
    ],
)
def test_only_a_validator_that_cannot_miss_a_change_is_used(
    headers: dict[str, str], used: dict[str, str]
) -> None:
    assert validators_of(headers) == used


def test_a_footprint_keeps_no_value_of_a_session() -> None:
    given = {
        "accept": "*/*",
        "content-type": "application/json",
        "x-xsrf-token": "t/1=",
        "x-build": "b7",
        "x-other": "secret",
        "authorization": "Bearer secret",
        "cookie": "s=secret",
    }
    literal, by_cookie = own_headers(given, {"XSRF-TOKEN": ("t%2F1%3D", "t/1="), "build": ("b7", "b7")})
    assert literal == {"accept": "*/*", "content-type": "application/json"}
    assert by_cookie == {"x-xsrf-token": "XSRF-TOKEN", "x-build": "build"}


def test_the_reader_has_one_version_as_long_as_its_code_is_the_same() -> None:
    assert reader_version() == reader_version()
    assert len(reader_version()) == 64
