"""Which board a page shows: the final (private) one or the one during the competition (public). Pure."""

import re
from collections.abc import Iterable
from urllib.parse import unquote, urlsplit

from schema.board import BoardKind
from scrapers.generic.words import ENDED, HEDGED, PRIVATE, PUBLIC, RUNNING

_TEST = re.compile(r"\btest(?:ing)?\b", re.IGNORECASE)
"""In a name a test is the final one; sentences speak of test data on every board."""
_LONGEST = 80
"""Characters of a name; longer texts are read as sentences."""


def kind_of_name(name: str) -> BoardKind | None:
    """The kind that a tab, heading or key names, where it names one alone."""
    text = name[:_LONGEST].replace("_", " ").replace("-", " ")
    is_private, is_public = bool(PRIVATE.search(text) or _TEST.search(text)), bool(PUBLIC.search(text))
    if is_private == is_public:
        return None
    return BoardKind.PRIVATE if is_private else BoardKind.PUBLIC


def kind_of_note(note: str) -> BoardKind | None:
    """The kind in a sentence beside the board, less the clauses about what will be or may differ."""
    plain = HEDGED.sub(" ", note)
    is_private, is_public = bool(PRIVATE.search(plain)), bool(PUBLIC.search(plain))
    if is_private and is_public:
        first = min(
            (PRIVATE, PUBLIC), key=lambda words: found.start() if (found := words.search(plain)) else 0
        )
        return BoardKind.PRIVATE if first is PRIVATE else BoardKind.PUBLIC
    if is_private or is_public:
        return BoardKind.PRIVATE if is_private else BoardKind.PUBLIC
    return None


def kind_of_url(url: str) -> BoardKind | None:
    """The kind in the last parts of an address."""
    parts = urlsplit(url)
    tail = " ".join([*parts.path.split("/")[-2:], parts.query, parts.fragment])
    return kind_of_name(unquote(tail).replace("/", " ").replace("=", " "))


def kind_of(
    names: Iterable[str], notes: Iterable[str], url: str, state: str, others: Iterable[str] = ()
) -> BoardKind:
    """The kind of a board: by its names, its address, what is beside it, or whether it still runs.

    `state` is what the page says of the competition, `others` are names of boards on other pages.
    """
    named = next((kind for name in names if (kind := kind_of_name(name))), None)
    kind = named or kind_of_url(url) or next((kind for note in notes if (kind := kind_of_note(note))), None)
    if kind is not None:
        return kind
    elsewhere = {kind for name in others if (kind := kind_of_name(name))}
    if len(elsewhere) == 1:
        return BoardKind.PUBLIC if elsewhere == {BoardKind.PRIVATE} else BoardKind.PRIVATE
    return BoardKind.PUBLIC if RUNNING.search(state) and not ENDED.search(state) else BoardKind.PRIVATE
