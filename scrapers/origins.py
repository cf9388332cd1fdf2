"""Which scheme, host and port a URL belongs to, and the rule that keeps Chromium on the allowed ones."""

import ipaddress
from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

ASSETS = frozenset({"script", "stylesheet", "font"})
"""Kinds of resources, as Playwright names them, that `--allow-asset` admits from a named host."""
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


def resolver_rules(base_urls: Iterable[str], addresses: Mapping[str, str]) -> str:
    """Chromium's `--host-resolver-rules`: the base URLs and real hosts resolve, everything else does not.

    A base URL is open on its own port only, a further host on those of the web. A rule that names a port must
    be a `MAP`: `EXCLUDE` knows hosts only.

    Args:
        base_urls: of the sites.
        addresses: real host → the address that it leads to. What is not among them leads nowhere.
    """
    places = [place for url in base_urls if (place := (origin_of(url) or "").partition("://")[2])]
    rules = [f"MAP {place} {place}" for place in places if is_loopback(place.rpartition(":")[0].strip("[]"))]
    for host, address in addresses.items():
        own = [int(place.rpartition(":")[2]) for place in places if place.rpartition(":")[0] == host]
        target = f"[{address}]" if ":" in address else address
        rules += [f"MAP {host}:{port} {target}:{port}" for port in own or _PORTS.values()]
    return ", ".join([*dict.fromkeys(rules), "MAP * ~NOTFOUND"])
