import pytest

from scrapers.origins import is_loopback, origin_of, resolver_rules


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("http://Example.org/a?b#c", "http://example.org:80"),
        ("https://example.org", "https://example.org:443"),
        ("http://127.0.0.1:8931/x", "http://127.0.0.1:8931"),
        ("http://[::1]:80/", "http://[::1]:80"),
    ],
)
def test_an_origin_has_scheme_host_and_port(url: str, origin: str) -> None:
    assert origin_of(url) == origin


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/hostname",
        "javascript:alert(1)",
        "data:text/html,x",
        "ftp://example.org/",
        "//example.org/",
        "http://",
        "http://example.org:99999/",
        "http://127.0.0.1:1@evil.test/",
        "http://evil.test\\@127.0.0.1/",
        "http://[::1",
        "",
    ],
)
def test_what_is_not_plain_http_has_no_origin(url: str) -> None:
    assert origin_of(url) is None


@pytest.mark.parametrize("host", ["localhost", "a.localhost", "127.0.0.1", "127.3.2.1", "::1"])
def test_loopback_hosts_are_known_by_their_spelling(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host", ["", "localhost.evil.test", "127.0.0.1.evil.test", "10.0.0.1", "0x7f000001", "example.org"]
)
def test_other_hosts_are_not_loopback(host: str) -> None:
    assert not is_loopback(host)


def test_a_local_site_is_open_on_its_own_port_only() -> None:
    rules = resolver_rules(["http://127.0.0.1:8931", "http://localhost:80"], {})
    assert rules == "MAP 127.0.0.1:8931 127.0.0.1:8931, MAP localhost:80 localhost:80, MAP * ~NOTFOUND"


def test_a_real_site_is_open_at_the_address_and_ports_that_were_looked_at() -> None:
    rules = resolver_rules(
        ["https://www.example.org", "http://other.example:8080"],
        {"www.example.org": "203.0.113.9", "other.example": "2001:db8::1", "cdn.example.org": "203.0.113.8"},
    )
    assert rules == (
        "MAP www.example.org:443 203.0.113.9:443, MAP other.example:8080 [2001:db8::1]:8080, "
        "MAP cdn.example.org:80 203.0.113.8:80, MAP cdn.example.org:443 203.0.113.8:443, MAP * ~NOTFOUND"
    )


def test_a_site_whose_address_is_not_known_leads_nowhere() -> None:
    assert resolver_rules(["https://www.example.org"], {}) == "MAP * ~NOTFOUND"
