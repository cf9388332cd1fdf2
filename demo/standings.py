"""The boards of the content format: CSV files with any of several headers, read as printed."""

import csv
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from core.errors import ContentError
from schema.board import BoardKind

_COLUMNS = {
    "rank": ("rank",),
    "team": ("teamname", "team", "participant", "participants", "method"),
    "team_id": ("teamid",),
    "score": ("score", "scorenullable", "displayscore"),
    "entries": ("submissioncount", "entries", "successfulentries", "submissions"),
    "last": ("lastsubmissiondate", "lastsubmission", "submissiondate", "date"),
    "members": ("teammemberusernames", "members"),
}
_FLAGS = {"hasteamname", "hasscore", "scorenullable"}
"""Columns of the command-line client's dump that say nothing a board prints."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One row of a board; every text is exactly the file's."""

    rank: int | None
    """None for a baseline row (the file's rank is empty or 0)."""
    team: str
    team_id: str | None
    score: str
    entries: str
    last: str
    members: tuple[str, ...]
    further: tuple[str, ...]
    """Cells of the columns that have no meaning of their own, in the order of `Standings.further`."""


@dataclass(frozen=True, slots=True)
class InventedStandings:
    """One board of the content, in the file's order."""

    kind: BoardKind
    rows: tuple[Standing, ...]
    further: tuple[str, ...]
    """Headers of further columns, as in the file."""


@dataclass(frozen=True, slots=True)
class _Header:
    names: list[str]
    columns: dict[str, int]
    further: tuple[int, ...]

    def cell(self, row: list[str], column: str) -> str:
        index = self.columns.get(column)
        return "" if index is None else row[index]


def check_header(path: Path) -> None:
    """Raise `ContentError` unless `path` is a board with a score column; reads one line."""
    with _open(path) as reader:
        _read_header(path, reader)


def count_rows(path: Path) -> int:
    """How many rows the board has, without keeping them."""
    return _count_rows(path, path.stat().st_mtime_ns)


def read_standings(path: Path, kind: BoardKind) -> InventedStandings:
    """Read a whole board; the last few are kept in memory until their files change.

    Raises:
        ContentError: no score column, a row of another width, a rank that is no whole number.
    """
    return _read_standings(path, kind, path.stat().st_mtime_ns)


@lru_cache(maxsize=4096)
def _count_rows(path: Path, _modified: int) -> int:
    with _open(path) as reader:
        _read_header(path, reader)
        return sum(1 for row in reader if row)


@lru_cache(maxsize=12)
def _read_standings(path: Path, kind: BoardKind, _modified: int) -> InventedStandings:
    with _open(path) as reader:
        header = _read_header(path, reader)
        rows = tuple(
            _standing(path, header, kind, position, row)
            for position, row in enumerate((row for row in reader if row), start=1)
        )
    return InventedStandings(kind, rows, tuple(header.names[index] for index in header.further))


@contextmanager
def _open(path: Path) -> Iterator[Iterator[list[str]]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield csv.reader(file)
    except UnicodeDecodeError as error:
        raise ContentError(
            path, f"not UTF-8 ({error.reason} at byte {error.start})", "save it as UTF-8"
        ) from None
    except csv.Error as error:
        raise ContentError(
            path, f"not a CSV file ({error})", "quote the cells that hold commas or quotes"
        ) from None


def _read_header(path: Path, reader: Iterator[list[str]]) -> _Header:
    names = next(reader, [])
    plain = [re.sub(r"[^a-z0-9]", "", name.lower()) for name in names]
    columns = {
        column: plain.index(alias)
        for column, aliases in _COLUMNS.items()
        if (alias := next((alias for alias in aliases if alias in plain), None))
    }
    if "score" not in columns:
        found = ", ".join(names) or "nothing"
        raise ContentError(path, f"no score column in the header ({found})", "begin it with e.g. rank,score")
    taken = set(columns.values()) | {plain.index(flag) for flag in _FLAGS if flag in plain}
    return _Header(names, columns, tuple(index for index in range(len(names)) if index not in taken))


def _standing(path: Path, header: _Header, kind: BoardKind, position: int, row: list[str]) -> Standing:
    if len(row) != len(header.names):
        problem = f"row {position} has {len(row)} cells, the header {len(header.names)}"
        raise ContentError(path, problem, "give each row as many cells as the header, quoting commas")
    team_id = header.cell(row, "team_id") or None
    return Standing(
        rank=_rank(path, header, position, row),
        team=header.cell(row, "team") or _invented_team(kind, position, team_id),
        team_id=team_id,
        score=header.cell(row, "score"),
        entries=header.cell(row, "entries"),
        last=header.cell(row, "last"),
        members=tuple(name for name in header.cell(row, "members").split(",") if name),
        further=tuple(row[index] for index in header.further),
    )


def _rank(path: Path, header: _Header, position: int, row: list[str]) -> int | None:
    if "rank" not in header.columns:
        return position
    text = header.cell(row, "rank").strip()
    if text.isdecimal():
        return int(text) or None
    if not re.fullmatch(r"\d*(\.0+)?", text):
        raise ContentError(path, f"row {position} has the rank {text!r}", "ranks are whole numbers, or empty")
    return int(float(text or 0)) or None


def _invented_team(kind: BoardKind, position: int, team_id: str | None) -> str:
    """A stable name; the two boards of one competition never share one, since their order says nothing."""
    if team_id:
        return f"Team {team_id}"
    return f"Team {position}" if kind is BoardKind.PRIVATE else f"Team P{position}"
