import pytest

from scrapers.tab import asked_to_wait, status_error
from tam.errors import PageMissingError, PageUnreadableError


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7),
        ({"retry-after": "0"}, 1),
        ({"retry-after": "86400"}, 30),
        ({"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT"}, 1),
        ({"retry-after": "-5"}, 1),
        ({"retry-after": "1e9"}, 1),
        ({}, 1),
    ],
)
def test_a_busy_site_is_given_the_time_that_it_asks_for_within_bounds(
    headers: dict[str, str], seconds: float
) -> None:
    assert asked_to_wait(headers) == seconds


@pytest.mark.parametrize(
    ("status", "kind"), [(404, PageMissingError), (410, PageMissingError), (403, PageUnreadableError)]
)
def test_only_404_and_410_say_that_a_page_is_missing(status: int, kind: type[Exception]) -> None:
    assert type(status_error("http://x/", status)) is kind
