"""Leaderboards of the invented competitions, drawn from a few numbers and always the same.

They have what real boards have: ties, a long tail, a heap of teams at the sample submission's score,
benchmark rows with rank 0, teams without a score, printed trailing zeros, and a public order that differs
from the final one.
"""

import csv
import io
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.random import Generator

from demo.chance import generator
from demo.specs import BoardSpec, Invented
from demo.teams import team_names

_TIES = 0.07
"""Share of teams that score exactly what the team before them does."""
_HEAP = 0.03
"""Share of teams that never got beyond the sample submission."""
_FOCUS = 5.0
"""How closely scores crowd round their mean (the sum of the beta distribution's parameters)."""
_SHAKE = 0.04
"""Spread of the difference between public and private score, in parts of the board's range."""
_JSON_PLATFORMS = ("kaggle", "codabench", "evalai")
"""Where a name's own spaces at its ends are told from those of the markup."""
_COLUMNS = {
    "kaggle": (
        "Rank",
        "TeamId",
        "TeamName",
        "LastSubmissionDate",
        "Score",
        "SubmissionCount",
        "TeamMemberUserNames",
    ),
    "aicrowd": ("Rank", "TeamName", "Score", "Entries", "LastSubmission"),
    "biendata": ("Rank", "TeamName", "Score", "SubmissionCount"),
    "codabench": ("Rank", "TeamName", "LastSubmission", "Score"),
    "evalai": ("Rank", "TeamName", "Score", "LastSubmission"),
    "ogb": ("Rank", "Method", "Score", "#Params", "Date"),
}


@dataclass(frozen=True, slots=True)
class _Row:
    team_id: int
    team: str
    score: float | None
    entries: int
    last: datetime
    ranked: bool = True


def board_csvs(one: Invented) -> dict[str, str]:
    """The boards of a competition as CSV, by file name; rows are in the page's order."""
    rows = _final_rows(one)
    found = {}
    for kind in one.board.kinds:
        shown = rows if kind == "private" else _shaken(one, rows)
        found[f"leaderboard_{kind}.csv"] = _as_csv(one, _in_order(one, shown))
    return found


def _final_rows(one: Invented) -> list[_Row]:
    spec, rng = one.board, generator(one.meta.slug, "board")
    scores: list[float | None] = [round(float(x), spec.decimals) for x in _scores(spec, rng)]
    scores += [None] * spec.empty
    count = len(scores)
    start = datetime.fromisoformat(one.meta.start).replace(tzinfo=UTC)
    seconds = (datetime.fromisoformat(one.meta.deadline) - start).total_seconds()
    drawn = zip(
        rng.permutation(10**6 + np.cumsum(rng.integers(1, 900, count))).tolist(),
        team_names(rng, count, spaces=one.meta.platform in _JSON_PLATFORMS),
        scores,
        rng.geometric(0.06, count).tolist(),
        (seconds * rng.beta(5, 1, count)).astype(int).tolist(),
        strict=True,
    )
    rows = [
        _Row(team_id, team, score, 0 if score is None else entries, start + timedelta(seconds=passed))
        for team_id, team, score, entries, passed in drawn
    ]
    baselines = [
        _Row(team_id=100 + place, team=name, score=score, entries=1, last=start, ranked=False)
        for place, (name, score) in enumerate(spec.baselines.items())
    ]
    return rows + baselines


def _scores(spec: BoardSpec, rng: Generator) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    if spec.best == spec.worst:
        return np.full(spec.rows, spec.best)
    lean = (spec.typical - spec.best) / (spec.worst - spec.best)
    place = np.sort(rng.beta(_FOCUS * lean, _FOCUS * (1 - lean), size=spec.rows))
    place = (place - place[0]) / (1 - place[0])
    place[spec.rows - max(2, int(_HEAP * spec.rows)) :] = 1
    for row in range(1, spec.rows):
        if rng.random() < _TIES:
            place[row] = place[row - 1]
    return np.asarray(spec.best + place * (spec.worst - spec.best))


def _shaken(one: Invented, rows: list[_Row]) -> list[_Row]:
    """The same teams with the scores they had on the public part of the test data."""
    spec, rng = one.board, generator(one.meta.slug, "public")
    steps = rng.normal(0, _SHAKE * abs(spec.worst - spec.best), len(rows)).tolist()
    low = -math.inf if one.metric.low is None else one.metric.low
    high = math.inf if one.metric.high is None else one.metric.high
    return [
        row
        if row.score is None
        else replace(row, score=round(min(max(row.score + step, low), high), spec.decimals))
        for row, step in zip(rows, steps, strict=True)
    ]


def _in_order(one: Invented, rows: list[_Row]) -> list[_Row]:
    falling = one.metric.higher_is_better != one.board.reversed
    scored = sorted(
        (row for row in rows if row.score is not None), key=lambda row: row.score or 0.0, reverse=falling
    )
    return scored + [row for row in rows if row.score is None]


def _as_csv(one: Invented, rows: list[_Row]) -> str:
    text, rank = io.StringIO(), 0
    table, cells = csv.writer(text, lineterminator="\n"), _CELLS[one.meta.platform]
    table.writerow(_COLUMNS[one.meta.platform])
    for row in rows:
        rank += row.ranked
        score = "" if row.score is None else f"{row.score:.{one.board.decimals}f}{_spread(one.board, row)}"
        table.writerow(cells(rank if row.ranked else 0, row, score))
    return text.getvalue()


def _spread(spec: BoardSpec, row: _Row) -> str:
    """What stands behind a score: its deviation over ten runs, other for every row."""
    if spec.spread is None:
        return ""
    return f" ± {spec.spread * (1 + row.team_id % 7) / 4:.{spec.decimals}f}"


_Cells = Callable[[int, _Row, str], tuple[object, ...]]


def _kaggle(rank: int, row: _Row, score: str) -> tuple[object, ...]:
    members = ",".join(f"user{row.team_id + place}" for place in range(1 + row.team_id % 3))
    return rank, row.team_id, row.team, row.last.strftime("%Y-%m-%d %H:%M:%S"), score, row.entries, members


def _aicrowd(rank: int, row: _Row, score: str) -> tuple[object, ...]:
    return rank, row.team, score, row.entries, row.last.strftime("%a, %d %b %Y %H:%M")


def _biendata(rank: int, row: _Row, score: str) -> tuple[object, ...]:
    return rank, row.team, score, row.entries


def _codabench(rank: int, row: _Row, score: str) -> tuple[object, ...]:
    return rank, row.team, row.last.strftime("%Y-%m-%d %H:%M"), score


def _evalai(rank: int, row: _Row, score: str) -> tuple[object, ...]:
    return rank, row.team, score, row.last.isoformat().replace("+00:00", "Z")


def _ogb(rank: int, row: _Row, score: str) -> tuple[object, ...]:
    return rank, row.team, score, f"{row.team_id * 7:,}", row.last.strftime("%b %-d, %Y")


_CELLS: dict[str, _Cells] = {
    "kaggle": _kaggle,
    "aicrowd": _aicrowd,
    "biendata": _biendata,
    "codabench": _codabench,
    "evalai": _evalai,
    "ogb": _ogb,
}
