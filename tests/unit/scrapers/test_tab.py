import pytest

from core.errors import PageMissingError, PageUnreadableError
from scrapers.page_errors import status_error


@pytest.mark.parametrize(
    ("status", "kind"), [(404, PageMissingError), (410, PageMissingError), (403, PageUnreadableError)]
)
def test_only_404_and_410_say_that_a_page_is_missing(status: int, kind: type[Exception]) -> None:
    assert type(status_error("http://x/", status)) is kind
