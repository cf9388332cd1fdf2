"""What has changed on the sites from one crawl to the next, as the lake's history tells."""

import difflib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import NamedTuple

from lake.store import Lake
from lake.views import quoted
from schema.board import BoardRow

DESCRIPTION = "description"
_FACTS = ("title", "deadline", "metric_name", "direction", "license", "tags")
"""What a site states of a competition, without the counters that move with every new team."""
_PAGES = """
SELECT platform, competition, kind AS name, batch, fetched_at AS at, content_sha256 AS said, capture_id AS id
FROM captures_history WHERE kind <> 'board' ORDER BY fetched_at, written_at, name
"""
_BOARDS = """
SELECT platform, competition, kind || coalesce(' board (' || track || ')', ' board') AS name, batch,
       fetched_at AS at, sha256 AS said, board_id AS id
FROM boards_history ORDER BY fetched_at, written_at, name
"""
_STATED = f"""
SELECT platform, competition, '' AS name, batch, written_at AS at,
       to_json({{{", ".join(f"{name}: {name}" for name in _FACTS)}}})::VARCHAR AS said, '' AS id
FROM competitions_history ORDER BY written_at
"""  # noqa: S608  # the names are declared above
_TEXTS = "SELECT capture_id AS id, markdown FROM captures_history WHERE capture_id IN ({})"
_ROWS = """
SELECT position, rank, team, score, score_text, entries, last_submission
FROM board_rows_history WHERE board_id = {} ORDER BY position
"""


@dataclass(frozen=True, slots=True)
class TextDifference:
    """Lines that came and went."""

    added: int
    removed: int
    sample: tuple[str, ...]
    """The first of them, each after `+` or `-`; data of a page, to be shown and no more."""

    def __str__(self) -> str:
        return f"+{self.added} −{self.removed} lines"


@dataclass(frozen=True, slots=True)
class BoardDifference:
    """Rows that came, went, or say something else; a row is known by its team."""

    rows_before: int
    rows_after: int
    added: int
    removed: int
    changed: int
    """Another score, number of entries or time of the last."""
    moved: int
    """Nothing but another rank."""
    best_before: str | None
    """The score printed first, on the rank that counts."""
    best_after: str | None

    def __str__(self) -> str:
        rows = f"{self.rows_after:,} rows"
        if self.rows_before != self.rows_after:
            rows = f"{self.rows_before:,} → {rows}"
        counts = {"new": self.added, "gone": self.removed, "changed": self.changed, "moved": self.moved}
        told = [f"{count:,} {what}" for what, count in counts.items() if count] or [
            "the claimed number differs"
        ]
        best = f"best still {self.best_after}"
        if self.best_before != self.best_after:
            best = f"best {self.best_before} → {self.best_after}"
        return f"{rows}, {', '.join(told)}; {best}"


class _Version(NamedTuple):
    """One version of a page, of a board's head or of the stated facts."""

    platform: str
    competition: str
    name: str
    batch: str
    at: datetime
    said: str
    """What it says, or its hash."""
    id: str


@dataclass(frozen=True, slots=True)
class PageChange:
    """A page that says something else, or that has come."""

    page: str
    difference: TextDifference


@dataclass(frozen=True, slots=True)
class FactChange:
    """A fact that the site states otherwise now."""

    fact: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class CompetitionChange:
    """One thing that is new: a competition's description, or one of its boards."""

    at: datetime
    """When it was read."""
    platform: str
    competition: str
    what: str
    """`description`, `private board` or `public board`, with the board's track where it has one."""
    pages: tuple[PageChange, ...] = ()
    facts: tuple[FactChange, ...] = ()
    board: BoardDifference | None = None

    @property
    def summary(self) -> str:
        """In one line."""
        said = [f"{page.page} {page.difference}" for page in self.pages]
        said += [f"{fact.fact}: {fact.before} → {fact.after}" for fact in self.facts]
        return "; ".join([*said, *([str(self.board)] if self.board else [])])


def changes(lake: Lake, since: datetime | None = None) -> list[CompetitionChange]:
    """All changes since the first reading of each competition, or those read at or after `since`; by time.

    One reading gives at most one line for the description, with all its pages and stated facts, and one for
    each board. What was read for the first time is no change.
    """
    found = [*_descriptions(lake, since), *_boards(lake, since)]
    return sorted(found, key=lambda one: (one.at, one.platform, one.competition, one.what))


def _descriptions(lake: Lake, since: datetime | None) -> Iterator[CompetitionChange]:
    """One for each reading that found another text on any page, or another fact."""
    pages = list(_changed(_versions(lake, _PAGES), since))
    texts = _texts(lake, [version.id for pair in pages for version in pair if version])
    facts = [pair for pair in _changed(_versions(lake, _STATED), since) if pair[0]]
    changed: defaultdict[tuple[str, str, str], list[tuple[datetime, PageChange | FactChange]]] = defaultdict(
        list
    )
    for before, after in pages:
        old = texts[before.id] if before else ""
        page = PageChange(after.name, text_difference(old, texts[after.id]))
        changed[after.platform, after.competition, after.batch].append((after.at, page))
    for before, after in facts:
        for fact in _fact_changes(before.said if before else "{}", after.said):
            changed[after.platform, after.competition, after.batch].append((after.at, fact))
    for (platform, competition, _), parts in changed.items():
        yield CompetitionChange(
            min(at for at, _ in parts),
            platform,
            competition,
            DESCRIPTION,
            pages=tuple(part for _, part in parts if isinstance(part, PageChange)),
            facts=tuple(part for _, part in parts if isinstance(part, FactChange)),
        )


def _boards(lake: Lake, since: datetime | None) -> Iterator[CompetitionChange]:
    for before, after in _changed(_versions(lake, _BOARDS), since):
        if before is not None:
            difference = board_difference(_rows(lake, before.id), _rows(lake, after.id))
            yield CompetitionChange(after.at, after.platform, after.competition, after.name, board=difference)


def _versions(lake: Lake, query: str) -> list[_Version]:
    return [_Version(**row) for row in lake.sql(query).to_pylist()]


def _changed(
    versions: Iterable[_Version], since: datetime | None
) -> Iterator[tuple[_Version | None, _Version]]:
    """Each version that says something else than the one before it; None before what has come later.

    What was in the first reading of its competition has come with it, and is no change.
    """
    first: dict[tuple[str, str], str] = {}
    chains: defaultdict[tuple[str, str, str], list[_Version]] = defaultdict(list)
    for version in versions:
        first.setdefault(version[:2], version.batch)
        chains[version[:3]].append(version)
    for chain in chains.values():
        late = [] if chain[0].batch == first[chain[0][:2]] else [None]
        for before, after in pairwise([*late, *chain]):
            news = after is not None and (before is None or before.said != after.said)
            if after is not None and news and (since is None or after.at >= since):
                yield before, after


def _texts(lake: Lake, ids: Sequence[str]) -> dict[str, str]:
    if not ids:
        return {}
    query = _TEXTS.format(", ".join(map(quoted, ids)))
    return {row["id"]: row["markdown"] for row in lake.sql(query).to_pylist()}


def _rows(lake: Lake, board_id: str) -> list[BoardRow]:
    found = lake.sql(_ROWS.format(quoted(board_id))).to_pylist()
    return [BoardRow(**row) for row in found]


def _fact_changes(before: str, after: str) -> Iterator[FactChange]:
    old, new = json.loads(before), json.loads(after)
    for name in _FACTS:
        if old.get(name) != new.get(name):
            yield FactChange(name, _shown(old.get(name)), _shown(new.get(name)))


def _shown(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else "-" if value is None else str(value)


_MOST_SAMPLES = 6
"""Changed lines that are shown of one text."""
_MOST_PAIRS = 25_000_000
"""Pairs of lines up to which they are compared in their order: a page may be made to be slow."""
_WIDTH = 160
"""Characters of a line that is shown."""


def text_difference(before: str, after: str) -> TextDifference:
    """The difference of two Markdown texts, line by line, without empty lines."""
    old, new = ([line for line in text.splitlines() if line.strip()] for text in (before, after))
    lines = _lines(old, new)
    return TextDifference(
        added=sum(line.startswith("+") for line in lines),
        removed=sum(line.startswith("-") for line in lines),
        sample=tuple(_cut(line) for line in lines[:_MOST_SAMPLES]),
    )


def board_difference(before: Sequence[BoardRow], after: Sequence[BoardRow]) -> BoardDifference:
    """The difference of two readings of one board; where teams share a name, in the order of the page."""
    old, new = _by_team(before), _by_team(after)
    both = old.keys() & new.keys()
    return BoardDifference(
        rows_before=len(before),
        rows_after=len(after),
        added=len(new.keys() - old.keys()),
        removed=len(old.keys() - new.keys()),
        changed=sum(old[key][1:] != new[key][1:] for key in both),
        moved=sum(old[key] != new[key] and old[key][1:] == new[key][1:] for key in both),
        best_before=_best(before),
        best_after=_best(after),
    )


def _by_team(rows: Iterable[BoardRow]) -> dict[tuple[str, int], tuple[object, ...]]:
    seen: Counter[str] = Counter()
    found: dict[tuple[str, int], tuple[object, ...]] = {}
    for row in rows:
        seen[row.team] += 1
        found[row.team, seen[row.team]] = (row.rank, row.score_text, row.entries, row.last_submission)
    return found


def _best(rows: Sequence[BoardRow]) -> str | None:
    """Of the row with the lowest rank; of the first where none has one. Baselines (rank 0) are no teams."""
    ranked = [row for row in rows if row.rank]
    best = min(ranked, key=lambda row: (row.rank or 0, row.position)) if ranked else next(iter(rows), None)
    return best.score_text if best else None


def _lines(old: Sequence[str], new: Sequence[str]) -> list[str]:
    """Lines that went and came, in the order of the texts; of very long texts in no particular order."""
    if len(old) * len(new) > _MOST_PAIRS:
        gone, come = Counter(old) - Counter(new), Counter(new) - Counter(old)
        return [f"- {line}" for line in gone.elements()] + [f"+ {line}" for line in come.elements()]
    found: list[str] = []
    for what, i, j, k, m in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if what != "equal":
            found += [f"- {line}" for line in old[i:j]] + [f"+ {line}" for line in new[k:m]]
    return found


def _cut(line: str) -> str:
    text = "".join(character if character.isprintable() else " " for character in line)
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"
