"""Which scheme, host and port a URL belongs to, and the rule that keeps Chromium on the allowed ones."""

import ipaddress
from collections.abc import Iterable
from urllib.parse import urlsplit

_PORTS = {"http": 80, "https": 443}


def origin_of(url: str) -> str | None:
    """`scheme://host:port` in lower case with the port always written, or None for anything but http(s).

    Also None where the URL cannot be read, has no host, or carries a user name (`http://site@evil/`).
    """
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in _PORTS or not parts.hostname or parts.username is not None or "\\" in url:
        return None
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host.lower()}:{port or _PORTS[parts.scheme]}"


def host_of(url: str) -> str:
    """The URL's host in lower case, empty where there is none."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def is_loopback(host: str) -> bool:
    """Whether `host` is this machine by its spelling alone; no name is looked up."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def resolver_rules(base_urls: Iterable[str], hosts: Iterable[str]) -> str:
    """Chromium's `--host-resolver-rules`: the base URLs and `hosts` resolve, everything else does not.

    A base URL on this machine is open on its own port only. A rule that names a port must be a `MAP` to
    itself, because `EXCLUDE` knows hosts only. `*.x` does not cover `x`: list both.
    """
    rules = []
    for url in base_urls:
        host = host_of(url)
        if is_loopback(host):
            place = (origin_of(url) or "").partition("://")[2]
            rules.append(f"MAP {place} {place}")
        else:
            rules.append(f"EXCLUDE {host}")
    rules += [f"EXCLUDE {host}" for host in hosts if not is_loopback(host)]
    return ", ".join([*dict.fromkeys(rules), "MAP * ~NOTFOUND"])
