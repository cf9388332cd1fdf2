"""CSS selectors that find an element of a saved page again in the live one. Pure."""

import re

from lxml.html import HtmlElement

_PLAIN_ID = re.compile(r"[A-Za-z][\w-]*")


def selector_of(element: HtmlElement) -> str:
    """The path from the nearest element with a plain id of its own, else from the root, child by child."""
    steps: list[str] = []
    for one in (element, *element.iterancestors()):
        name = str(one.get("id") or "")
        if _PLAIN_ID.fullmatch(name) and one.getroottree().xpath("count(//*[@id=$name])", name=name) == 1:
            return " > ".join([f"#{name}", *reversed(steps)])
        parent = one.getparent()
        if parent is None or one.tag in {"body", "html"}:
            return " > ".join([str(one.tag), *reversed(steps)])
        steps.append(f":nth-child({1 + sum(1 for _ in _before(one))})")
    return " > ".join(reversed(steps))


def _before(element: HtmlElement) -> list[HtmlElement]:
    return [one for one in element.itersiblings(preceding=True) if isinstance(one.tag, str)]
