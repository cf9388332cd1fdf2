"""Prints how many words of pages the captured text keeps: `python scripts/measure_text.py FOLDER`.

Wanted are the words of paragraphs, list items and headings that a reader sees in HTML files, outside of
navigation, head, foot and tables; of Chinese and Japanese every letter is a word. Kept are those that the
Markdown of the overview has.
"""

import re
import sys
from collections import Counter
from pathlib import Path

from lxml.html import HtmlElement

from scrapers.generic.links import Role
from scrapers.generic.texts import sections_of
from scrapers.tables import is_decoration, parse_html

_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]+(?:['’][^\W_]+)?")
_OUTSIDE = {
    "nav",
    "footer",
    "header",
    "aside",
    "table",
    "script",
    "style",
    "noscript",
    "button",
    "select",
    "form",
}
_FRAME = re.compile(r"(?:^|[-_ ])(?:nav|navbar|menu|footer|breadcrumbs?|sidebar)(?:$|[-_ ])", re.IGNORECASE)
_FEWEST = 60
"""Words: pages of fewer are no text."""


def wanted_words(html: str) -> Counter[str]:
    """Words of paragraphs, list items and headings."""
    found: Counter[str] = Counter()
    for block in parse_html(html).iter("p", "li", "h1", "h2", "h3", "h4", "h5", "h6"):
        if not any(_is_outside(one) for one in (block, *block.iterancestors())):
            own = "".join(_own_text(block))
            found.update(_words(own))
    return found


def _own_text(block: HtmlElement) -> list[str]:
    """The block's text without that of blocks in it, which are counted by themselves."""
    texts = [block.text or ""]
    for child in block:
        if isinstance(child.tag, str) and child.tag not in {
            "p",
            "li",
            "ul",
            "ol",
            "table",
            "script",
            "style",
        }:
            texts += [] if is_decoration(child) else _own_text(child)
        texts.append(child.tail or "")
    return texts


def _is_outside(element: HtmlElement) -> bool:
    named = f"{element.get('class') or ''} {element.get('id') or ''}"
    return element.tag in _OUTSIDE or is_decoration(element) or bool(_FRAME.search(named))


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def kept_share(html: str) -> tuple[int, float, list[str]]:
    """Words wanted, the share of them that is captured, and some that are not."""
    wanted = wanted_words(html)
    sections = sections_of(html, "http://site/page", Role.OVERVIEW)
    have = Counter(_words(sections[0].markdown)) if sections else Counter[str]()
    lost = wanted - have
    total = sum(wanted.values())
    return total, 1 - sum(lost.values()) / max(1, total), [word for word, _ in lost.most_common(12)]


def main() -> None:
    """Print a line for each page that keeps less than all, and the mean."""
    shares = []
    for path in sorted(Path(sys.argv[1]).rglob("*.html")):
        total, share, lost = kept_share(path.read_text(encoding="utf-8", errors="replace"))
        if total >= _FEWEST:
            shares.append(share)
            print(f"{share:7.1%} of {total:6,} words  {path.relative_to(sys.argv[1])}  {' '.join(lost)}")
    if shares:
        print(
            f"{sum(shares) / len(shares):.1%} on average of {len(shares)} pages, {min(shares):.1%} at least"
        )


if __name__ == "__main__":
    main()
