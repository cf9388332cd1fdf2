"""Trials of a crawler: one small competition per platform, and the switches under which it is to be read."""

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from demo.content import PLATFORMS
from demo.quirks import Quirk
from schema.board import BoardKind

_SHARED = (Quirk.SHORT_BOARD, Quirk.HOSTILE_TEXT, Quirk.DIALOGS, Quirk.SLOW)
_NO_CLAIM = frozenset({"codabench", "ogb"})
"""Sites that never say how many rows a board has."""
_TOGETHER = (
    frozenset({Quirk.KAGGLE_NO_JSON, Quirk.KAGGLE_WINDOWED_LIST}),
    frozenset({Quirk.AICROWD_NO_COUNT, Quirk.AICROWD_PINNED_OWN_ROW, Quirk.AICROWD_ROUND_MENU}),
    frozenset({Quirk.BIENDATA_SCRIPT, Quirk.BIENDATA_CHINESE}),
)
_ROWS = {"kaggle": 130, "aicrowd": 112, "biendata": 230, "codabench": 60, "evalai": 215, "ogb": 40}
"""More than a page of each site has."""
_TRACKS = {"codabench": "Final Phase, second part", "evalai": "Hard Split"}
_NAMES = (
    "Ωmega & Söhne",
    "梯度 下降",
    'say "hi", please',
    "🦉 owls",
    "two  spaces",
    "-",
    " leading",
    "trailing ",
    "<b>bold</b>",
)
_OVERVIEW = """## Description

Lock keepers count boats; predict the count of {slug}.

## Evaluation

Submissions are scored by the mean absolute error, $\\frac{{1}}{{n}}\\sum|y-\\hat y|$. Lower is better.

```
day,boats
1,3
```

## Timeline

- March 1, 2024 - start
- April 30, 2024 - end
"""


@dataclass(frozen=True, slots=True)
class Trial:
    """One platform under some switches."""

    platform: str
    quirks: frozenset[Quirk]

    @property
    def name(self) -> str:
        """Its switches, or `plain`."""
        return " ".join(sorted(self.quirks)) or "plain"


def trials() -> Iterator[Trial]:
    """Every platform under every switch that concerns it, alone and in a few combinations."""
    for platform in PLATFORMS:
        yield Trial(platform, frozenset())
        own = [quirk for quirk in Quirk if quirk.startswith(f"{platform}-")]
        shared = [q for q in _SHARED if q is not Quirk.SHORT_BOARD or platform not in _NO_CLAIM]
        yield from (Trial(platform, frozenset({quirk})) for quirk in (*own, *shared))
        yield from (Trial(platform, group) for group in _TOGETHER if group <= set(own))


SLUG = "lock-keepers"


def write_trial_content(folder: Path) -> Path:
    """Write the competition of every platform into `folder` in the content format; returns `folder`.

    Its boards have ties, names that are easily broken, a baseline, teams without a score, and more rows than
    one page of the site; where a site has phases or splits, there is a board more.
    """
    for platform in PLATFORMS:
        place = folder / platform / SLUG
        place.mkdir(parents=True, exist_ok=True)
        meta = {
            "platform": platform,
            "slug": SLUG,
            "title": "Lock Keepers' Count",
            "start": "2024-03-01",
            "deadline": "2024-04-30T10:00:00Z",
            "metric": "MAE",
            "higher_is_better": False,
            "rules": "One account each.",
        }
        (place / "meta.json").write_text(json.dumps(meta), encoding="utf-8")
        (place / "overview.md").write_text(_OVERVIEW.format(slug=SLUG), encoding="utf-8")
        (place / "data.md").write_text("`train.csv` holds `boats`, the target.", encoding="utf-8")
        _write_board(place, platform, BoardKind.PRIVATE, _ROWS[platform])
        _write_board(place, platform, BoardKind.PUBLIC, _ROWS[platform] + 3)
        if track := _TRACKS.get(platform):
            _write_board(place / "tracks" / track, platform, BoardKind.PRIVATE, 12)
    return folder


def _write_board(place: Path, platform: str, kind: BoardKind, rows: int) -> None:
    place.mkdir(parents=True, exist_ok=True)
    with (place / f"leaderboard_{kind}.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(("Rank", "TeamName", "Score", "SubmissionCount", "LastSubmissionDate"))
        rank = 0
        for row in range(rows):
            baseline = row == len(_NAMES)
            rank += not baseline
            team = _NAMES[row] if row < len(_NAMES) else f"{kind} boat {row}"
            last = f"2024-04-{row % 28 + 1:02d} 10:00:00"
            table.writerow((0 if baseline else rank, team, _score(platform, row, rows), row % 9 + 1, last))


def _score(platform: str, row: int, rows: int) -> str:
    """Neighbours tie; the last two have no score; trailing zeros are printed."""
    if row >= rows - 2:
        return ""
    spread = " ± 0.00120" if platform == "ogb" else ""
    return f"{1 + row // 2 / 1000:.5f}{spread}"
