"""Evidence read from texts: quotes of pages and of what the site states, and whether they stand there.

A text is a page's Markdown, or what the site states in its structured data, written by `site_text`. Both are
in the lake (`captures`, `competitions`), so that every quote can be looked up again.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache

from schema.competition import Competition
from schema.evidence import QUOTE_LIMIT, SITE, Evidence
from schema.page import Page


def quote(page: Page, start: int, end: int, field: str, rule: str) -> Evidence:
    """Evidence whose quote is exactly the page's characters from `start` to its `end`."""
    end = min(end, start + QUOTE_LIMIT)
    text = page.markdown[start:end]
    return Evidence(
        field=field,
        page=page.kind.value,
        page_sha256=text_sha256(page.markdown),
        start=start,
        end=end,
        rule=rule,
        quote=text,
    )


def locate(pages: Sequence[Page], words: str, field: str, rule: str) -> Evidence | None:
    """Evidence where `words` stand in one of the pages, whatever the white space between them; or None."""
    parts = [re.escape(part) for part in words.split()]
    if not parts:
        return None
    pattern = re.compile(r"\s+".join(parts))
    for page in pages:
        if match := pattern.search(page.markdown):
            return quote(page, *match.span(), field, rule)
    return None


def site_text(competition: Competition) -> str:
    """What the site states about a competition, a fact per line: `participants: 77`."""
    facts = {
        "title": competition.title,
        "deadline": competition.deadline,
        "participants": competition.participants,
        "metric_name": competition.metric_name,
        "direction": competition.direction,
        "license": competition.license,
        "tags": ", ".join(competition.tags) or None,
    }
    return "".join(f"{name}: {_stated(value)}\n" for name, value in facts.items() if value is not None)


def site_quote(
    competition: Competition, fact: str, field: str, rule: str = SITE, words: str = ""
) -> Evidence | None:
    """Evidence from one fact of `site_text`: the whole fact, or the first place of `words` in it; or None."""
    text = site_text(competition)
    line = re.search(rf"^{re.escape(fact)}: (.*)$", text, re.MULTILINE)
    place = line[1].find(words) if line else -1
    if line is None or place < 0 or not line[1]:
        return None
    start = line.start(1) + place
    end = min(start + len(words) if words else line.end(1), start + QUOTE_LIMIT)
    return Evidence(
        field=field,
        page=SITE,
        page_sha256=text_sha256(text),
        start=start,
        end=end,
        rule=rule,
        quote=text[start:end],
    )


def texts_of(pages: Sequence[Page], competition: Competition) -> dict[str, str]:
    """Every text that evidence may point into, by its sha256."""
    site = site_text(competition)
    return {text_sha256(page.markdown): page.markdown for page in pages} | {text_sha256(site): site}


def holds(evidence: Evidence, texts: Mapping[str, str]) -> bool:
    """Whether the quote is not empty and stands at its span in the text that the evidence names."""
    text = texts.get(evidence.page_sha256)
    return bool(evidence.quote and text is not None and text[evidence.start : evidence.end] == evidence.quote)


@lru_cache(maxsize=256)
def text_sha256(text: str) -> str:
    """The hash under which evidence names a text."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _stated(value: object) -> str:
    stated = value.isoformat() if isinstance(value, datetime) else str(value)
    return " ".join(stated.split())
